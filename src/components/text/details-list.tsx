import type { ReactNode } from 'react';
import classes from './details-list.module.css';

/** Names and values, as `dt` and `dd`. */
export function DetailsList({ children }: { children: ReactNode }) {
  return <dl className={classes.list}>{children}</dl>;
}
