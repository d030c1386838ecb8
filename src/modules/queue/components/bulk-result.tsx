'use client';

import { FailedRows } from '@/components/list/failed-rows';
import type { RowsOutcome } from '@/components/list/use-row-actions';
import { formatPlural } from '@/lib/format';
import type { QueuedMessage } from '../schema';

export type BulkOutcome = RowsOutcome<QueuedMessage> & { action: 'retry' | 'hold' | 'release' | 'delete' };

type BulkResultProps = { outcome: BulkOutcome; onDismiss: () => void };

const DONE = { retry: 'Retrying', hold: 'Held', release: 'Released', delete: 'Deleted' } as const;

/** The result of an action on several messages that failed for some of them. */
export function BulkResult({ outcome, onDismiss }: BulkResultProps) {
  return (
    <FailedRows
      outcome={outcome}
      action={{ done: DONE[outcome.action], verb: outcome.action }}
      countOf={(count) => formatPlural(count, 'message')}
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
