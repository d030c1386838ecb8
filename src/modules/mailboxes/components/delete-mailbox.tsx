'use client';

import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useRouter } from 'next/navigation';
import { toProblem } from '@/components/api/problem';
import { trpc } from '@/components/api/trpc';
import { ConfirmDialog } from '@/components/dialogs/confirm-dialog';
import { SettingsSection } from '@/components/settings-section';
import type { Mailbox } from '../schema';

export function DeleteMailbox({ mailbox }: { mailbox: Mailbox }) {
  const router = useRouter();
  const utils = trpc.useUtils();
  const [opened, dialog] = useDisclosure(false);
  const remove = trpc.mailboxes.delete.useMutation({
    onSuccess: async () => {
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
    <SettingsSection title="Delete" hint="Messages already sent stay in the list.">
      <div className="form-column">
        <p className="soft">Nobody signs in to it any more. To stop it for a while, switch it off instead.</p>
        <div>
          <Button className="danger" onClick={dialog.open}>
            Delete the mailbox
          </Button>
        </div>
      </div>
      <ConfirmDialog
        opened={opened}
        title={`Delete ${mailbox.email}`}
        action="Delete the mailbox"
        typeToConfirm={mailbox.email}
        problem={remove.error ? toProblem(remove.error) : null}
        isBusy={remove.isPending}
        onClose={() => {
          remove.reset();
          dialog.close();
        }}
        onConfirm={() => remove.mutate({ id: mailbox.id })}
      >
        <p className="soft">
          Mail for it is refused from this moment, or goes to an alias or the catch-all where there is one. This cannot
          be undone.
        </p>
      </ConfirmDialog>
    </SettingsSection>
  );
}
