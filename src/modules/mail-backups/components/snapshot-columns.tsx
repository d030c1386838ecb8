import { Menu } from '@mantine/core';
import type { DataTableColumn } from '@/components/data-table/data-table';
import { RowMenu } from '@/components/row-controls/row-menu';
import { LocalText } from '@/components/values/local-text';
import { formatBytes, formatClock, formatCount, formatDate, formatFull } from '@/lib/format';
import type { MailSnapshot } from '../schema';

type Options = { isBusy: boolean; onRestore: (snapshot: MailSnapshot) => void };

const SHORT_ID_LENGTH = 8;

export function snapshotColumns({ isBusy, onRestore }: Options): DataTableColumn<MailSnapshot>[] {
  return [
    {
      header: 'Created',
      width: 168,
      mobile: 'lead',
      skeletonWidth: 96,
      cell: ({ taken_at: at }) => (
        <span title={formatFull(at)}>
          <LocalText>{() => `${formatDate(at)} ${formatClock(at)}`}</LocalText>
        </span>
      ),
    },
    {
      header: 'Size',
      width: 104,
      kind: 'figure',
      mobile: 'side',
      skeletonWidth: 48,
      cell: ({ size_bytes: size }) => (size === null ? '' : formatBytes(size)),
    },
    {
      header: 'Added',
      width: 104,
      kind: 'figure',
      mobile: 'under',
      skeletonWidth: 48,
      cell: ({ added_bytes: added }) =>
        added !== null && (
          <>
            {formatBytes(added)}
            <span className="only-narrow">&nbsp;added</span>
          </>
        ),
    },
    {
      header: 'Files',
      width: 96,
      kind: 'figure',
      isOptional: true,
      skeletonWidth: 48,
      cell: ({ files }) => (files === null ? '' : formatCount(files)),
    },
    {
      header: 'Snapshot',
      isOptional: true,
      skeletonWidth: 64,
      cell: ({ id }) => (
        <span className="mono soft" title={id}>
          {id.slice(0, SHORT_ID_LENGTH)}
        </span>
      ),
    },
    {
      key: 'actions',
      header: <span className="sr-only">Actions</span>,
      width: 56,
      kind: 'tail',
      mobile: 'tail',
      cell: (snapshot) => (
        <RowMenu label={`Actions: snapshot of ${formatFull(snapshot.taken_at)}`}>
          <Menu.Item disabled={isBusy} onClick={() => onRestore(snapshot)}>
            Restore a mailbox…
          </Menu.Item>
        </RowMenu>
      ),
    },
  ];
}
