import { RowLink } from '@/components/data-table/cells';
import type { DataTableColumn } from '@/components/data-table/data-table';
import { EmailAddress } from '@/components/values/email-address';
import { formatDate } from '@/lib/format';
import type { Mailbox } from '../../schema';
import { MailboxState } from '../mailbox-state';
import { StorageCell } from '../storage';

export const MAILBOX_COLUMNS: DataTableColumn<Mailbox>[] = [
  {
    key: 'state',
    header: 'Status',
    width: 116,
    kind: 'mark',
    mobile: 'mark',
    cell: (mailbox) => <MailboxState mailbox={mailbox} />,
  },
  {
    key: 'address',
    header: 'Address',
    mobile: 'lead',
    sortBy: 'local_part',
    skeletonWidth: 200,
    cell: ({ id, email }) => (
      <RowLink aria-label={email} href={`/mailboxes/${id}`}>
        <EmailAddress value={email} />
      </RowLink>
    ),
  },
  {
    key: 'name',
    header: 'Name',
    isOptional: true,
    skeletonWidth: 120,
    className: 'soft',
    cell: ({ display_name }) => <span className="clip">{display_name}</span>,
  },
  {
    key: 'storage',
    header: 'Storage used',
    width: 296,
    mobile: 'under',
    skeletonWidth: 160,
    cell: (mailbox) => <StorageCell mailbox={mailbox} />,
  },
  {
    key: 'added',
    header: 'Added',
    width: 112,
    kind: 'figure',
    sortBy: 'created_at',
    skeletonWidth: 64,
    className: 'soft',
    cell: ({ created_at }) => formatDate(created_at),
  },
];
