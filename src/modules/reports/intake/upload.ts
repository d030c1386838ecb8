import { accessibleDomainIds, authorizeDomain } from '@/server/access/authorize';
import { AppError } from '@/server/errors';
import type { MutationContext } from '@/server/procedures/mutation';
import type { ReadReports } from '../reading/read';
import { withReports } from '../reading/reader';
import type { ReportKind } from '../reading/report';
import type { DropReason, UploadReport } from '../schema';
import { type StoreResult, storeReports, storeTimeoutMs } from '../storing/store';
import { findReported, type Part } from './about';

export type Upload = { status: 'stored' | 'duplicate' | 'rejected'; reason?: DropReason; id?: string };

const TIMEOUT_MS = 10_000;
const NOT_STORED: StoreResult = { status: 'rejected', reason: 'error' };
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
  const [report] = reports;
  if (!report) throw invalidFile(unreadable[0]?.message ?? 'The file has no report.');
  report.leftOut.push(...unreadable.map(({ message }) => ({ reason: `Another file in it: ${message}`, count: 1 })));
  if (report.kind !== kind) throw invalidFile(`The file is a ${NAMES[report.kind]} report.`);
  const [split, another] = await findReported(ctx.db, reports, []);
  if (another) throw invalidFile(SEVERAL[kind]);
  const parts = split?.parts ?? [];
  const ids = accessibleDomainIds(ctx.actor);
  const accessible = parts.filter(({ domain }) => !ids || ids.includes(domain.id));
  // The report's own domain decides; without it, subdomains in the rows do.
  const main = parts.find((part) => part.domain.name === report.domain) ?? accessible[0] ?? parts[0];
  const domain = await authorizeDomain(ctx, { name: main?.domain.name ?? report.domain }, { allowInactive: true });
  const others = accessible.filter((part) => part !== main);
  return store(ctx, main ?? { report, domain }, others);
}

const SEVERAL: Record<ReportKind, string> = {
  dmarc: 'The file has several reports. Upload them one by one.',
  tls: 'The report is about several domains.',
};

/** Stores a report, and its parts about other domains. The outcome is that of the first. */
async function store(ctx: MutationContext, main: Part, others: Part[]): Promise<Upload> {
  const { report, domain } = main;
  const domainId = domain.id;
  return ctx.transaction(
    async ({ tx, audit }) => {
      const given = [main, ...others].map((part) => ({ report: part.report, domainId: part.domain.id }));
      const options = { source: 'upload', sender: null, at: ctx.clock.now() } as const;
      const [result = NOT_STORED] = await storeReports(tx, given, options);
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
