import { exportList, onePage } from '@/server/list/export-list';
import type { ActorContext } from '@/server/procedures/context';
import type { FileOutput } from '@/server/rest/file';
import type { MailSnapshot } from './schema';
import { getMailBackups } from './service';

const COLUMNS = [
  'id',
  'host',
  'taken_at',
  'added_bytes',
  'size_bytes',
  'files',
] as const satisfies (keyof MailSnapshot)[];

export async function exportSnapshots(ctx: ActorContext): Promise<FileOutput> {
  const { snapshots } = await getMailBackups(ctx);
  return exportList(ctx, {
    name: 'mail-backups',
    page: onePage(snapshots),
    columns: COLUMNS,
    rowOf: (item: MailSnapshot) => item,
  });
}
