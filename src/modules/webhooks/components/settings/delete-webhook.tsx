'use client';

import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useRouter } from 'next/navigation';
import { ifUnchanged } from '@/components/api/if-unchanged';
import { toProblem } from '@/components/api/problem';
import { trpc } from '@/components/api/trpc';
import { useNotifyDeleted } from '@/components/changes/use-notify-deleted';
import { ConfirmDialog } from '@/components/dialogs/confirm-dialog';
import { FormColumn } from '@/components/layout/form-layout';
import { SettingsSection } from '@/components/settings-section';
import type { Webhook } from '../../schema';
import { hostOf } from '../webhook-values';

export function DeleteWebhook({ webhook }: { webhook: Webhook }) {
  const router = useRouter();
  const utils = trpc.useUtils();
  const notifyDeleted = useNotifyDeleted();
  const [opened, dialog] = useDisclosure(false);
  const host = hostOf(webhook.url);
  const remove = trpc.webhooks.delete.useMutation({
    onSuccess: async () => {
      notifyDeleted({ id: webhook.id, name: `the webhook for ${host}` });
      router.push('/webhooks');
      await Promise.all([utils.webhooks.list.invalidate(), utils.overview.invalidate()]);
    },
  });

  return (
    <SettingsSection title="Delete" hint="Also deletes its deliveries and cancels their retries.">
      <FormColumn>
        <p className="soft">The endpoint gets no more events. To pause deliveries, deactivate the webhook instead.</p>
        <div>
          <Button className="danger" onClick={dialog.open}>
            Delete webhook
          </Button>
        </div>
      </FormColumn>
      <ConfirmDialog
        opened={opened}
        title={`Delete the webhook for ${host}`}
        action="Delete webhook"
        typeToConfirm={host}
        problem={remove.error ? toProblem(remove.error) : null}
        isBusy={remove.isPending}
        onClose={() => {
          remove.reset();
          dialog.close();
        }}
        onConfirm={() => remove.mutate(ifUnchanged('webhook', webhook, { id: webhook.id }))}
      >
        <p className="soft">
          Its delivery history is deleted too. For 30 days, it can be restored under Recently deleted, with its secret.
        </p>
      </ConfirmDialog>
    </SettingsSection>
  );
}
