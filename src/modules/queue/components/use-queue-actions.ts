'use client';

import { useState } from 'react';
import { toProblem } from '@/components/api/problem';
import { trpc } from '@/components/api/trpc';
import { useRowActions } from '@/components/list/use-row-actions';
import { notify } from '@/components/notifications';
import { formatPlural } from '@/lib/format';
import type { QueuedMessage } from '../schema';
import type { BulkOutcome } from './bulk-result';

/** The longest page of the list. */
export const MAX_AT_ONCE = 200;

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
      text: (done) => DONE[action](done.length),
      undo: action === 'hold' ? (done) => actOnAll('release', done) : undefined,
      onFailures: (failures, done) => setOutcome({ action, done, failures }),
      onDone,
      takesFocus: true,
    });
  };

  /** Reads the messages of a sender that are being retried. */
  const readRetried = async (from: string): Promise<QueuedMessage[]> => {
    try {
      const { items } = await utils.queue.list.fetch({ from, limit: MAX_AT_ONCE });
      return items.filter(({ queue }) => queue !== 'hold');
    } catch (error) {
      notify({ text: `Couldn’t read the messages from ${from}`, problem: toProblem(error) });
      return [];
    }
  };

  /** Puts the messages of suspended senders on hold, and retries the others unless one couldn't be held. */
  const flushOthers = async (senders: string[]): Promise<void> => {
    const rows: QueuedMessage[] = [];
    try {
      for (const from of senders) rows.push(...(await readDeferred(from)));
    } catch (error) {
      notify({ text: 'Couldn’t read the messages of suspended senders', problem: toProblem(error) });
      return;
    }
    if (isBusy) return;
    if (rows.length === 0) return flush.mutate({});
    setOutcome(null);
    run({
      rows,
      verb: 'hold',
      act: ({ queue_id }) => mutations.hold.mutateAsync({ queue_id }),
      text: (done) => `${DONE.hold(done.length)}. Retrying the others`,
      onFailures: (failures, done) => setOutcome({ action: 'hold', done, failures }),
      onDone: (done) => {
        if (done.length === rows.length) flush.mutate({});
      },
      takesFocus: true,
    });
  };

  /** All pages, because what isn't held is retried with the messages of others. */
  const readDeferred = async (from: string): Promise<QueuedMessage[]> => {
    const rows: QueuedMessage[] = [];
    let cursor: string | undefined;
    do {
      const { items, pagination } = await utils.queue.list.fetch(
        { from, queue: 'deferred', limit: MAX_AT_ONCE, cursor },
        { staleTime: 0 },
      );
      rows.push(...items);
      cursor = pagination.next_cursor || undefined;
    } while (cursor);
    return rows;
  };

  return {
    act,
    actOnAll,
    readRetried,
    isBusy,
    /** The outcome of the last action on several messages, if it failed for some. */
    outcome,
    dismissOutcome: () => setOutcome(null),
    flushAll: () => flush.mutate({}),
    flushOthers,
    isFlushing: flush.isPending,
  };
}

const DONE: Record<BulkOutcome['action'], (count: number) => string> = {
  retry: (count) => `Retrying ${count} messages now`,
  hold: (count) => `Put ${formatPlural(count, 'message')} on hold`,
  release: (count) => `Released ${count} messages`,
  delete: (count) => `Deleted ${count} messages`,
};
