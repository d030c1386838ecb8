import { Cell, Clipped, Copyable, RowLink } from '../data-table/cells';
import type { DataTableColumn } from '../data-table/data-table';
import { StatusMark } from '../marks/status-mark';
import { EmailAddress } from '../values/email-address';
import { StorageCell } from './storage';

type MailboxRow = {
  id: string;
  email: string;
  display_name: string;
  active: boolean;
  suspended: boolean;
  used_bytes: number;
  quota_bytes: number | null;
  percent_full: number | null;
};

/** Columns that the tables of mailboxes have in common. */
export const MAILBOX_COLUMNS: DataTableColumn<MailboxRow, 'local_part' | 'percent_full'>[] = [
  {
    header: 'Address',
    kind: 'copyable',
    mobile: 'lead',
    sortBy: 'local_part',
    sortNote: 'by the part before @',
    skeletonWidth: 200,
    cell: (mailbox) => (
      <Copyable value={mailbox.email} what="address">
        <Cell>
          <RowLink aria-label={mailbox.email} href={`/mailboxes/${mailbox.id}`}>
            <EmailAddress value={mailbox.email} />
          </RowLink>
          {hasState(mailbox) && (
            <span className="only-wide">
              <MailboxState mailbox={mailbox} />
            </span>
          )}
        </Cell>
      </Copyable>
    ),
  },
  {
    header: 'Name',
    width: 200,
    maxWidth: 360,
    isOptional: true,
    skeletonWidth: 120,
    className: 'soft',
    cell: ({ display_name }) => <Clipped text={display_name} />,
  },
  {
    header: 'Storage used',
    width: 296,
    sortBy: 'percent_full',
    firstOrder: 'desc',
    mobile: 'under',
    skeletonWidth: 160,
    cell: (mailbox) => (
      <StorageCell mailbox={mailbox}>
        {/* Beside the address, it would need a line more than other rows. */}
        {hasState(mailbox) && (
          <span className="only-narrow">
            <MailboxState mailbox={mailbox} />
          </span>
        )}
      </StorageCell>
    ),
  },
];

function hasState({ active, suspended }: MailboxRow): boolean {
  return suspended || !active;
}

type MailboxStateProps = { mailbox: { active: boolean; suspended: boolean } };

export function MailboxState({ mailbox: { active, suspended } }: MailboxStateProps) {
  if (suspended) return <StatusMark status="failed">Suspended</StatusMark>;
  return <StatusMark status={active ? 'on' : 'off'} />;
}
