import { exportList } from '@/server/list/export-list';
import type { ActorContext } from '@/server/procedures/context';
import type { FileOutput } from '@/server/rest/file';
import type { Domain, ExportDomains } from './schema';
import { listDomains } from './service';

const COLUMNS = [
  'id',
  'name',
  'active',
  'description',
  'dns_status',
  'verified_at',
  'dkim_selector',
  'mailbox_count',
  'max_mailboxes',
  'alias_count',
  'max_aliases',
  'default_quota_bytes',
  'hourly_send_limit',
  'mta_sts_mode',
  'other_mx_hosts',
  'created_at',
  'updated_at',
] as const satisfies (keyof Domain)[];

/** @throws the errors of listDomains */
export function exportDomains(ctx: ActorContext, { format: _, ...filters }: ExportDomains): Promise<FileOutput> {
  return exportList(ctx, {
    name: 'domains',
    page: (part) => listDomains(ctx, { ...filters, ...part }),
    columns: COLUMNS,
    rowOf: (item) => item,
  });
}
