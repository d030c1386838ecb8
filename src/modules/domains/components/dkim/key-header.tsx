import type { ReactNode } from 'react';
import type { DkimKey } from '../../dkim/schema';
import classes from './dkim.module.css';
import { ALGORITHMS } from './dkim-values';

type KeyHeaderProps = { dkimKey: DkimKey; mark: ReactNode; children?: ReactNode };

export function KeyHeader({ dkimKey: { selector, algorithm }, mark, children }: KeyHeaderProps) {
  return (
    <div className={classes.header}>
      {mark}
      <b className="mono">{selector}</b>
      <span className="quiet">
        {ALGORITHMS[algorithm]}
        {children && <>, {children}</>}
      </span>
    </div>
  );
}
