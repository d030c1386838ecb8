import type { AuthorizedDomain } from '@/server/access/authorize';
import { authorizeDomain } from '@/server/access/authorize';
import { AppError } from '@/server/errors';
import type { MutationContext } from '@/server/procedures/mutation';
import type { ReadReports } from '../reading/read';
import { withReports } from '../reading/reader';
import type { ParsedReport, ReportKind } from '../reading/report';
import type { DropReason, UploadReport } from '../schema';
import { storeReport, storeTimeoutMs } from '../storing/store';

export type Upload = { status: 'stored' | 'duplicate' | 'rejected'; reason?: DropReason; id?: string };

const TIMEOUT_MS = 10_000;
const NAMES: Record<ReportKind, string> = { dmarc: 'DMARC', tls: 'TLS' };

/**
 * Stores a report that was given as a file.
 * @throws VALIDATION_ERROR for a file that is no such report, and as `authorizeDomain` for the domain that it is about
 */
export function uploadReport(ctx: MutationContext, kind: ReportKind, { content }: UploadReport): Promise<Upload> {
  const job = { bytes: Buffer.from(content, 'base64'), isMail: false };
  return withReports(job, (found) => storeFound(ctx, kind, found));
}

async function storeFound(ctx: MutationContext, kind: ReportKind, found: ReadReports): Promise<Upload> {
  const { reports, unreadable } = found;
  if (unreadable[0]) throw invalidFile(unreadable[0].message);
  const [report] = reports;
  if (!report) throw invalidFile('The file has no report.');
  if (report.kind !== kind) throw invalidFile(`The file is a ${NAMES[report.kind]} report.`);
  if (reports.length > 1) throw invalidFile('The report is about several domains.');
  const domain = await authorizeDomain(ctx, { name: report.domain }, { allowInactive: true });
  return store(ctx, report, domain);
}

async function store(ctx: MutationContext, report: ParsedReport, { id: domainId }: AuthorizedDomain): Promise<Upload> {
  return ctx.transaction(
    async ({ tx, audit }) => {
      const result = await storeReport(tx, report, { domainId, source: 'upload', at: ctx.clock.now() });
      const isDuplicate = result.status === 'rejected' && result.reason === 'duplicate';
      const status = isDuplicate ? 'duplicate' : result.status;
      const { organisation, reportId } = report;
      const resource = result.status === 'stored' ? `${report.kind}_report:${result.id}` : `domain:${domainId}`;
      await audit({ resource, domainId, details: { status, organisation, report_id: reportId } });
      if (result.status === 'stored') return { status, id: result.id };
      return isDuplicate ? { status } : { status, reason: result.reason };
    },
    { timeoutMs: TIMEOUT_MS + storeTimeoutMs(report) },
  );
}

function invalidFile(message: string): AppError {
  return new AppError('VALIDATION_ERROR', message, { details: { fields: [{ path: 'content', message }] } });
}
