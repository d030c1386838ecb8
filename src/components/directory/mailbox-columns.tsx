import { Cell, Clipped, Copyable, RowLink } from '../data-table/cells';
import type { DataTableColumn } from '../data-table/data-table';
import { StatusMark } from '../marks/status-mark';
import { EmailAddress } from '../values/email-address';
import classes from './mailbox-columns.module.css';
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

/** What the tables of mailboxes have in common. */
export const MAILBOX_COLUMNS: DataTableColumn<MailboxRow>[] = [
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
          {(mailbox.suspended || !mailbox.active) && (
            <span className={classes.state}>
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
    cell: (mailbox) => <StorageCell mailbox={mailbox} />,
  },
];

type MailboxStateProps = { mailbox: { active: boolean; suspended: boolean } };

export function MailboxState({ mailbox: { active, suspended } }: MailboxStateProps) {
  if (suspended) return <StatusMark status="failed">Suspended</StatusMark>;
  return <StatusMark status={active ? 'on' : 'off'} />;
}
