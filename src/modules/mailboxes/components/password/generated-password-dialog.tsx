import { trpc } from '@/components/api/trpc';
import { SecretDialog } from '@/components/dialogs/secret-dialog';
import { NearLink } from '@/components/near-link';
import { ClientSettingsRows } from '../client-settings/client-settings';

type GeneratedPasswordDialogProps = { mailbox: { id: string; email: string }; password: string; onStored: () => void };

export function GeneratedPasswordDialog({ mailbox, password, onStored }: GeneratedPasswordDialogProps) {
  const { data } = trpc.mailboxes.clientSettings.useQuery({ id: mailbox.id });
  return (
    <SecretDialog
      title={`Copy the password for ${mailbox.email}`}
      secret={password}
      copyLabel="Copy password"
      facts={
        <>
          <ClientSettingsRows settings={data} />
          <dt>To hand over</dt>
          <dd>
            <NearLink className="act" href={`/mailboxes/${mailbox.id}/client-settings`} target="_blank">
              Printable page without the password
            </NearLink>
          </dd>
        </>
      }
      onDone={onStored}
    />
  );
}
