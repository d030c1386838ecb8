'use client';

import { useRef, useState } from 'react';
import { toProblem } from '@/components/api/problem';
import { trpc } from '@/components/api/trpc';
import type { Notice } from '@/components/notification';
import type { QueuedMessage } from '../schema';

export type QueueAction = 'hold' | 'release' | 'retry' | 'delete';

/** The operations on queued messages, and the notification of the last one. */
export function useQueueActions() {
  const utils = trpc.useUtils();
  const mutations = {
    hold: trpc.queue.hold.useMutation(),
    release: trpc.queue.release.useMutation(),
    retry: trpc.queue.retry.useMutation(),
    delete: trpc.queue.delete.useMutation(),
  };
  const flush = trpc.queue.flush.useMutation();
  const [notice, setNotice] = useState<Notice | null>(null);
  const count = useRef(0);

  const notify = (text: string, more: Omit<Notice, 'key' | 'text'> = {}) => {
    count.current += 1;
    setNotice({ key: count.current, text, ...more });
  };

  const isBusy = Object.values(mutations).some(({ isPending }) => isPending);

  const run = async (action: QueueAction, queued: QueuedMessage, onDone?: () => void) => {
    if (isBusy) return;
    const { queue_id } = queued;
    try {
      const { message } = await mutations[action].mutateAsync({ queue_id });
      onDone?.();
      const undo = action === 'hold' ? () => void run('release', queued) : undefined;
      notify(message, { undo, takesFocus: action === 'delete' });
    } catch (error) {
      onDone?.();
      notify(`Couldn’t ${action} message ${queue_id}`, { problem: toProblem(error) });
    }
    await utils.queue.invalidate();
  };

  const flushAll = async () => {
    try {
      notify((await flush.mutateAsync({})).message);
    } catch (error) {
      notify('Couldn’t retry deferred messages', { problem: toProblem(error) });
    }
    await utils.queue.invalidate();
  };

  return {
    notice,
    dismiss: () => setNotice(null),
    run,
    flushAll,
    isFlushing: flush.isPending,
    isBusy,
  };
}
