'use client';

import { StatusMark } from '@/components/marks/status-mark';
import { formatCount } from '@/lib/format';
import type { QueueSummary } from '../schema';
import { QUEUE_LABELS } from './queue-labels';
import type { QueueFilters } from './use-queue-filters';

const SHOWN = ['deferred', 'active', 'incoming', 'hold'] as const;

type QueueCountsProps = Pick<QueueFilters, 'filters' | 'change'> & { summary: QueueSummary | undefined };

export function QueueCounts({ filters, change, summary }: QueueCountsProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset adds a border and needs a legend.
    <div className="counts" role="group" aria-label="Status">
      <button type="button" aria-pressed={filters.queue === null} onClick={() => change({ queue: null })}>
        <span>All</span>
        <Figure value={summary?.total} />
      </button>
      {SHOWN.map((queue) => (
        <button
          key={queue}
          type="button"
          aria-pressed={filters.queue === queue}
          onClick={() => change({ queue: filters.queue === queue ? null : queue })}
        >
          <StatusMark status={QUEUE_LABELS[queue][0]}>{QUEUE_LABELS[queue][1]}</StatusMark>
          <Figure value={summary?.counts[queue]} />
        </button>
      ))}
    </div>
  );
}

function Figure({ value }: { value: number | undefined }) {
  return (
    <span>
      <b>{value === undefined ? '–' : formatCount(value)}</b>
    </span>
  );
}
