'use client';

import { FailedRows } from '@/components/list/failed-rows';
import type { Failure } from '@/components/list/use-row-actions';
import { formatPlural } from '@/lib/format';
import type { QueuedMessage } from '../schema';

export type BulkOutcome = {
  action: 'retry' | 'hold' | 'release' | 'delete';
  done: QueuedMessage[];
  failures: Failure<QueuedMessage>[];
};

type BulkResultProps = { outcome: BulkOutcome; onDismiss: () => void };

const DONE = { retry: 'Retrying', hold: 'Held', release: 'Released', delete: 'Deleted' } as const;
const FAILED = {
  retry: 'Couldn’t retry',
  hold: 'Couldn’t hold',
  release: 'Couldn’t release',
  delete: 'Couldn’t delete',
} as const;

/** The result of an action on several messages that failed for some of them. */
export function BulkResult({ outcome, onDismiss }: BulkResultProps) {
  const { action, done, failures } = outcome;
  const failed = `${FAILED[action]} ${formatPlural(failures.length, 'message')}`;
  return (
    <FailedRows
      title={done.length === 0 ? failed : `${DONE[action]} ${formatPlural(done.length, 'message')}. ${failed}`}
      failures={failures}
      keyOf={(row) => row.queue_id}
      nameOf={(row) => (
        <>
          <span className="mono">{row.recipients[0]?.address ?? row.queue_id}</span>
          {row.recipient_count > 1 && <span className="quiet"> +{row.recipient_count - 1}</span>}
        </>
      )}
      onDismiss={onDismiss}
    />
  );
}
