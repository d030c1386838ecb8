import { inPacedBatches } from '@/server/background/in-batches';
import type { Database } from '@/server/database/db';
import { Prisma } from '@/server/prisma/client';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Tables with an index that starts with the domain, and the column that says what a row is about. */
const TABLES = [
  { table: 'dmarc_report', time: 'begin_at', rows: 'dmarc_row' },
  { table: 'tls_report', time: 'begin_at', rows: 'tls_failure' },
  { table: 'dmarc_day', time: 'day', rows: null },
  { table: 'dmarc_source_day', time: 'day', rows: null },
] as const;

/** Deletes reports and their sums after `keptDays`, those of deleted domains, and host names that no report has any more. */
export async function deleteOldReports(db: Database, now: Date, keptDays: number): Promise<void> {
  const before = new Date(now.getTime() - keptDays * DAY_MS);
  for (const { table, time, rows } of TABLES) {
    await deleteWhere(db, { table, rows, condition: Prisma.sql`${Prisma.raw(time)} < ${before}` });
    for (const domainId of await findDeletedDomains(db, table)) {
      await deleteWhere(db, { table, rows, condition: Prisma.sql`domain_id = ${domainId}::uuid` });
    }
  }
  await inPacedBatches(
    (size) => db.$executeRaw`
      DELETE FROM report_host WHERE ip IN (SELECT ip FROM report_host WHERE seen_at < ${before} LIMIT ${size})`,
  );
}

type Selection = { table: string; rows: string | null; condition: Prisma.Sql };

/** The rows of reports first: a report may have a hundred thousand, which a cascade would delete in one statement. */
async function deleteWhere(db: Database, { table, rows, condition }: Selection): Promise<void> {
  const reports = Prisma.raw(table);
  if (rows) {
    const [row, reportId] = [Prisma.raw(rows), Prisma.raw(`${table}_id`)];
    await inPacedBatches(
      (size) => db.$executeRaw`
        DELETE FROM ${row} WHERE (${reportId}, position) IN (
          SELECT ${reportId}, position FROM ${row} JOIN ${reports} ON id = ${reportId} WHERE ${condition} LIMIT ${size})`,
    );
  }
  await inPacedBatches(
    (size) => db.$executeRaw`
      DELETE FROM ${reports} WHERE ctid IN (SELECT ctid FROM ${reports} WHERE ${condition} LIMIT ${size})`,
  );
}

/** Jumps from domain to domain in the index, without reading all rows. */
async function findDeletedDomains(db: Database, table: string): Promise<string[]> {
  const of = Prisma.raw(table);
  const rows = await db.$queryRaw<{ id: string }[]>`
    WITH RECURSIVE known AS (
      (SELECT domain_id FROM ${of} ORDER BY domain_id LIMIT 1)
      UNION ALL
      SELECT (SELECT t.domain_id FROM ${of} t WHERE t.domain_id > known.domain_id ORDER BY t.domain_id LIMIT 1)
        FROM known WHERE known.domain_id IS NOT NULL
    )
    SELECT domain_id AS id FROM known
     WHERE domain_id IS NOT NULL AND NOT EXISTS (SELECT FROM domain d WHERE d.id = known.domain_id)`;
  return rows.map(({ id }) => id);
}
