import { Cell, Copyable, RowLink } from '@/components/data-table/cells';
import { addedColumn } from '@/components/data-table/columns';
import type { DataTableColumn } from '@/components/data-table/data-table';
import { StorageCell } from '@/components/directory/storage';
import { selectColumn } from '@/components/selection/select-column';
import type { Selection } from '@/components/selection/use-selection';
import { EmailAddress } from '@/components/values/email-address';
import type { Mailbox } from '../../schema';
import { MailboxState } from '../mailbox-state';

export function mailboxColumns(selection: Selection<Mailbox>): DataTableColumn<Mailbox>[] {
  return [selectColumn({ selection, nameOf: ({ email }) => email, mobile: 'mark' }), ...COLUMNS];
}

const COLUMNS: DataTableColumn<Mailbox>[] = [
  {
    key: 'address',
    header: 'Address',
    kind: 'copyable',
    mobile: 'lead',
    sortBy: 'local_part',
    skeletonWidth: 200,
    cell: (mailbox) => (
      <Copyable value={mailbox.email} what="address">
        <Cell>
          <RowLink aria-label={mailbox.email} href={`/mailboxes/${mailbox.id}`}>
            <EmailAddress value={mailbox.email} />
          </RowLink>
          {(mailbox.suspended || !mailbox.active) && <MailboxState mailbox={mailbox} />}
        </Cell>
      </Copyable>
    ),
  },
  {
    key: 'name',
    header: 'Name',
    width: 200,
    maxWidth: 360,
    isOptional: true,
    skeletonWidth: 120,
    className: 'soft',
    cell: ({ display_name }) => (
      <span className="clip" title={display_name}>
        {display_name}
      </span>
    ),
  },
  {
    key: 'storage',
    header: 'Storage used',
    width: 296,
    sortBy: 'percent_full',
    firstOrder: 'desc',
    mobile: 'under',
    skeletonWidth: 160,
    cell: (mailbox) => <StorageCell mailbox={mailbox} />,
  },
  addedColumn(),
];
