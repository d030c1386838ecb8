'use client';

import { keepPreviousData } from '@tanstack/react-query';
import { trpc } from '@/components/api/trpc';
import { CountFilter } from '@/components/layout/count-filter';
import { messageStatus } from '@/components/marks/outcome-marks';
import { StatusMark } from '@/components/marks/status-mark';
import { MESSAGE_STATUSES } from '@/lib/mail/outcomes';
import { othersOf } from './other-statuses';
import { isDay, type MessageSearch, sinceOf, totalsOf } from './use-message-search';

const SHOWN_STATUSES = ['sent', 'delivered', 'deferred', 'bounced', 'failed', 'uncertain', 'received', 'spam'] as const;
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

/** The period of the counts, so that the list has the messages that were counted. */
function sinceWith(search: MessageSearch, status: string | null): MessageSearch['values']['since'] {
  if (!isDay(search)) return search.values.since;
  return status === null ? null : sinceOf(search);
}

function periodOf(search: MessageSearch): string {
  if (isDay(search)) return 'last 24 hours';
  return sinceOf(search) || search.values.until ? 'in this period' : 'retained';
}
