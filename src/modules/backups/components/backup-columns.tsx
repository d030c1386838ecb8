import { Menu } from '@mantine/core';
import { Cell } from '@/components/data-table/cells';
import type { DataTableColumn } from '@/components/data-table/data-table';
import { StatusMark } from '@/components/marks/status-mark';
import { RowMenu } from '@/components/row-controls/row-menu';
import { LocalText } from '@/components/values/local-text';
import { formatBytes, formatClock, formatCount, formatDate, formatFull } from '@/lib/format';
import type { Backup } from '../schema';
import { BACKUP_MARKS, nameOf, PROOF_MARKS, TRIGGERS } from './texts';

export type BackupActions = Record<'onRestore' | 'onProve' | 'onVerify' | 'onDelete', (backup: Backup) => void> & {
  /** Whether another operation is running. */
  isBusy: boolean;
};

export function backupColumns(actions: BackupActions): DataTableColumn<Backup>[] {
  return [
    {
      header: 'Created',
      width: 136,
      maxWidth: 168,
      mobile: 'lead',
      skeletonWidth: 96,
      cell: ({ started_at: at }) => (
        <span title={formatFull(at)}>
          <LocalText>{() => `${formatDate(at)} ${formatClock(at)}`}</LocalText>
        </span>
      ),
    },
    {
      header: 'Status',
      width: 112,
      maxWidth: 144,
      mobile: 'side',
      skeletonWidth: 72,
      cell: ({ status }) => <StatusMark status={BACKUP_MARKS[status][0]}>{BACKUP_MARKS[status][1]}</StatusMark>,
    },
    {
      header: 'Restore',
      width: 112,
      maxWidth: 144,
      mobile: 'under',
      skeletonWidth: 72,
      cell: ({ status, proof, size_bytes: size }) =>
        status === 'completed' ? (
          <Cell>
            <span title={proof.at ? formatFull(proof.at) : undefined}>
              <StatusMark status={PROOF_MARKS[proof.state][0]}>{PROOF_MARKS[proof.state][1]}</StatusMark>
            </span>
            {size !== null && <span className="only-narrow">{formatBytes(size)}</span>}
          </Cell>
        ) : null,
    },
    {
      header: 'Size',
      width: 80,
      maxWidth: 112,
      kind: 'figure',
      skeletonWidth: 48,
      cell: ({ size_bytes: size }) => (size === null ? '' : formatBytes(size)),
    },
    {
      header: 'Rows',
      width: 96,
      maxWidth: 128,
      kind: 'figure',
      isOptional: true,
      skeletonWidth: 48,
      cell: ({ rows }) => (rows === null ? '' : formatCount(rows)),
    },
    {
      header: 'Trigger',
      width: 104,
      maxWidth: 144,
      isOptional: true,
      className: 'soft',
      skeletonWidth: 64,
      cell: ({ trigger }) => TRIGGERS[trigger],
    },
    {
      header: 'Archive',
      isOptional: true,
      skeletonWidth: 200,
      cell: ({ name, location }) => (
        <span className="mono soft clip" title={`${location}/${name}`}>
          {name}
        </span>
      ),
    },
    {
      key: 'actions',
      header: <span className="sr-only">Actions</span>,
      width: 56,
      kind: 'tail',
      mobile: 'tail',
      skeletonWidth: 24,
      cell: (backup) => <BackupMenu backup={backup} {...actions} />,
    },
  ];
}

function BackupMenu({ backup, isBusy, onRestore, onProve, onVerify, onDelete }: { backup: Backup } & BackupActions) {
  const isReadable = backup.status === 'completed';
  if (backup.status === 'running') return null;
  return (
    <RowMenu label={`Actions: ${nameOf(backup)}`}>
      {isReadable && (
        <>
          <Menu.Item disabled={isBusy} onClick={() => onRestore(backup)}>
            Restore…
          </Menu.Item>
          <Menu.Item disabled={isBusy} onClick={() => onProve(backup)}>
            Prove that it restores
          </Menu.Item>
          <Menu.Item disabled={isBusy} onClick={() => onVerify(backup)}>
            Verify the archive
          </Menu.Item>
          <Menu.Item component="a" href={`/api/v1/backups/${backup.id}/download`} download>
            Download
          </Menu.Item>
          <Menu.Divider />
        </>
      )}
      <Menu.Item className="danger" disabled={isBusy} onClick={() => onDelete(backup)}>
        Delete…
      </Menu.Item>
    </RowMenu>
  );
}
