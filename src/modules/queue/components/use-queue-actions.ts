'use client';

import { toProblem } from '@/components/api/problem';
import { trpc } from '@/components/api/trpc';
import { useRowActions } from '@/components/list/use-row-actions';
import { notify } from '@/components/notifications';
import type { QueuedMessage } from '../schema';

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
  const { run, isBusy } = useRowActions<QueuedMessage>({
    keyOf: ({ queue_id }) => queue_id,
    nameOf: ([queued]) => `message ${queued?.queue_id}`,
    refresh: () => utils.queue.invalidate(),
  });

  const act = (action: QueueAction, queued: QueuedMessage, onDone?: () => void): void => {
    if (isBusy) return;
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

  return { act, isBusy, flushAll: () => flush.mutate({}), isFlushing: flush.isPending };
}
