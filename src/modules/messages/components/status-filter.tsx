'use client';

import { keepPreviousData } from '@tanstack/react-query';
import { trpc } from '@/components/api/trpc';
import { CountFilter } from '@/components/layout/count-filter';
import { StatusMark } from '@/components/marks/status-mark';
import { MESSAGE_STATUSES } from '../schema';
import { filtersOf, type MessageSearch } from './use-message-search';

const SHOWN_STATUSES = ['delivered', 'deferred', 'bounced', 'failed'] as const;

/** Filters by status, with the number of messages of each that the other filters match. */
export function StatusFilter({ search }: { search: MessageSearch }) {
  const { values, change } = search;
  const filters = filtersOf(search);
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
      counts={SHOWN_STATUSES.map((status) => ({
        value: status,
        title: <StatusMark status={status} />,
        count: counts?.[status],
      }))}
      period={periodOf(filters)}
      isAtLeast={totals?.is_complete === false}
      onChange={(status) => change({ status, ...(status && counted(values, totals?.since)) })}
    />
  );
}

/** The period of the counts, so that the list has the messages that were counted. */
function counted({ since }: MessageSearch['values'], start: string | null | undefined): { since?: Date } {
  return since === null && start ? { since: new Date(start) } : {};
}

type Filters = ReturnType<typeof filtersOf>;

function periodOf(filters: Filters): string {
  if (filters.since || filters.until) return 'in this period';
  return countsDay(filters) ? 'last 24 hours' : 'retained';
}

/** Without a filter, the messages of a day are counted; with filters, those that the list has. */
export function countsDay({ domain_id: _, ...filters }: Filters): boolean {
  return Object.values(filters).every((value) => value === undefined);
}
