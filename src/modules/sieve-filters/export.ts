import { exportList } from '@/server/list/export-list';
import type { ActorContext } from '@/server/procedures/context';
import type { FileOutput } from '@/server/rest/file';
import type { ExportSieveFilters, SieveFilter } from './schema';
import { listSieveFilters } from './service';

const COLUMNS = [
  'id',
  'scope',
  'domain',
  'mailbox',
  'position',
  'name',
  'active',
  'script',
  'domain_id',
  'mailbox_id',
  'created_at',
  'updated_at',
] as const satisfies (keyof SieveFilter)[];

/** @throws the errors of listSieveFilters */
export function exportSieveFilters(
  ctx: ActorContext,
  { format: _, ...filters }: ExportSieveFilters,
): Promise<FileOutput> {
  return exportList(ctx, {
    name: 'filters',
    page: (part) => listSieveFilters(ctx, { ...filters, ...part }),
    columns: COLUMNS,
    rowOf: (item) => item,
  });
}
