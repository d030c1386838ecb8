'use client';

import { useRef, useState } from 'react';
import { toProblem } from '@/components/api/problem';
import { trpc } from '@/components/api/trpc';
import type { Notice } from '@/components/notification';
import type { Webhook } from '../schema';
import { hostOf } from './webhook-values';

/** Activates and deactivates webhooks one at a time, with undo, and holds the notice that reports it. */
export function useWebhookActions() {
  const utils = trpc.useUtils();
  const update = trpc.webhooks.update.useMutation();
  const [notice, setNotice] = useState<Notice | null>(null);
  const [pending, setPending] = useState<ReadonlyMap<string, { active: boolean }>>(new Map());
  const queue = useRef(Promise.resolve());
  const count = useRef(0);

  const notify = (text: string, more: Omit<Notice, 'key' | 'text'> = {}) => {
    count.current += 1;
    setNotice({ key: count.current, text, ...more });
  };

  const setActive = (webhook: Webhook, active: boolean) => {
    const { id, url } = webhook;
    const wanted = { active };
    setPending((before) => new Map([...before, [id, wanted]]));
    queue.current = queue.current.then(async () => {
      try {
        utils.webhooks.get.setData({ id }, await update.mutateAsync({ id, active }));
        notify(`${active ? 'Activated' : 'Deactivated'} ${hostOf(url)}`, { undo: () => setActive(webhook, !active) });
      } catch (error) {
        notify(`Couldn’t ${active ? 'activate' : 'deactivate'} ${hostOf(url)}`, { problem: toProblem(error) });
      }
      await utils.webhooks.invalidate();
      setPending((before) => new Map([...before].filter(([, latest]) => latest !== wanted)));
    });
  };

  return {
    notice,
    notify,
    dismiss: () => setNotice(null),
    isActive: ({ id, active }: Webhook) => pending.get(id)?.active ?? active,
    setActive,
  };
}

export type Notify = ReturnType<typeof useWebhookActions>['notify'];
