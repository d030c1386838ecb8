'use client';

import { useRef, useState } from 'react';
import { toProblem } from '@/components/api/problem';
import { trpc } from '@/components/api/trpc';
import type { Notice } from '@/components/notification';
import type { QueuedMessage } from '../schema';

export type QueueAct = 'hold' | 'release' | 'retry' | 'delete';

const FAILED: Record<QueueAct, string> = {
  hold: 'was not put on hold',
  release: 'was not released',
  retry: 'was not tried',
  delete: 'was not deleted',
};

/** What is done to the queue, and the notice that tells of it. */
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

  const say = (text: string, more: Omit<Notice, 'key' | 'text'> = {}) => {
    count.current += 1;
    setNotice({ key: count.current, text, ...more });
  };

  const isBusy = Object.values(mutations).some(({ isPending }) => isPending);

  const act = async (what: QueueAct, queued: QueuedMessage, onDone?: () => void) => {
    if (isBusy) return;
    const { queue_id } = queued;
    try {
      const { message } = await mutations[what].mutateAsync({ queue_id });
      onDone?.();
      const undo = what === 'hold' ? () => void act('release', queued) : undefined;
      say(message, { undo, takesFocus: what === 'delete' });
    } catch (error) {
      onDone?.();
      say(`The message ${queue_id} ${FAILED[what]}`, { problem: toProblem(error) });
    }
    await utils.queue.invalidate();
  };

  const flushAll = async () => {
    try {
      say((await flush.mutateAsync({})).message);
    } catch (error) {
      say('The deferred mail was not tried', { problem: toProblem(error) });
    }
    await utils.queue.invalidate();
  };

  return {
    notice,
    dismiss: () => setNotice(null),
    act,
    flushAll,
    isFlushing: flush.isPending,
    isBusy,
  };
}
