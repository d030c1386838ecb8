import { exportList } from '@/server/list/export-list';
import type { ActorContext } from '@/server/procedures/context';
import type { FileOutput } from '@/server/rest/file';
import type { ExportWebhooks, Webhook } from './schema';
import { listWebhooks } from './service';

const COLUMNS = [
  'id',
  'name',
  'url',
  'events',
  'domain_id',
  'active',
  'failures_in_row',
  'failing_since',
  'previous_secret_until',
  'created_by',
  'created_at',
  'updated_at',
] as const satisfies (keyof Webhook)[];

/** @throws the errors of listWebhooks */
export function exportWebhooks(ctx: ActorContext, { format: _, ...filters }: ExportWebhooks): Promise<FileOutput> {
  return exportList(ctx, {
    name: 'webhooks',
    page: (part) => listWebhooks(ctx, { ...filters, ...part }),
    columns: COLUMNS,
    rowOf: (item) => item,
  });
}
