'use client';

import { useRouter } from 'next/navigation';
import { ifUnchanged } from '@/components/api/if-unchanged';
import { trpc } from '@/components/api/trpc';
import { useNotifyDeleted } from '@/components/changes/use-notify-deleted';
import { DeleteSection } from '@/components/dialogs/delete-section';
import type { Webhook } from '../../schema';
import { hostOf } from '../webhook-values';

export function DeleteWebhook({ webhook }: { webhook: Webhook }) {
  const router = useRouter();
  const utils = trpc.useUtils();
  const notifyDeleted = useNotifyDeleted();
  const host = hostOf(webhook.url);
  const deletion = trpc.webhooks.delete.useMutation({
    onSuccess: async () => {
      notifyDeleted({ id: webhook.id, name: `the webhook for ${host}` });
      router.push('/webhooks');
      await Promise.all([utils.webhooks.list.invalidate(), utils.overview.invalidate()]);
    },
  });

  return (
    <DeleteSection
      hint="Also deletes its deliveries and cancels their retries."
      note="The endpoint gets no more events. To pause deliveries, deactivate the webhook instead."
      action="Delete webhook"
      name={`the webhook for ${host}`}
      typeToConfirm={host}
      consequence="Its delivery history is deleted too. For 30 days, it can be restored under Recently deleted, with its secret."
      deletion={deletion}
      onConfirm={() => deletion.mutate(ifUnchanged('webhook', webhook, { id: webhook.id }))}
    />
  );
}
