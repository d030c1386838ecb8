import type { ApiList, List, ListInput } from '@/lib/lists';
import type { Backup } from './schema';

export const backupList = {
  what: 'backups',
  path: '/backups',
  sorts: ['started_at'],
  csv: [
    'id',
    'started_at',
    'finished_at',
    'status',
    'trigger',
    'name',
    'location',
    'size_bytes',
    'checksum',
    'version',
    'rows',
    'due_at',
    'attempts',
    'next_attempt_at',
    'error',
    ['proof_state', ({ proof }) => proof.state],
    ['proof_at', ({ proof }) => proof.at],
    ['proof_message', ({ proof }) => proof.message],
  ],
} satisfies List<Backup>;
export type ListBackups = ListInput<typeof backupList>;

export const backupOperationList = {
  what: 'operations on backups',
  path: '/backups/operations',
  sorts: ['started_at'],
} satisfies ApiList;
export type ListBackupOperations = ListInput<typeof backupOperationList>;
