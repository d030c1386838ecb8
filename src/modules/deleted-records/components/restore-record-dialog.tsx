'use client';

import { Checkbox } from '@mantine/core';
import { useState } from 'react';
import { toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { Dialog } from '@/components/dialogs/dialog';
import { notify } from '@/components/notifications';
import { formatPlural } from '@/lib/format';
import type { DeletedRecord } from '../schema';

/** The consequences of restoring each kind of record: which parts come back, and which don't. */
const CONSEQUENCES: Record<DeletedRecord['kind'], string> = {
  alias: 'The alias comes back with its destinations, and mail is forwarded again.',
  domain:
    'The domain comes back with its DKIM keys, filters, webhooks, templates and suppressions. If a super admin restores it, domain admins who ' +
    'were assigned to it have access again.',
  mailbox:
    'The mailbox comes back with its password, filters and the mail that is still on the mail server. Mail that was rejected ' +
    'meanwhile isn’t recovered. A domain that read its reports in this mailbox has to be set up for that again.',
  sieve_filter: 'The filter comes back in its former position, and takes effect with the next message.',
  suppression:
    'Mail to these addresses is suppressed again, for the former reasons. One that was suppressed again meanwhile stays as it is.',
  template: 'The template comes back with its versions, and messages can be sent with it again.',
  webhook:
    'The webhook comes back with its secret and gets events from now on. Events that it missed aren’t delivered.',
};

type RestoreRecordDialogProps = {
  record: DeletedRecord;
  opened: boolean;
  onClose: () => void;
  /** Called after a domain was restored, if its mailboxes and aliases are to be restored, too. */
  onRestoreAddresses: (domain: DeletedRecord) => void;
};

export function RestoreRecordDialog({ record, opened, onClose, onRestoreAddresses }: RestoreRecordDialogProps) {
  const utils = trpc.useUtils();
  const [isWithAddresses, setWithAddresses] = useState(false);
  const addresses = useDeletedAddresses(record);
  const restore = trpc.deletedRecords.restore.useMutation({
    onSuccess: async () => {
      onClose();
      notify({ text: `Restored ${record.name}` });
      if (isWithAddresses) onRestoreAddresses(record);
      await utils.invalidate();
    },
  });
  return (
    <Dialog
      opened={opened}
      isInUrl
      title={`Restore ${record.name}`}
      action="Restore"
      isBusy={restore.isPending}
      losesNothing
      onClose={onClose}
      onSubmit={(event) => {
        event.preventDefault();
        restore.mutate({ id: record.id });
      }}
    >
      <p className="soft">{CONSEQUENCES[record.kind]}</p>
      {addresses && (
        <Checkbox
          label={`Restore its ${addresses}, too`}
          checked={isWithAddresses}
          onChange={(event) => setWithAddresses(event.currentTarget.checked)}
        />
      )}
      <ProblemAlert problem={restore.error && toProblem(restore.error)} title={`Couldn’t restore ${record.name}`} />
    </Dialog>
  );
}

/** The mailboxes and aliases that can be restored with this domain, such as "2 mailboxes and 1 alias". */
function useDeletedAddresses({ id, kind }: DeletedRecord): string {
  const counted = { domain_id: id, limit: 1, total: true };
  const enabled = kind === 'domain';
  const mailboxes = trpc.deletedRecords.list.useQuery({ ...counted, kind: 'mailbox' }, { enabled });
  const aliases = trpc.deletedRecords.list.useQuery({ ...counted, kind: 'alias' }, { enabled });
  const totals = [mailboxes, aliases].map(({ data }) => data?.pagination.total ?? 0);
  const [ofMailboxes = 0, ofAliases = 0] = totals;
  return [
    ofMailboxes > 0 && formatPlural(ofMailboxes, 'mailbox', 'mailboxes'),
    ofAliases > 0 && formatPlural(ofAliases, 'alias', 'aliases'),
  ]
    .filter((part) => part !== false)
    .join(' and ');
}
