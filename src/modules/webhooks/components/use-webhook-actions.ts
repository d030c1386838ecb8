'use client';

import { ifUnchanged } from '@/components/api/if-unchanged';
import { trpc } from '@/components/api/trpc';
import { useActiveActions } from '@/components/list/use-row-actions';
import type { Webhook } from '../schema';
import { hostOf } from './webhook-values';

/** Activates and deactivates webhooks, with undo. */
export function useWebhookActions<Row extends Webhook = Webhook>() {
  const utils = trpc.useUtils();
  const update = trpc.webhooks.update.useMutation({
    onSuccess: (webhook) => utils.webhooks.get.setData({ id: webhook.id }, webhook),
  });
  const { setActive, latest } = useActiveActions<Row>({
    keyOf: ({ id }) => id,
    nameOf: ([webhook]) => (webhook ? hostOf(webhook.url) : ''),
    update: (row, change) => update.mutateAsync(ifUnchanged('webhook', row, { id: row.id, ...change })),
    refresh: () => utils.webhooks.invalidate(),
  });
  return { latest, setActive: (webhook: Row, active: boolean) => setActive([webhook], active) };
}
