import type { ReactNode } from 'react';
import type { DkimKey } from '../../dkim/schema';
import { ALGORITHMS } from './dkim-values';

type KeyHeadProps = { dkimKey: DkimKey; mark: ReactNode; children?: ReactNode };

export function KeyHead({ dkimKey: { selector, algorithm }, mark, children }: KeyHeadProps) {
  return (
    <div className="dkim-head">
      {mark}
      <b className="mono">{selector}</b>
      <span className="quiet">
        {ALGORITHMS[algorithm]}
        {children && <>, {children}</>}
      </span>
    </div>
  );
}
