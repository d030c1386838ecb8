import type { ReactNode } from 'react';
import classes from './steps.module.css';

type StepsProps = { children: ReactNode; isSmall?: boolean };

/** Numbered steps, as `li`. */
export function Steps({ children, isSmall }: StepsProps) {
  return (
    <ol className={classes.steps} data-small={isSmall || undefined}>
      {children}
    </ol>
  );
}
