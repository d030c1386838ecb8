import { authorizeDomain } from '@/server/access/authorize';
import { csvLines, exportList, pagesOf } from '@/server/list/export-list';
import type { ActorContext } from '@/server/procedures/context';
import type { FileOutput } from '@/server/rest/file';
import { COLUMNS } from './import/lines';
import { aliasList } from './lists';
import type { Alias, ExportAliases } from './schema';
import { listAliases } from './service';

/** Streams the aliases of a domain as CSV that can be imported again. */
export async function exportAliases(ctx: ActorContext, { format: _, ...filters }: ExportAliases): Promise<FileOutput> {
  const page: Parameters<typeof pagesOf<Alias>>[0] = (part) => listAliases(ctx, { ...filters, ...part });
  const { domain_id: id } = filters;
  if (!id) return exportList(ctx, aliasList, page);
  const domain = await authorizeDomain(ctx, { id }, { allowInactive: true });
  return { filename: `aliases-${domain.name}.csv`, chunks: csvLines(COLUMNS.names, pagesOf(page)) };
}
