import type { Tx } from '@/server/db';
import { env } from '@/server/settings/env';
import type { ParsedReport, ReportKind } from '../reading/report';
import type { DropReason } from '../schema';
import { insertDmarc } from './dmarc';
import type { StoreOptions } from './options';
import { insertTls } from './tls';

const DAY_MS = 24 * 60 * 60 * 1000;
// Clocks differ, and so do time zones of reports that name local days.
const AHEAD_DAYS = 2;
const SLOWEST_MS_PER_ROW = 1;

export type StoreResult = { status: 'stored'; id: string } | { status: 'rejected'; reason: DropReason };

/** What storing a report adds to the time of a transaction, at most. */
export function storeTimeoutMs(report: ParsedReport): number {
  return report.kind === 'dmarc' ? report.rows.length * SLOWEST_MS_PER_ROW : 0;
}

/** Stores a report of a managed domain, with its sums by day. Two at once store it once. */
export async function storeReport(tx: Tx, report: ParsedReport, options: StoreOptions): Promise<StoreResult> {
  if (isOutOfRange(report, options.at)) return { status: 'rejected', reason: 'out_of_range' };
  const id = report.kind === 'dmarc' ? await insertDmarc(tx, report, options) : await insertTls(tx, report, options);
  return id ? { status: 'stored', id } : { status: 'rejected', reason: 'duplicate' };
}

function isOutOfRange({ end }: ParsedReport, at: Date): boolean {
  const ageDays = (at.getTime() - end.getTime()) / DAY_MS;
  return ageDays < -AHEAD_DAYS || ageDays > env().reportRetentionDays;
}

type Drop = { domainId: string; kind: ReportKind; reason: DropReason; at: Date };

/** Counts a report that is not stored. */
export async function countDropped(tx: Tx, { domainId, kind, reason, at }: Drop): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO dropped_report (domain_id, kind, reason, count, last_at)
    SELECT id, ${kind}::report_kind, ${reason}, 1, ${at} FROM domain WHERE id = ${domainId}::uuid
    ON CONFLICT (domain_id, kind, reason)
    DO UPDATE SET count = dropped_report.count + 1, last_at = greatest(dropped_report.last_at, EXCLUDED.last_at)`;
}
