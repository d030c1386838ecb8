import type { ComponentProps, ReactNode } from 'react';
import classes from './form-layout.module.css';

/** Fields below each other, not wider than they are readable. */
export function FormColumn({ className = '', ...props }: ComponentProps<'div'>) {
  return <div className={`${classes.column} ${className}`} {...props} />;
}

type FieldPairProps = { children: ReactNode; isStacked?: boolean };

/** Two fields beside each other, or with `isStacked` below each other on small screens. */
export function FieldPair({ children, isStacked }: FieldPairProps) {
  return (
    <div className={classes.pair} data-stacked={isStacked || undefined}>
      {children}
    </div>
  );
}

/** The buttons of a form and its state. */
export function FormFooter({ children }: { children: ReactNode }) {
  return <div className={classes.footer}>{children}</div>;
}
