'use client';

import { keepPreviousData } from '@tanstack/react-query';
import { trpc } from '@/components/api/trpc';
import { CountFilter } from '@/components/layout/count-filter';
import { messageStatus } from '@/components/marks/outcome-marks';
import { StatusMark } from '@/components/marks/status-mark';
import { formatCount } from '@/lib/format';
import { MESSAGE_STATUSES, type MessageTotals } from '../schema';
import { isDay, type MessageSearch, sinceOf, totalsOf } from './use-message-search';

const SHOWN_STATUSES = ['sent', 'delivered', 'deferred', 'bounced', 'failed', 'uncertain', 'received', 'spam'] as const;
/** Few messages have these, so that the sum says how many. */
const OTHER_STATUSES = ['submitting', 'scheduled', 'cancelled'] as const;

/** Filters by status, with the number of messages of each that the other filters match. */
export function StatusFilter({ search }: { search: MessageSearch }) {
  const { values, change } = search;
  const filters = totalsOf(search);
  const { data: totals } = trpc.messages.totals.useQuery(filters, {
    staleTime: 30_000,
    placeholderData: keepPreviousData,
  });
  const counts = totals?.counts;
  return (
    <CountFilter
      label="Status"
      value={values.status}
      total={counts && MESSAGE_STATUSES.reduce((sum, status) => sum + counts[status], 0)}
      note={counts && othersOf(counts)}
      counts={SHOWN_STATUSES.map((status) => ({
        value: status,
        title: <StatusMark status={messageStatus(status)} />,
        count: counts?.[status],
      }))}
      period={periodOf(search)}
      isAtLeast={totals?.is_complete === false}
      onChange={(status) => change({ status, since: sinceWith(search, status) })}
    />
  );
}

/** Such as "with 2 submitting, 1 scheduled", so that the sum is that of the counts beside it. */
function othersOf(counts: MessageTotals['counts']): string | undefined {
  const others = OTHER_STATUSES.filter((status) => counts[status] > 0);
  if (others.length === 0) return undefined;
  return `with ${others.map((status) => `${formatCount(counts[status])} ${status}`).join(', ')}`;
}

/** The period of the counts, so that the list has the messages that were counted. */
function sinceWith(search: MessageSearch, status: string | null): MessageSearch['values']['since'] {
  if (!isDay(search)) return search.values.since;
  return status === null ? null : sinceOf(search);
}

function periodOf(search: MessageSearch): string {
  if (isDay(search)) return 'last 24 hours';
  return sinceOf(search) || search.values.until ? 'in this period' : 'retained';
}
