import { csvLine } from '@/server/csv';
import type { Tx } from '@/server/db';
import type { ActorContext } from '@/server/procedures/context';
import type { FileOutput } from '@/server/rest/file';
import { FIELDS } from './find-entries';
import type { AuditEntry, ExportAudit } from './schema';
import { presentAll } from './service';

const PAGE_SIZE = 250;

const COLUMNS = [
  'id',
  'created_at',
  'admin_id',
  'admin_email',
  'api_key_id',
  'action',
  'resource',
  'resource_name',
  'domain_id',
  'outcome',
  'ip_address',
  'user_agent',
  'request_id',
  'details',
  'hash',
  'prev_hash',
] as const satisfies (keyof AuditEntry)[];

/** Streams the entire log, oldest first, one page at a time. */
export function exportAudit(ctx: ActorContext, { format }: ExportAudit): FileOutput {
  const day = ctx.clock.now().toISOString().slice(0, 10);
  const isCsv = format === 'csv';
  return {
    filename: `audit-${day}.${format}`,
    contentType: isCsv ? 'text/csv; charset=utf-8' : 'application/x-ndjson',
    chunks: isCsv ? csv(ctx.db) : ndjson(ctx.db),
  };
}

async function* ndjson(db: Tx): AsyncGenerator<string> {
  for await (const entries of pages(db)) yield entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
}

async function* csv(db: Tx): AsyncGenerator<string> {
  yield csvLine(COLUMNS);
  for await (const entries of pages(db))
    yield entries.map((entry) => csvLine(COLUMNS.map((name) => cell(entry[name])))).join('');
}

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

function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
