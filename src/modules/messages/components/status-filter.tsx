'use client';

import { trpc } from '@/components/api/trpc';
import { CountFilter } from '@/components/layout/count-filter';
import { StatusMark } from '@/components/marks/status-mark';
import { MESSAGE_STATUSES } from '../schema';
import type { MessageSearch } from './use-message-search';

const SHOWN_STATUSES = ['delivered', 'deferred', 'bounced', 'failed'] as const;

export function StatusFilter({ values, change }: Pick<MessageSearch, 'values' | 'change'>) {
  const domainId = values.domain ?? undefined;
  const { data: totals } = trpc.messages.totals.useQuery({ domain_id: domainId }, { staleTime: 30_000 });
  return (
    <CountFilter
      label="Status"
      value={values.status}
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
