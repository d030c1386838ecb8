import { domainFilter } from '@/server/access/authorize';
import { AppError, notFound } from '@/server/errors';
import { type Page, paginate } from '@/server/pagination';
import type { Prisma } from '@/server/prisma/client';
import type { ActorContext } from '@/server/procedures/context';
import type { MutationContext } from '@/server/procedures/mutation';
import { countOf, rangeOf } from '../period';
import type { UploadReport } from '../schema';
import { readDropped, reportFilters, requireReportedDomain } from '../scope';
import type {
  DmarcReport,
  DmarcReportRow,
  DmarcReportSummary,
  DomainDmarc,
  GetDomainDmarc,
  ListDmarcReports,
  UploadedDmarcReport,
} from './schema';

const MAX_ROWS = 1_000;
const NOTHING = { messages: 0, legitimate_messages: 0, sources: [] };

export async function getDomainDmarc(ctx: ActorContext, { id, period }: GetDomainDmarc): Promise<DomainDmarc> {
  const domain = await requireReportedDomain(ctx, id);
  const { start, end, days } = rangeOf(period, ctx.clock.now());
  return {
    period,
    start: start.toISOString(),
    end: end.toISOString(),
    policy: { record: null, p: null, sp: null, np: null, rua: [], reports_to_us: false },
    totals: {
      reports: 0,
      organisations: 0,
      messages: 0,
      aligned: 0,
      dkim_aligned: 0,
      spf_aligned: 0,
      failed: 0,
      quarantined: 0,
      rejected: 0,
    },
    sources: [],
    sources_total: 0,
    series: days.map((day) => ({ at: day.toISOString(), aligned: 0, failed: 0 })),
    simulation: { quarantine: NOTHING, reject: NOTHING },
    recommendation: {
      policy: 'none',
      record: `v=DMARC1; p=none; rua=mailto:dmarc-reports@${domain.name}`,
      reason: 'There are no reports yet. Publish the record to receive them.',
      evidence: [],
    },
    dropped: await readDropped(ctx, id, 'dmarc'),
  };
}

export async function listDmarcReports(ctx: ActorContext, input: ListDmarcReports): Promise<Page<DmarcReportSummary>> {
  const filters = await reportFilters(ctx, input);
  return paginate(
    'dmarc reports',
    input,
    'beginAt',
    ({ where, ...page }) =>
      ctx.db.dmarcReport.findMany({ ...page, where: { AND: [where, domainFilter(ctx.actor), filters] } }),
    presentSummary,
  );
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
    truncated: row.isTruncated,
    rows: row.rows.map(presentRow),
  };
}

export async function uploadDmarcReport(_ctx: MutationContext, _input: UploadReport): Promise<UploadedDmarcReport> {
  const message = 'The file is not a DMARC report.';
  throw new AppError('VALIDATION_ERROR', message, { details: { fields: [{ path: 'content', message }] } });
}

function presentSummary(row: Prisma.DmarcReportGetPayload<object>): DmarcReportSummary {
  const { messages, aligned } = row;
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
    failed: countOf(messages - aligned),
    source: row.source,
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
