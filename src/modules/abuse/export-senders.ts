import { exportList } from '@/server/list/export-list';
import type { ActorContext } from '@/server/procedures/context';
import type { FileOutput } from '@/server/rest/file';
import type { AbuseSender, ExportAbuseSenders } from './schema';
import { listAbuseSenders } from './senders';

const COLUMNS = [
  'address',
  'sent_last_hour',
  'sent_last_24h',
  'limit',
  'active',
  'suspended',
  'domain_id',
  'mailbox_id',
] as const satisfies (keyof AbuseSender)[];

/** @throws the errors of listAbuseSenders */
export function exportSenders(ctx: ActorContext, { format: _, ...filters }: ExportAbuseSenders): Promise<FileOutput> {
  return exportList(ctx, {
    name: 'top-senders',
    page: (part) => listAbuseSenders(ctx, { ...filters, ...part }),
    columns: COLUMNS,
    rowOf: (item) => item,
  });
}
