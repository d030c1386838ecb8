'use client';

import { trpc } from '@/components/api/trpc';
import { CountFilter } from '@/components/layout/count-filter';
import { StatusMark } from '@/components/marks/status-mark';
import { MESSAGE_STATUSES } from '../schema';
import type { MessageFilters } from './use-message-filters';

const SHOWN_STATUSES = ['delivered', 'deferred', 'bounced', 'failed'] as const;

export function StatusFilter({ filters, change }: Pick<MessageFilters, 'filters' | 'change'>) {
  const domainId = filters.domain ?? undefined;
  const { data: totals } = trpc.messages.totals.useQuery({ domain_id: domainId }, { staleTime: 30_000 });
  return (
    <CountFilter
      label="Status"
      value={filters.status}
      total={totals && MESSAGE_STATUSES.reduce((sum, status) => sum + totals[status], 0)}
      counts={SHOWN_STATUSES.map((status) => ({
        value: status,
        title: <StatusMark status={status} />,
        count: totals?.[status],
      }))}
      unit="in 24 h"
      onChange={(status) => change({ status })}
    />
  );
}
