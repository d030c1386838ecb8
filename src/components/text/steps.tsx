import { Children, type ReactNode } from 'react';
import classes from './steps.module.css';

type StepsProps = { children: ReactNode; isSmall?: boolean };

/** Numbered steps, one for each child. */
export function Steps({ children, isSmall }: StepsProps) {
  return (
    <ol className={classes.steps} data-small={isSmall || undefined}>
      {Children.map(children, (step) => step && <li>{step}</li>)}
    </ol>
  );
}
