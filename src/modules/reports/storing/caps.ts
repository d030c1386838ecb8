import type { Tx } from '@/server/db';
import { Prisma } from '@/server/prisma/client';
import type { ParsedReport } from '../reading/report';
import { reportedDay } from './fingerprint';
import type { StoreOptions } from './options';

/** Of one domain, since anybody can send reports about it. Mail and uploads have a share each of `reports` and `rows`. */
export const CAPS = {
  /** Of each kind, that arrive on a UTC day. */
  reports: 500,
  rows: 200_000,
  /** That report about a UTC day. */
  organisations: 200,
  /** Of a UTC day. Further ones count in the totals only. */
  sources: 10_000,
} as const;

const TABLES = {
  dmarc: { reports: Prisma.sql`dmarc_report`, days: Prisma.sql`dmarc_day` },
  tls: { reports: Prisma.sql`tls_report`, days: Prisma.sql`tls_report` },
};

/** Whether the domain has as many reports as are stored. Exact while the domain is locked. */
export async function isFull(tx: Tx, report: ParsedReport, { domainId, source, at }: StoreOptions): Promise<boolean> {
  const { reports, days } = TABLES[report.kind];
  const today = at.toISOString().slice(0, 10);
  const [arrived] = await tx.$queryRaw<{ reports: number; rows: number }[]>`
    SELECT count(*)::int AS reports, coalesce(sum(row_count), 0)::int AS rows FROM ${reports}
     WHERE domain_id = ${domainId}::uuid AND source = ${source}::report_source
       AND received_at >= ${today}::date AND received_at < ${today}::date + 1`;
  const rows = report.kind === 'dmarc' ? report.rows.length : report.failures.length;
  if (arrived && (arrived.reports >= CAPS.reports || arrived.rows + rows > CAPS.rows)) return true;
  const [reporting] = await tx.$queryRaw<{ organisations: number; isKnown: boolean | null }[]>`
    SELECT count(DISTINCT organisation)::int AS organisations, bool_or(organisation = ${report.organisation}) AS "isKnown"
      FROM ${days} WHERE domain_id = ${domainId}::uuid AND day = ${reportedDay(report)}::timestamptz::date`;
  return reporting !== undefined && !reporting.isKnown && reporting.organisations >= CAPS.organisations;
}
