import type { Tx } from '@/server/database/db';
import { Prisma } from '@/server/prisma/client';
import { countOf, type PeriodRange } from '../period';
import { adviceOn } from './advice';
import type { DmarcSource, DmarcTotals, DomainDmarc } from './schema';

const MAX_SOURCES = 200;

export type Selected = {
  domainId: string;
  range: PeriodRange;
  ranges: string[];
  /** Only reports whose sender is confirmed, which weigh in the recommended policy. */
  isTrusted?: boolean;
};

function ofReports({ domainId, range, isTrusted }: Omit<Selected, 'ranges'>): Prisma.Sql {
  const trusted = isTrusted ? Prisma.sql`AND is_trusted` : Prisma.empty;
  return Prisma.sql`
    domain_id = ${domainId}::uuid AND day BETWEEN ${range.start}::timestamptz::date AND ${range.end}::timestamptz::date
    ${trusted}`;
}

/** Totals and one entry per day, from the sums by day and organisation. */
export async function readTotals(
  db: Tx,
  selected: Omit<Selected, 'ranges'>,
): Promise<{ totals: DmarcTotals; series: DomainDmarc['series']; reportedDays: number }> {
  const rows = await db.$queryRaw<TotalsRow[]>`
    SELECT day, count(DISTINCT organisation)::text AS organisations, sum(reports)::text AS reports,
           sum(messages)::text AS messages, sum(aligned)::text AS aligned, sum(dkim_aligned)::text AS dkim_aligned,
           sum(spf_aligned)::text AS spf_aligned, sum(messages - aligned - unknown)::text AS failed,
           sum(unknown)::text AS unknown, sum(quarantined)::text AS quarantined, sum(rejected)::text AS rejected
      FROM dmarc_day WHERE ${ofReports(selected)}
     GROUP BY GROUPING SETS ((day), ())`;
  const whole = rows.find(({ day }) => day === null);
  const of = (row: TotalsRow | undefined, column: TotalsColumn) => countOf(BigInt(row?.[column] ?? 0));
  const totals = {
    reports: of(whole, 'reports'),
    organisations: of(whole, 'organisations'),
    messages: of(whole, 'messages'),
    aligned: of(whole, 'aligned'),
    dkim_aligned: of(whole, 'dkim_aligned'),
    spf_aligned: of(whole, 'spf_aligned'),
    failed: of(whole, 'failed'),
    unknown: of(whole, 'unknown'),
    quarantined: of(whole, 'quarantined'),
    rejected: of(whole, 'rejected'),
  };
  const byDay = new Map(rows.flatMap((row) => (row.day ? [[row.day.getTime(), row]] : [])));
  const series = selected.range.days.map((day) => {
    const row = byDay.get(day.getTime());
    return { at: day.toISOString(), aligned: of(row, 'aligned'), failed: of(row, 'failed') };
  });
  return { totals, series, reportedDays: byDay.size };
}

/** Reports whose sender isn't confirmed. */
export async function countUnconfirmed(db: Tx, selected: Omit<Selected, 'ranges'>): Promise<number> {
  const [row] = await db.$queryRaw<{ reports: string }[]>`
    SELECT coalesce(sum(reports), 0)::text AS reports FROM dmarc_day WHERE ${ofReports(selected)} AND NOT is_trusted`;
  return countOf(BigInt(row?.reports ?? 0));
}

type TotalsColumn = keyof DmarcTotals;
/** `day` is null for the whole range. */
type TotalsRow = Record<TotalsColumn, string | null> & { day: Date | null };

/** The sums of each source in the range. A source is legitimate if it is ours, or if some of its mail passes. */
function sources(selected: Selected): Prisma.Sql {
  return Prisma.sql`
    WITH summed AS (
      SELECT ip, sum(messages) AS messages, sum(aligned) AS aligned, sum(dkim_aligned) AS dkim_aligned,
             sum(spf_aligned) AS spf_aligned, sum(quarantined) AS quarantined, sum(rejected) AS rejected,
             sum(unknown) AS unknown, min(first_seen_at) AS first_seen, max(last_seen_at) AS last_seen
        FROM dmarc_source_day WHERE ${ofReports(selected)}
       GROUP BY ip
    ), source AS (
      SELECT *, ip::inet <<= ANY(${selected.ranges}::inet[]) AS is_ours FROM summed
    )`;
}

type SourceRow = Record<
  'messages' | 'aligned' | 'dkim_aligned' | 'spf_aligned' | 'unknown' | 'quarantined' | 'rejected',
  string
> & {
  ip: string;
  hostname: string | null;
  organisation: string | null;
  is_ours: boolean;
  first_seen: Date;
  last_seen: Date;
  dkim_domains: string[] | null;
  spf_domains: string[] | null;
  sources_total: string;
};

export async function readSources(db: Tx, selected: Selected): Promise<Pick<DomainDmarc, 'sources' | 'sources_total'>> {
  const { domainId, range } = selected;
  const rows = await db.$queryRaw<SourceRow[]>`
    ${sources(selected)}, listed AS (
      SELECT *, count(*) OVER () AS sources_total FROM source ORDER BY messages DESC, ip LIMIT ${MAX_SOURCES}
    ), passed AS (
      SELECT d.ip, array_agg(DISTINCT dkim.name) FILTER (WHERE dkim.name IS NOT NULL) AS dkim_domains,
             array_agg(DISTINCT spf.name) FILTER (WHERE spf.name IS NOT NULL) AS spf_domains
        FROM dmarc_source_day d JOIN listed USING (ip)
        LEFT JOIN LATERAL unnest(d.dkim_domains) AS dkim(name) ON true
        LEFT JOIN LATERAL unnest(d.spf_domains) AS spf(name) ON true
       WHERE d.domain_id = ${domainId}::uuid
         AND d.day BETWEEN ${range.start}::timestamptz::date AND ${range.end}::timestamptz::date
       GROUP BY d.ip
    )
    SELECT listed.ip, h.hostname, h.organisation, is_ours, messages::text, aligned::text, dkim_aligned::text,
           spf_aligned::text, unknown::text, quarantined::text, rejected::text, first_seen, last_seen, dkim_domains, spf_domains,
           sources_total::text
      FROM listed LEFT JOIN passed USING (ip) LEFT JOIN report_host h USING (ip)
     ORDER BY listed.messages DESC, listed.ip`;
  return { sources: rows.map(presentSource), sources_total: Number(rows[0]?.sources_total ?? 0) };
}

export type Affected = DomainDmarc['simulation'] & {
  /** Messages of legitimate sources, and those that fail: of our own addresses, and of others. */
  legitimate: { messages: number; failed: number; ownFailed: number };
};

/** Returns the mail that stricter policies would have affected. A policy doesn't affect mail that was already treated that way. */
export async function readAffected(db: Tx, selected: Selected): Promise<Affected> {
  const [sums, quarantined, rejected] = await Promise.all([
    db.$queryRaw<SumRow[]>`
      ${sources(selected)}
      SELECT (aligned > 0 OR is_ours) AS is_legitimate, is_ours, sum(messages)::text AS messages,
             sum(messages - aligned - unknown)::text AS failed, sum(${AFFECTED.quarantine})::text AS quarantine,
             sum(${AFFECTED.reject})::text AS reject
        FROM source GROUP BY 1, 2`,
    readAffectedIps(db, selected, 'quarantine'),
    readAffectedIps(db, selected, 'reject'),
  ]);
  const sumOf = (column: SumColumn, isCounted: (row: SumRow) => boolean = () => true) =>
    countOf(sums.filter(isCounted).reduce((sum, row) => sum + BigInt(row[column]), 0n));
  const isLegitimate = (row: SumRow) => row.is_legitimate;
  const simulated = (policy: 'quarantine' | 'reject', ips: string[]) => ({
    messages: sumOf(policy),
    legitimate_messages: sumOf(policy, isLegitimate),
    sources: ips,
  });
  return {
    quarantine: simulated('quarantine', quarantined),
    reject: simulated('reject', rejected),
    legitimate: {
      messages: sumOf('messages', isLegitimate),
      failed: sumOf('failed', isLegitimate),
      ownFailed: sumOf('failed', ({ is_ours }) => is_ours),
    },
  };
}

type SumColumn = 'messages' | 'failed' | 'quarantine' | 'reject';
type SumRow = Record<SumColumn, string> & { is_legitimate: boolean; is_ours: boolean };

// A forged report may claim more rejected messages than failed ones.
const AFFECTED = {
  quarantine: Prisma.sql`greatest(messages - aligned - unknown - quarantined - rejected, 0)`,
  reject: Prisma.sql`greatest(messages - aligned - unknown - rejected, 0)`,
};

async function readAffectedIps(db: Tx, selected: Selected, policy: keyof typeof AFFECTED): Promise<string[]> {
  const rows = await db.$queryRaw<{ ip: string }[]>`
    ${sources(selected)}
    SELECT ip FROM source WHERE (aligned > 0 OR is_ours) AND ${AFFECTED[policy]} > 0
     ORDER BY ${AFFECTED[policy]} DESC, ip LIMIT ${MAX_SOURCES}`;
  return rows.map(({ ip }) => ip);
}

function presentSource(row: SourceRow): DmarcSource {
  const [messages, quarantine, reject] = [row.messages, row.quarantined, row.rejected].map((sum) =>
    countOf(BigInt(sum)),
  ) as [number, number, number];
  const source = {
    ip: row.ip,
    hostname: row.hostname,
    organisation: row.organisation,
    is_ours: row.is_ours,
    messages,
    aligned: countOf(BigInt(row.aligned)),
    dkim_aligned: countOf(BigInt(row.dkim_aligned)),
    spf_aligned: countOf(BigInt(row.spf_aligned)),
    unknown: countOf(BigInt(row.unknown)),
    disposition: { none: Math.max(messages - quarantine - reject, 0), quarantine, reject },
    dkim_domains: row.dkim_domains ?? [],
    spf_domains: row.spf_domains ?? [],
    first_seen: row.first_seen.toISOString(),
    last_seen: row.last_seen.toISOString(),
  };
  return { ...source, ...adviceOn(source) };
}
