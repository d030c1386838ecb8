'use client';

import { toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { Dialog } from '@/components/dialogs/dialog';
import { notify } from '@/components/notifications';
import type { DeletedRecord } from '../schema';

/** The consequences of restoring each kind of record: which parts come back, and which don't. */
const CONSEQUENCES: Record<DeletedRecord['kind'], string> = {
  alias: 'The alias comes back with its destinations, and mail is forwarded again.',
  domain:
    'The domain comes back with its DKIM keys, filters, webhooks, templates and suppressions. If a super admin restores it, domain admins who ' +
    'were assigned to it have access again. Restore its mailboxes and aliases afterwards.',
  mailbox:
    'The mailbox comes back with its password, filters and the mail that is still on the mail server. Mail that was rejected ' +
    'meanwhile isn’t recovered. A domain that read its reports in this mailbox has to be set up for that again.',
  sieve_filter: 'The filter comes back in its former position, and takes effect with the next message.',
  template: 'The template comes back with its versions, and messages can be sent with it again.',
  webhook:
    'The webhook comes back with its secret and gets events from now on. Events that it missed aren’t delivered.',
};

type RestoreRecordDialogProps = { record: DeletedRecord; opened: boolean; onClose: () => void };

export function RestoreRecordDialog({ record, opened, onClose }: RestoreRecordDialogProps) {
  const utils = trpc.useUtils();
  const restore = trpc.deletedRecords.restore.useMutation({
    onSuccess: async () => {
      onClose();
      notify({ text: `Restored ${record.name}` });
      await utils.invalidate();
    },
  });
  return (
    <Dialog
      opened={opened}
      title={`Restore ${record.name}`}
      action="Restore"
      isBusy={restore.isPending}
      onClose={onClose}
      onSubmit={(event) => {
        event.preventDefault();
        restore.mutate({ id: record.id });
      }}
    >
      <p className="soft">{CONSEQUENCES[record.kind]}</p>
      <ProblemAlert problem={restore.error && toProblem(restore.error)} title={`Couldn’t restore ${record.name}`} />
    </Dialog>
  );
}
