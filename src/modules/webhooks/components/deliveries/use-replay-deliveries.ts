'use client';

import { useState } from 'react';
import { trpc } from '@/components/api/trpc';
import { type RowsOutcome, useRowActions } from '@/components/list/use-row-actions';
import { formatPlural } from '@/lib/format';
import type { Delivery } from '../../schema';

/** Replays deliveries of a webhook, each also if others fail. */
export function useReplayDeliveries(webhookId: string) {
  const utils = trpc.useUtils();
  const mutation = trpc.webhooks.replay.useMutation();
  const [outcome, setOutcome] = useState<RowsOutcome<Delivery> | null>(null);
  const nameOf = (rows: Delivery[]) => formatPlural(rows.length, 'delivery', 'deliveries');
  const { run, isBusy } = useRowActions<Delivery>({
    keyOf: ({ id }) => id,
    nameOf,
    refresh: () => utils.webhooks.invalidate(),
  });
  return {
    isBusy,
    outcome,
    dismissOutcome: () => setOutcome(null),
    replayAll: (rows: Delivery[]): void => {
      setOutcome(null);
      run({
        rows,
        verb: 'replay',
        act: ({ id }) => mutation.mutateAsync({ id: webhookId, delivery_id: id }),
        text: (done) => `Replaying ${nameOf(done)}`,
        onFailures: (failures, done) => setOutcome({ failures, done }),
        takesFocus: true,
      });
    },
  };
}

export function nameOfDelivery({ event, recipient, is_test }: Delivery): string {
  return `${event}, ${is_test ? 'test' : recipient}`;
}
