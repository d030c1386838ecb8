import type { ReactNode } from 'react';
import type { Problem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { FormFooter } from '@/components/layout/form-layout';
import classes from './send-footer.module.css';

type SendFooterProps = { problem: Problem | null; state: ReactNode; children: ReactNode };

/** Stays at the bottom of the window. `children` are the buttons. */
export function SendFooter({ problem, state, children }: SendFooterProps) {
  return (
    <div className={classes.footer}>
      <ProblemAlert problem={problem} />
      <FormFooter>
        {state}
        <span className="spacer" />
        {children}
      </FormFooter>
    </div>
  );
}
