import { formatCount } from '@/lib/format';
import type { LeftOut as LeftOutParts } from '../schema';

/** The parts of a report that could not be read, for its list of details. */
export function LeftOut({ leftOut }: { leftOut: LeftOutParts }) {
  if (leftOut.length === 0) return null;
  return (
    <>
      <dt>Left out</dt>
      <dd className="wrap">{leftOut.map(({ reason, count }) => `${formatCount(count)}: ${reason}`).join(' ')}</dd>
    </>
  );
}
