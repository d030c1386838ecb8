import { z } from 'zod';
import { authorizeDomain } from '@/server/access/authorize';
import type { Tx } from '@/server/database/db';
import { csvLines, pagesOf } from '@/server/list/export-list';
import { orderQuery } from '@/server/list/list-procedures';
import type { ActorContext } from '@/server/procedures/context';
import type { FileOutput } from '@/server/rest/file';
import { FIELDS } from './find-entries';
import { auditList } from './lists';
import { type AuditEntry, AuditFilters } from './schema';
import { listAudit, presentAll } from './service';

const PAGE_SIZE = 250;

export const ExportAudit = z.strictObject({
  ...orderQuery(auditList, 'asc'),
  ...AuditFilters.shape,
  format: z.enum(['ndjson', 'csv']).default('ndjson'),
});
type ExportAudit = z.infer<typeof ExportAudit>;

/** Streams the log, one page at a time: all of it, or the entries that match the filters. */
export async function exportAudit(ctx: ActorContext, { format, ...input }: ExportAudit): Promise<FileOutput> {
  const { sort: _, order, ...filters } = input;
  const isWhole = order === 'asc' && Object.values(filters).every((value) => value === undefined);
  if (filters.domain_id) await authorizeDomain(ctx, { id: filters.domain_id }, { allowInactive: true });
  const entries = isWhole ? pages(ctx.db) : pagesOf((part) => listAudit(ctx, { ...input, ...part }), PAGE_SIZE);
  const day = ctx.clock.now().toISOString().slice(0, 10);
  const isCsv = format === 'csv';
  return {
    filename: `audit-${day}.${format}`,
    contentType: isCsv ? 'text/csv; charset=utf-8' : 'application/x-ndjson',
    chunks: isCsv ? csvLines(auditList.csv, entries) : ndjson(entries),
  };
}

async function* ndjson(pagesOfEntries: AsyncIterable<AuditEntry[]>): AsyncGenerator<string> {
  for await (const entries of pagesOfEntries) yield entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
}

/** The whole log in the order it was written, as it was sealed. */
async function* pages(db: Tx): AsyncGenerator<AuditEntry[]> {
  let after: string | undefined;
  for (;;) {
    const rows = await db.auditEntry.findMany({
      select: FIELDS,
      where: { id: { gt: after } },
      orderBy: { id: 'asc' },
      take: PAGE_SIZE,
    });
    if (rows.length > 0) yield await presentAll(db, rows, null);
    if (rows.length < PAGE_SIZE) return;
    after = rows.at(-1)?.id;
  }
}
