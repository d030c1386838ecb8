'use client';

import { useState } from 'react';
import { toProblem } from '@/components/api/problem';
import { trpc } from '@/components/api/trpc';
import { useRowActions } from '@/components/list/use-row-actions';
import { notify } from '@/components/notifications';
import type { QueuedMessage } from '../schema';
import type { BulkOutcome } from './bulk-result';

export type QueueAction = 'hold' | 'release' | 'retry' | 'delete';

/** The operations on queued messages. */
export function useQueueActions() {
  const utils = trpc.useUtils();
  const mutations = {
    hold: trpc.queue.hold.useMutation(),
    release: trpc.queue.release.useMutation(),
    retry: trpc.queue.retry.useMutation(),
    delete: trpc.queue.delete.useMutation(),
  };
  const flush = trpc.queue.flush.useMutation({
    onSuccess: ({ message }) => notify({ text: message }),
    onError: (error) => notify({ text: 'Couldn’t retry deferred messages', problem: toProblem(error) }),
    onSettled: () => utils.queue.invalidate(),
  });
  const [outcome, setOutcome] = useState<BulkOutcome | null>(null);
  const { run, isBusy } = useRowActions<QueuedMessage>({
    keyOf: ({ queue_id }) => queue_id,
    nameOf: ([queued]) => `message ${queued?.queue_id}`,
    refresh: () => utils.queue.invalidate(),
  });

  const act = (action: QueueAction, queued: QueuedMessage, onDone?: () => void): void => {
    if (isBusy) return;
    setOutcome(null);
    run({
      rows: [queued],
      verb: action,
      act: ({ queue_id }) => mutations[action].mutateAsync({ queue_id }),
      text: (_, [result]) => result?.message ?? '',
      undo: action === 'hold' ? () => act('release', queued) : undefined,
      onDone,
      takesFocus: action === 'delete',
    });
  };

  /** Acts on each message, also if others fail: some leave the queue meanwhile. */
  const actOnAll = (action: BulkOutcome['action'], rows: QueuedMessage[], onDone?: () => void): void => {
    const [only, ...others] = rows;
    if (only && others.length === 0) act(action, only, onDone);
    if (isBusy || others.length === 0) return;
    setOutcome(null);
    run({
      rows,
      verb: action,
      act: ({ queue_id }) => mutations[action].mutateAsync({ queue_id }),
      text: (done) => (action === 'retry' ? `Retrying ${done.length} messages now` : `Deleted ${done.length} messages`),
      onFailures: (failures, done) => setOutcome({ action, done, failures }),
      onDone,
      takesFocus: true,
    });
  };

  return {
    act,
    actOnAll,
    isBusy,
    /** The outcome of the last action on several messages, if it failed for some. */
    outcome,
    dismissOutcome: () => setOutcome(null),
    flushAll: () => flush.mutate({}),
    isFlushing: flush.isPending,
  };
}
