import { exportList, onePage } from '@/server/list/export-list';
import type { ActorContext } from '@/server/procedures/context';
import type { FileOutput } from '@/server/rest/file';
import type { DnsChange, DnsRecord, ExportDns, ExportDnsChanges } from './schema';
import { getDns, listDnsChanges } from './service';

const COLUMNS = [
  'id',
  'at',
  'purpose',
  'type',
  'name',
  'status',
  'before',
  'after',
] as const satisfies (keyof DnsChange)[];

const RECORD_COLUMNS = [
  'purpose',
  'type',
  'name',
  'status',
  'severity',
  'required',
  'expected',
  'found',
  'inherited_from',
  'message',
  'fix',
  'ttl',
  'changed_at',
  'checked_at',
] as const satisfies (keyof DnsRecord)[];

/** @throws NOT_FOUND */
export function exportDnsChanges(ctx: ActorContext, { format: _, ...filters }: ExportDnsChanges): Promise<FileOutput> {
  return exportList(ctx, {
    name: 'dns-history',
    page: (part) => listDnsChanges(ctx, { ...filters, ...part }),
    columns: COLUMNS,
    rowOf: (item) => item,
  });
}

/** @throws NOT_FOUND */
export async function exportDns(ctx: ActorContext, { id }: ExportDns): Promise<FileOutput> {
  const { records } = await getDns(ctx, { id });
  return exportList(ctx, {
    name: 'dns-records',
    page: onePage(records),
    columns: RECORD_COLUMNS,
    rowOf: (item: DnsRecord) => item,
  });
}
