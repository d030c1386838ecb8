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
import { dmarcReportList, type ListDmarcReports } from './lists';
import { factsOf } from './own-addresses';
import { recommend } from './recommendation';
import type { DmarcReport, DmarcReportRow, DmarcReportSummary, DomainDmarc, UploadedDmarcReport } from './schema';
import { countUnconfirmed, readAffected, readSources, readTotals } from './sums';

const MAX_ROWS = 1_000;
const RECOMMENDATION_PERIOD = '30d' as const;

/** Some ten queries in four rounds; none reads the rows of reports. */
export async function getDomainDmarc(ctx: ActorContext, { id, ...query }: GetDomainResults): Promise<DomainDmarc> {
  const { db } = ctx;
  const domain = await requireReportedDomain(ctx, id);
  const { policy, ranges, address, broken } = await factsOf(db, domain);
  const range = rangeOf(query, ctx.clock.now());
  const recent = rangeOf({ period: RECOMMENDATION_PERIOD }, ctx.clock.now());
  const selected = { domainId: id, range, ranges };
  const [sums, sources, affected, trusted, unconfirmed, { legitimate }, dropped] = await Promise.all([
    readTotals(db, selected),
    readSources(db, selected),
    readAffected(db, selected),
    readTotals(db, { domainId: id, range: recent, isTrusted: true }),
    countUnconfirmed(db, { domainId: id, range: recent }),
    readAffected(db, { ...selected, range: recent, isTrusted: true }),
    readDropped(ctx, { domainId: id, kind: 'dmarc', since: range.start }),
  ]);
  const { totals, series } = sums;
  return {
    period: query.period,
    start: range.start.toISOString(),
    end: range.end.toISOString(),
    policy,
    totals,
    ...sources,
    series,
    simulation: { quarantine: affected.quarantine, reject: affected.reject },
    recommendation: recommend({ policy, address, broken, unconfirmed, legitimate, ...trusted }),
    dropped,
  };
}

export async function listDmarcReports(ctx: ActorContext, input: ListDmarcReports): Promise<Page<DmarcReportSummary>> {
  const filters = await reportFilters(ctx, input);
  const filtered = { AND: [domainFilter(ctx.actor), filters] };
  return paginate(dmarcReportList, input, {
    column: 'beginAt',
    fetch: ({ where, ...page }) => ctx.db.dmarcReport.findMany({ ...page, where: { AND: [where, filtered] } }),
    count: (take) => ctx.db.dmarcReport.count({ where: filtered, take }),
    present: presentSummary,
  });
}

export async function getDmarcReport(ctx: ActorContext, { id }: { id: string }): Promise<DmarcReport> {
  const row = await ctx.db.dmarcReport.findFirst({
    relationLoadStrategy: 'join',
    where: { AND: [{ id }, domainFilter(ctx.actor)] },
    include: { rows: { orderBy: { position: 'asc' }, take: MAX_ROWS } },
  });
  if (!row) throw notFound('report');
  return {
    ...presentSummary(row),
    policy: row.policy as DmarcReport['policy'],
    errors: row.errors,
    rows_total: row.rowCount,
    left_out: presentLeftOut(row),
    truncated: row.isTruncated,
    rows: row.rows.map(presentRow),
  };
}

export async function uploadDmarcReport(ctx: MutationContext, input: UploadReport): Promise<UploadedDmarcReport> {
  const { id, ...outcome } = await uploadReport(ctx, 'dmarc', input);
  if (!id) return outcome;
  const row = await ctx.db.dmarcReport.findUnique({ where: { id } });
  return row ? { ...outcome, report: presentSummary(row) } : outcome;
}

function presentSummary(row: Prisma.DmarcReportGetPayload<object>): DmarcReportSummary {
  const { messages, aligned, unknown } = row;
  return {
    id: row.id,
    domain_id: row.domainId,
    organisation: row.organisation,
    email: row.email,
    report_id: row.reportId,
    begin: row.beginAt.toISOString(),
    end: row.endAt.toISOString(),
    messages: countOf(messages),
    aligned: countOf(aligned),
    failed: countOf(messages - aligned - unknown),
    unknown: countOf(unknown),
    source: row.source,
    ...presentArrival(row),
    received_at: row.receivedAt.toISOString(),
  };
}

function presentRow(row: Prisma.DmarcRowGetPayload<object>): DmarcReportRow {
  return {
    ip: row.ip,
    messages: countOf(row.messages),
    disposition: row.disposition as DmarcReportRow['disposition'],
    dkim_aligned: row.isDkimAligned,
    spf_aligned: row.isSpfAligned,
    header_from: row.headerFrom,
    envelope_from: row.envelopeFrom,
    envelope_to: row.envelopeTo,
    dkim: row.dkim as DmarcReportRow['dkim'],
    spf: row.spf as DmarcReportRow['spf'],
    reasons: row.reasons as DmarcReportRow['reasons'],
  };
}
