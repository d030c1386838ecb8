import { exportList } from '@/server/list/export-list';
import type { ActorContext } from '@/server/procedures/context';
import type { FileOutput } from '@/server/rest/file';
import type { ApiKey, ExportApiKeys } from './schema';
import { listApiKeys } from './service';

const COLUMNS = [
  'id',
  'name',
  'key_prefix',
  'admin_id',
  'admin_email',
  'scoped_domain_ids',
  'rate_limit',
  'permissions',
  'allowed_ips',
  'senders',
  'last_used_at',
  'expires_at',
  'created_at',
] as const satisfies (keyof ApiKey)[];

/** @throws the errors of listApiKeys */
export function exportApiKeys(ctx: ActorContext, { format: _, ...filters }: ExportApiKeys): Promise<FileOutput> {
  return exportList(ctx, {
    name: 'api-keys',
    page: (part) => listApiKeys(ctx, { ...filters, ...part }),
    columns: COLUMNS,
    rowOf: (item) => item,
  });
}
