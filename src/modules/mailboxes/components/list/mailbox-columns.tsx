import Link from 'next/link';
import { Addr } from '@/components/address';
import type { LedgerColumn } from '@/components/ledger/ledger';
import { formatDate } from '@/lib/format';
import type { Mailbox } from '../../schema';
import { MailboxState } from '../mailbox-state';
import { SpaceCell } from '../space';

export const MAILBOX_COLUMNS: LedgerColumn<Mailbox>[] = [
  {
    key: 'state',
    header: 'State',
    width: 116,
    kind: 'mark',
    fold: 'mark',
    cell: (mailbox) => <MailboxState mailbox={mailbox} />,
  },
  {
    key: 'address',
    header: 'Address',
    fold: 'lead',
    sortBy: 'local_part',
    bone: 200,
    cell: ({ id, email }) => (
      <Link className="link" aria-label={email} href={`/mailboxes/${id}`}>
        <Addr value={email} />
      </Link>
    ),
  },
  {
    key: 'name',
    header: 'Name',
    isSpare: true,
    bone: 120,
    className: 'soft',
    cell: ({ display_name }) => <span className="clip">{display_name}</span>,
  },
  {
    key: 'space',
    header: 'Space used',
    width: 296,
    fold: 'under',
    bone: 160,
    cell: (mailbox) => <SpaceCell mailbox={mailbox} />,
  },
  {
    key: 'added',
    header: 'Added',
    width: 112,
    kind: 'figure',
    sortBy: 'created_at',
    bone: 64,
    className: 'soft',
    cell: ({ created_at }) => formatDate(created_at),
  },
];
