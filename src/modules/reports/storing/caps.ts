import type { Tx } from '@/server/database/db';
import { Prisma } from '@/server/prisma/client';
import type { ParsedReport } from '../reading/report';
import { reportedDay } from './fingerprint';
import type { StoreOptions } from './options';
import { isTrusted } from './trust';

/** Caps for one domain, since anybody can send reports about it. Mail and uploads have as much each of `reports` and `rows`. */
export const CAPS = {
  /** Reports of each kind that arrive on a UTC day. */
  reports: 500,
  rows: 200_000,
  /** Organizations that report about a UTC day. */
  organisations: 200,
  /** Sources of a UTC day. Further ones count in the totals only. */
  sources: 10_000,
} as const;

/** The share of all senders together whom the mail server could not authenticate. */
export const UNAUTHENTICATED = { reports: 100, rows: 40_000, organisations: 50, sources: 2_000 } as const;

/** The share of each sender whom the mail server has authenticated. */
export const SENDER = { reports: 150, rows: 80_000 } as const;

type Arrived = { reports: number; rows: number };

/** Whether the domain has as many reports as are stored, of anybody or of this sender. Exact while the domain is locked. */
export async function isFull(tx: Tx, report: ParsedReport, options: StoreOptions): Promise<boolean> {
  const rows = report.kind === 'dmarc' ? report.rows.length : report.failures.length;
  const exceeds = (arrived: Arrived, cap: Arrived) => arrived.reports >= cap.reports || arrived.rows + rows > cap.rows;
  const { all, ofSender } = await readArrived(tx, report, options);
  if (exceeds(all, CAPS)) return true;
  const share = options.sender?.isAuthenticated ? SENDER : UNAUTHENTICATED;
  if (options.source === 'mail' && exceeds(ofSender, share)) return true;
  return report.kind === 'dmarc' ? isDmarcDayFull(tx, report, options) : isTlsDayFull(tx, report, options);
}

/**
 * Counts the reports that arrived today from the same source: from anybody, and from this sender or, if it isn't authenticated,
 * from all senders that aren't.
 */
async function readArrived(tx: Tx, report: ParsedReport, options: StoreOptions) {
  const { domainId, source, sender, at } = options;
  const table = Prisma.raw(`${report.kind}_report`);
  const today = at.toISOString().slice(0, 10);
  const isOfSender = sender?.isAuthenticated
    ? Prisma.sql`is_authenticated AND sender_domain = ${sender.domain}`
    : Prisma.sql`NOT is_authenticated`;
  const [counted] = await tx.$queryRaw<{ all: Arrived; ofSender: Arrived }[]>`
    SELECT jsonb_build_object('reports', count(*), 'rows', coalesce(sum(row_count), 0)) AS "all",
           jsonb_build_object('reports', count(*) FILTER (WHERE ${isOfSender}),
                              'rows', coalesce(sum(row_count) FILTER (WHERE ${isOfSender}), 0)) AS "ofSender"
      FROM ${table}
     WHERE domain_id = ${domainId}::uuid AND source = ${source}::report_source
       AND received_at >= ${today}::date AND received_at < ${today}::date + 1`;
  return counted ?? { all: { reports: 0, rows: 0 }, ofSender: { reports: 0, rows: 0 } };
}

type Reporting = { organisations: number; isKnown: boolean | null };

async function isDmarcDayFull(tx: Tx, report: ParsedReport, options: StoreOptions): Promise<boolean> {
  const [reporting] = await tx.$queryRaw<Reporting[]>`
    SELECT count(DISTINCT organisation)::int AS organisations, bool_or(organisation = ${report.organisation}) AS "isKnown"
      FROM dmarc_day
     WHERE domain_id = ${options.domainId}::uuid AND day = ${reportedDay(report)}::timestamptz::date
       AND is_trusted = ${isTrusted(report, options)}`;
  return hasTooMany(reporting, options);
}

async function isTlsDayFull(tx: Tx, report: ParsedReport, options: StoreOptions): Promise<boolean> {
  const isConfirmed = options.source === 'upload' || (options.sender?.isAuthenticated ?? false);
  const [reporting] = await tx.$queryRaw<Reporting[]>`
    SELECT count(DISTINCT organisation)::int AS organisations, bool_or(organisation = ${report.organisation}) AS "isKnown"
      FROM tls_report
     WHERE domain_id = ${options.domainId}::uuid AND day = ${reportedDay(report)}::timestamptz::date
       AND (source = 'upload' OR is_authenticated) = ${isConfirmed}`;
  return hasTooMany(reporting, options);
}

/** Takes few organizations that aren't authenticated, so that an authenticated one that names another organization has room. */
function hasTooMany(reporting: Reporting | undefined, { source, sender }: StoreOptions): boolean {
  const isConfirmed = source === 'upload' || sender?.isAuthenticated;
  const cap = isConfirmed ? CAPS.organisations : UNAUTHENTICATED.organisations;
  return reporting !== undefined && !reporting.isKnown && reporting.organisations >= cap;
}
