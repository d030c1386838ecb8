import type { ReactNode } from 'react';
import classes from './note.module.css';

type NoteProps = { children: ReactNode; isSplit?: boolean; role?: 'alert' };

/** Shown where a table or a page would be. */
export function Note({ children, isSplit, role }: NoteProps) {
  return (
    <div className={classes.note} data-split={isSplit || undefined} role={role}>
      {children}
    </div>
  );
}
