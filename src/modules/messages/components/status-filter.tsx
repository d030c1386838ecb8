'use client';

import { trpc } from '@/components/api/trpc';
import { StatusMark } from '@/components/marks/status-mark';
import { formatCount } from '@/lib/format';
import { MESSAGE_STATUSES } from '../schema';
import type { MessageFilters } from './use-message-filters';

const SHOWN_STATUSES = ['delivered', 'deferred', 'bounced', 'failed'] as const;

export function StatusFilter({ filters, change }: Pick<MessageFilters, 'filters' | 'change'>) {
  const overview = trpc.overview.get.useQuery({ domain_id: filters.domain ?? undefined }, { staleTime: 30_000 });
  const totals = overview.data?.totals;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset has its own border and legend.
    <div className="counts" role="group" aria-label="Status">
      <button type="button" aria-pressed={filters.status === null} onClick={() => change({ status: null })}>
        <span>All</span>
        <Figure isTotal value={totals && MESSAGE_STATUSES.reduce((sum, status) => sum + totals[status], 0)} />
      </button>
      {SHOWN_STATUSES.map((status) => (
        <button
          key={status}
          type="button"
          aria-pressed={filters.status === status}
          onClick={() => change({ status: filters.status === status ? null : status })}
        >
          <StatusMark status={status} />
          <Figure value={totals?.[status]} />
        </button>
      ))}
    </div>
  );
}

function Figure({ value, isTotal }: { value: number | undefined; isTotal?: boolean }) {
  return (
    <span>
      <b>{value === undefined ? '–' : formatCount(value)}</b>{' '}
      <small className={isTotal ? undefined : 'sr-only'}>in 24 h</small>
    </span>
  );
}
