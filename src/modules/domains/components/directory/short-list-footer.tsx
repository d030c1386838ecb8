import type { ReactNode } from 'react';
import { formatCount } from '@/lib/format';
import classes from './directory.module.css';

type ShortListFooterProps = { shown: number; total: number; children: ReactNode };

/** Below a list that shows only its first rows, with the link to all of them. */
export function ShortListFooter({ shown, total, children }: ShortListFooterProps) {
  return (
    <div className={classes.footer}>
      <span>
        {shown < total ? `Showing ${formatCount(shown)} of ${formatCount(total)}` : `${formatCount(total)} total`}
      </span>
      <span className="spacer" />
      {children}
    </div>
  );
}
