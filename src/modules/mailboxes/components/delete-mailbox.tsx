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
import type { Mailbox } from '../schema';

export function DeleteMailbox({ mailbox }: { mailbox: Mailbox }) {
  const router = useRouter();
  const utils = trpc.useUtils();
  const notifyDeleted = useNotifyDeleted();
  const [opened, dialog] = useDisclosure(false);
  const remove = trpc.mailboxes.delete.useMutation({
    onSuccess: async () => {
      notifyDeleted({ id: mailbox.id, name: mailbox.email });
      router.push('/mailboxes');
      await Promise.all([
        utils.mailboxes.list.invalidate(),
        utils.domains.invalidate(),
        utils.aliases.invalidate(),
        utils.overview.invalidate(),
      ]);
    },
  });

  return (
    <SettingsSection title="Delete" hint="The message history is kept.">
      <FormColumn>
        <p className="soft">Deleting ends all sign-ins. To pause the mailbox, deactivate it instead.</p>
        <div>
          <Button className="danger" onClick={dialog.open}>
            Delete mailbox
          </Button>
        </div>
      </FormColumn>
      <ConfirmDialog
        opened={opened}
        title={`Delete ${mailbox.email}`}
        action="Delete mailbox"
        typeToConfirm={mailbox.email}
        problem={remove.error ? toProblem(remove.error) : null}
        isBusy={remove.isPending}
        onClose={() => {
          remove.reset();
          dialog.close();
        }}
        onConfirm={() => remove.mutate(ifUnchanged('mailbox', mailbox, { id: mailbox.id }))}
      >
        <p className="soft">
          New mail to this address is rejected, or goes to an alias or catch-all if there is one. It can be restored for
          30 days under Recently deleted.
        </p>
      </ConfirmDialog>
    </SettingsSection>
  );
}
