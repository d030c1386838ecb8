'use client';

import { useRef, useState } from 'react';
import { toProblem } from '@/components/api/problem';
import { trpc } from '@/components/api/trpc';
import type { Notice } from '@/components/notification';
import type { Webhook } from '../schema';
import { hostOf } from './webhook-values';

/** Switching webhooks, one after the other, each with its way back; and the notice that says what was done. */
export function useWebhookActions() {
  const utils = trpc.useUtils();
  const update = trpc.webhooks.update.useMutation();
  const [notice, setNotice] = useState<Notice | null>(null);
  const [switched, setSwitched] = useState<ReadonlyMap<string, { active: boolean }>>(new Map());
  const queue = useRef(Promise.resolve());
  const count = useRef(0);

  const say = (text: string, more: Omit<Notice, 'key' | 'text'> = {}) => {
    count.current += 1;
    setNotice({ key: count.current, text, ...more });
  };

  const switchTo = (webhook: Webhook, active: boolean) => {
    const { id, url } = webhook;
    const wanted = { active };
    setSwitched((before) => new Map([...before, [id, wanted]]));
    queue.current = queue.current.then(async () => {
      try {
        utils.webhooks.get.setData({ id }, await update.mutateAsync({ id, active }));
        say(active ? `${hostOf(url)} is on` : `${hostOf(url)} is off: it gets nothing until it is on again`, {
          undo: () => switchTo(webhook, !active),
        });
      } catch (error) {
        say(`${hostOf(url)} could not be switched ${active ? 'on' : 'off'}`, { problem: toProblem(error) });
      }
      await utils.webhooks.invalidate();
      setSwitched((before) => new Map([...before].filter(([, latest]) => latest !== wanted)));
    });
  };

  return {
    notice,
    say,
    dismiss: () => setNotice(null),
    isOn: ({ id, active }: Webhook) => switched.get(id)?.active ?? active,
    switchTo,
  };
}

export type Say = ReturnType<typeof useWebhookActions>['say'];
