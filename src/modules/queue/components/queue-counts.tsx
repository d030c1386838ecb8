'use client';

import { CountFilter } from '@/components/layout/count-filter';
import { StatusMark } from '@/components/marks/status-mark';
import type { QueueSummary } from '../schema';
import { QUEUE_LABELS } from './queue-labels';
import type { QueueSearch } from './use-queue-search';

const SHOWN = ['deferred', 'active', 'incoming', 'hold'] as const;

type QueueCountsProps = Pick<QueueSearch, 'values' | 'change'> & { summary: QueueSummary | undefined };

export function QueueCounts({ values, change, summary }: QueueCountsProps) {
  return (
    <CountFilter
      label="Status"
      value={values.queue}
      total={summary?.total}
      counts={SHOWN.map((queue) => ({
        value: queue,
        title: <StatusMark status={QUEUE_LABELS[queue][0]}>{QUEUE_LABELS[queue][1]}</StatusMark>,
        count: summary?.counts[queue],
      }))}
      onChange={(queue) => change({ queue })}
    />
  );
}
