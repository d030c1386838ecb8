import { Notice } from '@/components/layout/notice';
import { formatCount, formatDay, formatPlural } from '@/lib/format';
import type { DroppedReports } from '../schema';
import { DROP_REASONS } from './report-values';
import classes from './reports.module.css';

/** The reports that arrived and were not stored. */
export function Dropped({ dropped }: { dropped: DroppedReports }) {
  const count = dropped.reduce((sum, one) => sum + one.count, 0);
  if (count === 0) return null;
  return (
    <div className={classes.note}>
      <Notice status="pending" title={`${formatPlural(count, 'report')} not stored`}>
        <ul>
          {dropped.map(({ reason, count: times, last_at: lastAt }) => (
            <li key={reason} className="soft">
              {formatCount(times)}: {DROP_REASONS[reason]} Last on {formatDay(lastAt)}.
            </li>
          ))}
        </ul>
      </Notice>
    </div>
  );
}
