import type { List } from '@/lib/lists';
import type { Backup } from './schema';

export const backupList = {
  what: 'backups',
  path: '/backups',
  file: 'backups',
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
