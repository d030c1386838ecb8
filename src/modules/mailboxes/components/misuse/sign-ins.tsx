import { trpc } from '@/components/api/trpc';
import { Cell } from '@/components/data-table/cells';
import { DataTable, type DataTableColumn } from '@/components/data-table/data-table';
import { ErrorState, NoRows } from '@/components/data-table/states';
import { SettingsSection } from '@/components/settings-section';
import { TimeAgo } from '@/components/values/time-ago';
import type { MailboxSignIns } from '../../schema';

/** Who reads the mailbox, also without sending. */
export function SignIns({ mailboxId }: { mailboxId: string }) {
  const query = trpc.mailboxes.signIns.useQuery({ id: mailboxId });
  const rows = query.data?.sign_ins;
  return (
    <SettingsSection
      title="Sign-ins"
      hint="Mail programs that signed in within 30 days, also those that only read. Look for networks the owner never uses."
    >
      {query.isError && !rows && (
        <ErrorState what="the sign-ins" error={query.error} onRetry={() => void query.refetch()} />
      )}
      {rows?.length === 0 && <NoRows>No sign-ins in the last 30 days.</NoRows>}
      {rows !== undefined && rows.length > 0 && (
        <DataTable
          caption="Sign-ins by address"
          columns={COLUMNS}
          rows={rows}
          rowKey={({ client_address, protocol }) => `${client_address} ${protocol}`}
        />
      )}
    </SettingsSection>
  );
}

const PROTOCOLS: Record<string, string> = { imap: 'Reads mail', smtp: 'Sends mail', sieve: 'Edits filters' };

const COLUMNS: DataTableColumn<MailboxSignIns['sign_ins'][number]>[] = [
  {
    header: 'Signed in from',
    mobile: 'lead',
    cell: ({ client_address: address }) => (
      <Cell>
        <span className="mono">{address ?? 'this host'}</span>
      </Cell>
    ),
  },
  { header: 'For', width: 128, mobile: 'side', cell: ({ protocol }) => PROTOCOLS[protocol] ?? protocol.toUpperCase() },
  { header: 'First', width: 128, mobile: 'none', cell: ({ first_at }) => <TimeAgo iso={first_at} /> },
  { header: 'Last', width: 128, mobile: 'under', cell: ({ last_at }) => <TimeAgo iso={last_at} /> },
];
