import { domainFilter } from '@/server/access/authorize';
import { notFound } from '@/server/errors';
import { type Page, paginate } from '@/server/pagination';
import type { Prisma } from '@/server/prisma/client';
import type { ActorContext } from '@/server/procedures/context';
import type { MutationContext } from '@/server/procedures/mutation';
import { uploadReport } from '../intake/upload';
import { countOf, rangeOf } from '../period';
import { presentArrival, presentLeftOut } from '../present';
import type { GetDomainResults, UploadReport } from '../schema';
import { readDropped, reportFilters, requireReportedDomain } from '../scope';
import { type ListTlsReports, tlsReportList } from './lists';
import { meaningOf } from './meanings';
import type { DomainTls, TlsReport, TlsReportSummary, UploadedTlsReport } from './schema';
import { readFailures, readTotals } from './sums';

export async function getDomainTls(ctx: ActorContext, { id, ...query }: GetDomainResults): Promise<DomainTls> {
  await requireReportedDomain(ctx, id);
  const range = rangeOf(query, ctx.clock.now());
  const selected = { domainId: id, range };
  const [sums, failures, dropped] = await Promise.all([
    readTotals(ctx.db, selected),
    readFailures(ctx.db, selected),
    readDropped(ctx, { domainId: id, kind: 'tls', since: range.start }),
  ]);
  return {
    period: query.period,
    start: range.start.toISOString(),
    end: range.end.toISOString(),
    ...sums,
    ...failures,
    dropped,
  };
}

export async function listTlsReports(ctx: ActorContext, input: ListTlsReports): Promise<Page<TlsReportSummary>> {
  const filters = await reportFilters(ctx, input);
  const filtered = { AND: [domainFilter(ctx.actor), filters] };
  return paginate(tlsReportList, input, {
    column: 'beginAt',
    fetch: ({ where, ...page }) => ctx.db.tlsReport.findMany({ ...page, where: { AND: [where, filtered] } }),
    count: (take) => ctx.db.tlsReport.count({ where: filtered, take }),
    present: presentSummary,
  });
}

export async function getTlsReport(ctx: ActorContext, { id }: { id: string }): Promise<TlsReport> {
  const row = await ctx.db.tlsReport.findFirst({
    relationLoadStrategy: 'join',
    where: { AND: [{ id }, domainFilter(ctx.actor)] },
    include: { failures: { orderBy: { position: 'asc' } } },
  });
  if (!row) throw notFound('report');
  return {
    ...presentSummary(row),
    policies: row.policies as TlsReport['policies'],
    failures: row.failures.map(presentFailure),
    left_out: presentLeftOut(row),
    truncated: row.isTruncated,
  };
}

export async function uploadTlsReport(ctx: MutationContext, input: UploadReport): Promise<UploadedTlsReport> {
  const { id, ...outcome } = await uploadReport(ctx, 'tls', input);
  if (!id) return outcome;
  const row = await ctx.db.tlsReport.findUnique({ where: { id } });
  return row ? { ...outcome, report: presentSummary(row) } : outcome;
}

function presentSummary(row: Prisma.TlsReportGetPayload<object>): TlsReportSummary {
  return {
    id: row.id,
    domain_id: row.domainId,
    organisation: row.organisation,
    contact: row.contact,
    report_id: row.reportId,
    begin: row.beginAt.toISOString(),
    end: row.endAt.toISOString(),
    sessions: countOf(row.sessions),
    failed_sessions: countOf(row.failedSessions),
    source: row.source,
    ...presentArrival(row),
    received_at: row.receivedAt.toISOString(),
  };
}

function presentFailure(row: Prisma.TlsFailureGetPayload<object>): TlsReport['failures'][number] {
  return {
    mx_host: row.mxHost,
    result_type: row.resultType,
    meaning: meaningOf(row.resultType),
    sessions: countOf(row.sessions),
    sending_ip: row.sendingIp,
    receiving_ip: row.receivingIp,
    receiving_helo: row.receivingHelo,
    reason_code: row.reasonCode,
    additional_information: row.additionalInformation,
  };
}
