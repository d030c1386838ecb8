import { uuidv7 } from '@/lib/uuid';
import type { Tx } from '@/server/database/db';
import type { ParsedTls } from '../reading/report';
import { reportedDay } from './fingerprint';
import type { NewReport } from './options';

/** @returns the new row's id */
export async function insertTls(tx: Tx, report: ParsedTls, options: NewReport): Promise<string> {
  const { domainId, source, sender, at, fingerprint } = options;
  const { policies, failures } = report;
  const id = uuidv7();
  await tx.tlsReport.create({
    data: {
      id,
      domainId,
      fingerprint,
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
  await tx.tlsFailure.createMany({
    data: failures.map((failure, position) => ({ ...failure, tlsReportId: id, position })),
  });
  return id;
}
