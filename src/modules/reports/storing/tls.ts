import { uuidv7 } from '@/lib/uuid';
import type { Tx } from '@/server/db';
import type { ParsedTls } from '../reading/report';
import { fingerprintOf, reportedDay } from './fingerprint';
import type { StoreOptions } from './options';

/** @returns the new row's id, or null for a duplicate */
export async function insertTls(tx: Tx, report: ParsedTls, options: StoreOptions): Promise<string | null> {
  const { domainId, source, sender, at } = options;
  const { policies, failures } = report;
  const id = uuidv7();
  const { count } = await tx.tlsReport.createMany({
    skipDuplicates: true,
    data: {
      id,
      domainId,
      fingerprint: fingerprintOf(report),
      organisation: report.organisation,
      contact: report.contact,
      reportId: report.reportId,
      beginAt: report.begin,
      endAt: report.end,
      day: reportedDay(report),
      sessions: policies.reduce((sum, { sessions }) => sum + sessions, 0),
      failedSessions: policies.reduce((sum, { failed_sessions }) => sum + failed_sessions, 0),
      policies,
      rowCount: failures.length,
      isTruncated: report.isTruncated,
      source,
      receivedAt: at,
      leftOut: report.leftOut,
      senderDomain: sender?.domain ?? null,
      isAuthenticated: sender?.isAuthenticated ?? false,
    },
  });
  if (count === 0) return null;
  await tx.tlsFailure.createMany({
    data: failures.map((failure, position) => ({ ...failure, tlsReportId: id, position })),
  });
  return id;
}
