import { lockKeys } from '@/server/database/advisory-locks';
import { isRetryable, type Tx } from '@/server/database/db';
import { log } from '@/server/log';
import { env } from '@/server/settings/env';
import type { ParsedReport, ReportKind } from '../reading/report';
import type { DropReason } from '../schema';
import { isFull } from './caps';
import { insertDmarc } from './dmarc';
import { contentFingerprintOf, type Fingerprint, fingerprintOf } from './fingerprint';
import type { StoreOptions } from './options';
import { insertTls } from './tls';
import { isTrusted } from './trust';

const DAY_MS = 24 * 60 * 60 * 1000;
// Clocks differ, and so do time zones of reports that name local days.
const AHEAD_DAYS = 2;
const SLOWEST_MS_PER_ROW = 1;

export type StoreResult = { status: 'stored'; id: string } | { status: 'rejected'; reason: DropReason };

/** Returns the most time that storing a report adds to a transaction, in milliseconds. */
export function storeTimeoutMs(report: ParsedReport): number {
  return report.kind === 'dmarc' ? report.rows.length * SLOWEST_MS_PER_ROW : 0;
}

/** Stores a report of a managed domain, with its sums by day. Two at once store it once. */
export async function storeReport(tx: Tx, report: ParsedReport, options: StoreOptions): Promise<StoreResult> {
  await lockKeys(tx, 'reportsOfDomain', [options.domainId]);
  const result = await insert(tx, report, options);
  if (result.status === 'stored') await addHosts(tx, [report], options.at);
  return result;
}

export type Arrived = { report: ParsedReport; domainId: string };

/**
 * Stores the reports of a message or file. One that can't be stored undoes neither the others nor the transaction.
 * @throws if trying again may help
 */
export async function storeReports(
  tx: Tx,
  arrived: Arrived[],
  options: Omit<StoreOptions, 'domainId'>,
): Promise<StoreResult[]> {
  await lockKeys(
    tx,
    'reportsOfDomain',
    arrived.map(({ domainId }) => domainId),
  );
  const results: StoreResult[] = [];
  for (const { report, domainId } of arrived) {
    results.push(await insertOrLeaveOut(tx, report, { ...options, domainId }));
  }
  const stored = arrived.filter((_, index) => results[index]?.status === 'stored');
  await addHosts(
    tx,
    stored.map(({ report }) => report),
    options.at,
  );
  return results;
}

async function insert(tx: Tx, report: ParsedReport, options: StoreOptions): Promise<StoreResult> {
  if (isOutOfRange(report, options.at)) return { status: 'rejected', reason: 'out_of_range' };
  if (await isFull(tx, report, options)) return { status: 'rejected', reason: 'too_many' };
  const fingerprint = await newFingerprint(tx, report, options);
  if (!fingerprint) return { status: 'rejected', reason: 'duplicate' };
  const store = { ...options, fingerprint };
  const id = report.kind === 'dmarc' ? await insertDmarc(tx, report, store) : await insertTls(tx, report, store);
  return { status: 'stored', id };
}

/** The fingerprint to store a report with; null if it is stored already. Exact while the domain is locked. */
async function newFingerprint(tx: Tx, report: ParsedReport, options: StoreOptions): Promise<Fingerprint | null> {
  const [ofReport, ofContent] = [fingerprintOf(report), contentFingerprintOf(report)];
  const where = { domainId: options.domainId, fingerprint: { in: [ofReport, ofContent] } };
  const stored = report.kind === 'dmarc' ? await tx.dmarcReport.count({ where }) : await tx.tlsReport.count({ where });
  if (stored > 0) return null;
  return isTrusted(report, options) ? ofReport : ofContent;
}

async function insertOrLeaveOut(tx: Tx, report: ParsedReport, options: StoreOptions): Promise<StoreResult> {
  await tx.$executeRaw`SAVEPOINT report`;
  try {
    const result = await insert(tx, report, options);
    await tx.$executeRaw`RELEASE SAVEPOINT report`;
    return result;
  } catch (error) {
    if (isRetryable(error)) throw error;
    log.error({ error }, 'cannot store a report');
    await tx.$executeRaw`ROLLBACK TO SAVEPOINT report`;
    return { status: 'rejected', reason: 'error' };
  }
}

function isOutOfRange({ end }: ParsedReport, at: Date): boolean {
  const ageDays = (at.getTime() - end.getTime()) / DAY_MS;
  return ageDays < -AHEAD_DAYS || ageDays > env().reportRetentionDays;
}

export type Drop = { domainId: string; kind: ReportKind; reason: DropReason };

/** Counts reports that are not stored, in the order of their rows. */
export async function countDropped(tx: Tx, drops: Drop[], at: Date): Promise<void> {
  if (drops.length === 0) return;
  await tx.$executeRaw`
    INSERT INTO dropped_report (domain_id, kind, reason, count, last_at)
    SELECT d.id, given.kind, given.reason, count(*), ${at}::timestamptz
      FROM unnest(${drops.map(({ domainId }) => domainId)}::uuid[], ${drops.map(({ kind }) => kind)}::report_kind[],
                  ${drops.map(({ reason }) => reason)}::text[]) AS given (domain_id, kind, reason)
      JOIN domain d ON d.id = given.domain_id
     GROUP BY d.id, given.kind, given.reason ORDER BY d.id, given.kind, given.reason
        ON CONFLICT (domain_id, kind, reason)
        DO UPDATE SET count = dropped_report.count + excluded.count,
                      last_at = greatest(dropped_report.last_at, excluded.last_at)`;
}

// A host name is looked up for each, over time.
const MAX_HOSTS = 1_000;

/** Remembers the sources with the most messages. All at once and last, since reports about other domains share them. */
async function addHosts(tx: Tx, reports: ParsedReport[], at: Date): Promise<void> {
  const messages = new Map<string, number>();
  for (const { ip, messages: more } of reports.flatMap((report) => (report.kind === 'dmarc' ? report.rows : []))) {
    messages.set(ip, (messages.get(ip) ?? 0) + more);
  }
  const mostFirst = [...messages].sort(([, one], [, other]) => other - one).slice(0, MAX_HOSTS);
  const ips = mostFirst.map(([ip]) => ip).sort();
  await tx.$executeRaw`
    INSERT INTO report_host AS known (ip, seen_at) SELECT ip, ${at} FROM unnest(${ips}::text[]) AS given(ip)
    ON CONFLICT (ip) DO UPDATE SET seen_at = EXCLUDED.seen_at WHERE known.seen_at < EXCLUDED.seen_at - interval '1 day'`;
}
