'use client';

import { Sparkline } from '@mantine/charts';
import { trpc } from '@/components/api/trpc';
import { ErrorState } from '@/components/data-table/states';
import { DialogFields, DialogFrame } from '@/components/dialogs/dialog';
import { StatusMark } from '@/components/marks/status-mark';
import { DateTime } from '@/components/values/date-time';
import { valueText } from '@/lib/health/value-text';
import type { HealthCheck, HealthHistory } from '../schema';
import { MARKS } from './check-marks';

type CheckHistoryProps = { check: HealthCheck; opened: boolean; onClose: () => void };

/** How a check's value and status changed within the last day. */
export function CheckHistory({ check, opened, onClose }: CheckHistoryProps) {
  const { title, subject } = check;
  return (
    <DialogFrame opened={opened} isInUrl onClose={onClose} title={subject ? `${title}, ${subject}` : title}>
      <DialogFields>
        <Day check={check} />
      </DialogFields>
    </DialogFrame>
  );
}

function Day({ check: { name, subject, unit } }: { check: HealthCheck }) {
  const history = trpc.system.history.useQuery({ name, subject });
  if (history.isError)
    return <ErrorState what="the last day" error={history.error} onRetry={() => void history.refetch()} />;
  if (!history.data) return <p className="soft">Loading…</p>;
  const values = history.data.flatMap(({ value }) => value ?? []);
  const [lowest, highest] = [Math.min(...values), Math.max(...values)];
  return (
    <>
      {values.length > 1 && (
        <figure>
          <Sparkline
            h={72}
            data={values}
            curveType="stepAfter"
            color="var(--postmark)"
            fillOpacity={0.1}
            strokeWidth={1.5}
          />
          <figcaption className="soft">
            Between {valueText(lowest, unit)} and {valueText(highest, unit)} in the last day
          </figcaption>
        </figure>
      )}
      <ul>
        {statusChanges(history.data).map(({ at, status }) => (
          <li key={at}>
            <DateTime iso={at} /> <StatusMark status={MARKS[status][0]}>{MARKS[status][1]}</StatusMark>
          </li>
        ))}
      </ul>
    </>
  );
}

/** The first result and each with another status than the one before, the latest first. */
function statusChanges(history: HealthHistory): HealthHistory {
  return history.filter(({ status }, index) => status !== history[index - 1]?.status).reverse();
}
