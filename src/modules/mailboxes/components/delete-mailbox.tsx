'use client';

import { useRouter } from 'next/navigation';
import { ifUnchanged } from '@/components/api/if-unchanged';
import { trpc } from '@/components/api/trpc';
import { useNotifyDeleted } from '@/components/changes/use-notify-deleted';
import { DeleteSection } from '@/components/dialogs/delete-section';
import type { Mailbox } from '../schema';

export function DeleteMailbox({ mailbox }: { mailbox: Mailbox }) {
  const router = useRouter();
  const utils = trpc.useUtils();
  const notifyDeleted = useNotifyDeleted();
  const deletion = trpc.mailboxes.delete.useMutation({
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
    <DeleteSection
      hint="The message history is kept."
      note="Deleting ends all sign-ins. To pause the mailbox, deactivate it instead."
      action="Delete mailbox"
      name={mailbox.email}
      typeToConfirm={mailbox.email}
      consequence="New mail to this address is rejected, or goes to an alias or catch-all if there is one. It can be restored for 30 days under Recently deleted."
      deletion={deletion}
      onConfirm={() => deletion.mutate(ifUnchanged('mailbox', mailbox, { id: mailbox.id }))}
    />
  );
}
