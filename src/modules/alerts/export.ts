import { exportList } from '@/server/list/export-list';
import type { ActorContext } from '@/server/procedures/context';
import type { FileOutput } from '@/server/rest/file';
import type { Alert, ExportAlerts } from './schema';
import { listAlerts } from './service';

const COLUMNS = [
  'id',
  'created_at',
  'kind',
  'severity',
  'status',
  'subject',
  'message',
  'count',
  'expected',
  'domain_id',
  'mailbox_id',
  'acknowledged_at',
  'closed_at',
  'resolved',
  'updated_at',
] as const satisfies (keyof Alert)[];

/** @throws the errors of listAlerts */
export function exportAlerts(ctx: ActorContext, { format: _, ...filters }: ExportAlerts): Promise<FileOutput> {
  return exportList(ctx, {
    name: 'alerts',
    page: (part) => listAlerts(ctx, { ...filters, ...part }),
    columns: COLUMNS,
    rowOf: (item) => item,
  });
}
