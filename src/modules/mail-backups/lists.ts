import type { List } from '@/lib/lists';
import type { MailSnapshot } from './schema';

export const snapshotList = {
  what: 'backups of mail',
  path: '/backups/mail',
  file: 'mail-backups',
  csv: ['id', 'host', 'taken_at', 'added_bytes', 'size_bytes', 'files'],
} satisfies List<MailSnapshot>;
