import Link from 'next/link';
import type { ComponentProps, ReactNode } from 'react';
import classes from './cells.module.css';

/** Several things beside each other in a cell. */
export function Cell({ children }: { children: ReactNode }) {
  return <span className={classes.cell}>{children}</span>;
}

/** The link to a row's own page. */
export function RowLink(props: ComponentProps<typeof Link>) {
  return <Link className={classes.link} {...props} />;
}
