import { uuidv7 } from '@/lib/uuid';
import type { Tx } from '@/server/database/db';
import { Prisma } from '@/server/prisma/client';
import type { DmarcRow, ParsedDmarc } from '../reading/report';
import { CAPS, UNAUTHENTICATED } from './caps';
import { reportedDay } from './fingerprint';
import type { NewReport } from './options';
import { isTrusted } from './trust';

const BATCH_SIZE = 5_000;
const MAX_DOMAINS = 10;

/** @returns the new row's id */
export async function insertDmarc(tx: Tx, report: ParsedDmarc, options: NewReport): Promise<string> {
  const { domainId, source, sender, at, fingerprint } = options;
  const { rows, policy, errors, isTruncated } = report;
  const id = uuidv7();
  const totals = sumOf(rows);
  await tx.dmarcReport.create({
    data: {
      id,
      domainId,
      fingerprint,
      organisation: report.organisation,
      email: report.contact,
      reportId: report.reportId,
      beginAt: report.begin,
      endAt: report.end,
      messages: totals.messages,
      aligned: totals.aligned,
      rowCount: rows.length,
      isTruncated,
      policy,
      errors,
      source,
      receivedAt: at,
      unknown: totals.unknown,
      leftOut: report.leftOut,
      senderDomain: sender?.domain ?? null,
      isAuthenticated: sender?.isAuthenticated ?? false,
    },
  });
  await insertRows(tx, id, rows);
  const summed = { domainId, day: reportedDay(report), isTrusted: isTrusted(report, options) };
  await addDay(tx, report, summed, totals);
  await addSources(tx, report, summed, await withinCap(tx, summed, sourcesOf(rows)));
  return id;
}

/** The domain, day and trust that rows of sums are about. */
type Summed = { domainId: string; day: Date; isTrusted: boolean };

type Column = 'messages' | 'aligned' | 'dkim_aligned' | 'spf_aligned' | 'quarantined' | 'rejected' | 'unknown';
type Sum = Record<Column, number>;
type Source = Sum & { ip: string; dkim_domains: Set<string>; spf_domains: Set<string> };

function emptySum(): Sum {
  return { messages: 0, aligned: 0, dkim_aligned: 0, spf_aligned: 0, quarantined: 0, rejected: 0, unknown: 0 };
}

function add(sum: Sum, { messages, isDkimAligned, isSpfAligned, disposition }: DmarcRow): void {
  sum.messages += messages;
  if (isDkimAligned || isSpfAligned) sum.aligned += messages;
  else if (isDkimAligned === null || isSpfAligned === null) sum.unknown += messages;
  if (isDkimAligned) sum.dkim_aligned += messages;
  if (isSpfAligned) sum.spf_aligned += messages;
  if (disposition === 'quarantine') sum.quarantined += messages;
  if (disposition === 'reject') sum.rejected += messages;
}

function sumOf(rows: DmarcRow[]): Sum {
  const sum = emptySum();
  for (const row of rows) add(sum, row);
  return sum;
}

function sourcesOf(rows: DmarcRow[]): Source[] {
  const sources = new Map<string, Source>();
  for (const row of rows) {
    const source = sources.get(row.ip) ?? {
      ip: row.ip,
      ...emptySum(),
      dkim_domains: new Set<string>(),
      spf_domains: new Set<string>(),
    };
    sources.set(row.ip, source);
    add(source, row);
    addPassed(source.dkim_domains, row.dkim);
    addPassed(source.spf_domains, row.spf);
  }
  return [...sources.values()];
}

function addPassed(domains: Set<string>, checks: { domain: string; result: string }[]): void {
  for (const { domain, result } of checks) {
    if (result === 'pass' && domain && domains.size < MAX_DOMAINS) domains.add(domain);
  }
}

async function insertRows(tx: Tx, reportId: string, rows: DmarcRow[]): Promise<void> {
  for (let start = 0; start < rows.length; start += BATCH_SIZE) {
    const batch = rows.slice(start, start + BATCH_SIZE).map((row, index) => ({ ...row, position: start + index }));
    await tx.$executeRaw`
      INSERT INTO dmarc_row (dmarc_report_id, position, ip, messages, disposition, is_dkim_aligned, is_spf_aligned,
                             header_from, envelope_from, envelope_to, dkim, spf, reasons)
      SELECT ${reportId}::uuid, position, ip, messages, disposition, "isDkimAligned", "isSpfAligned",
             "headerFrom", "envelopeFrom", "envelopeTo", dkim, spf, reasons
        FROM jsonb_to_recordset(${JSON.stringify(batch)}::jsonb) AS given(
             position int, ip text, messages bigint, disposition text, "isDkimAligned" boolean, "isSpfAligned" boolean,
             "headerFrom" text, "envelopeFrom" text, "envelopeTo" text, dkim jsonb, spf jsonb, reasons jsonb)`;
  }
}

async function addDay(tx: Tx, { organisation }: ParsedDmarc, summed: Summed, sum: Sum): Promise<void> {
  const { domainId, day, isTrusted: trusted } = summed;
  await tx.$executeRaw`
    INSERT INTO dmarc_day AS known (domain_id, day, organisation, is_trusted, reports, messages, aligned, dkim_aligned,
                                    spf_aligned, quarantined, rejected, unknown)
    VALUES (${domainId}::uuid, ${day}::timestamptz::date, ${organisation}, ${trusted}, 1, ${sum.messages}, ${sum.aligned},
            ${sum.dkim_aligned}, ${sum.spf_aligned}, ${sum.quarantined}, ${sum.rejected}, ${sum.unknown})
    ON CONFLICT (domain_id, day, organisation, is_trusted) DO UPDATE SET
      reports = known.reports + 1,
      messages = known.messages + EXCLUDED.messages,
      aligned = known.aligned + EXCLUDED.aligned,
      dkim_aligned = known.dkim_aligned + EXCLUDED.dkim_aligned,
      spf_aligned = known.spf_aligned + EXCLUDED.spf_aligned,
      quarantined = known.quarantined + EXCLUDED.quarantined,
      rejected = known.rejected + EXCLUDED.rejected,
      unknown = known.unknown + EXCLUDED.unknown`;
}

/** Returns the sources that the day has already, and of the others as many as it may have, most messages first. */
async function withinCap(tx: Tx, { domainId, day, isTrusted: trusted }: Summed, sources: Source[]): Promise<Source[]> {
  const ofDay = Prisma.sql`
    domain_id = ${domainId}::uuid AND day = ${day}::timestamptz::date AND is_trusted = ${trusted}`;
  const [known] = await tx.$queryRaw<{ count: number }[]>`
    SELECT count(*)::int AS count FROM dmarc_source_day WHERE ${ofDay}`;
  const room = (trusted ? CAPS.sources : UNAUTHENTICATED.sources) - (known?.count ?? 0);
  if (sources.length <= room) return sources;
  const ips = sources.map(({ ip }) => ip);
  const found = await tx.$queryRaw<{ ip: string }[]>`
    SELECT ip FROM dmarc_source_day WHERE ${ofDay} AND ip = ANY(${ips}::text[])`;
  const knownIps = new Set(found.map(({ ip }) => ip));
  const added = sources.filter(({ ip }) => !knownIps.has(ip)).sort((one, other) => other.messages - one.messages);
  return [...sources.filter(({ ip }) => knownIps.has(ip)), ...added.slice(0, Math.max(room, 0))];
}

async function addSources(tx: Tx, report: ParsedDmarc, summed: Summed, sources: Source[]): Promise<void> {
  const { domainId, day, isTrusted: trusted } = summed;
  for (let start = 0; start < sources.length; start += BATCH_SIZE) {
    const batch = sources.slice(start, start + BATCH_SIZE).map((source) => ({
      ...source,
      dkim_domains: [...source.dkim_domains],
      spf_domains: [...source.spf_domains],
    }));
    await tx.$executeRaw`
      INSERT INTO dmarc_source_day AS known (domain_id, day, ip, messages, aligned, dkim_aligned, spf_aligned, quarantined,
                                             rejected, unknown, dkim_domains, spf_domains, first_seen_at, last_seen_at, is_trusted)
      SELECT ${domainId}::uuid, ${day}::timestamptz::date, ip, messages, aligned, dkim_aligned, spf_aligned, quarantined,
             rejected, unknown, dkim_domains, spf_domains, ${report.begin}::timestamptz, ${report.end}::timestamptz,
             ${trusted}
        FROM jsonb_to_recordset(${JSON.stringify(batch)}::jsonb) AS given(
             ip text, messages bigint, aligned bigint, dkim_aligned bigint, spf_aligned bigint, quarantined bigint,
             rejected bigint, unknown bigint, dkim_domains text[], spf_domains text[])
      ON CONFLICT (domain_id, day, ip, is_trusted) DO UPDATE SET
        messages = known.messages + EXCLUDED.messages,
        aligned = known.aligned + EXCLUDED.aligned,
        dkim_aligned = known.dkim_aligned + EXCLUDED.dkim_aligned,
        spf_aligned = known.spf_aligned + EXCLUDED.spf_aligned,
        quarantined = known.quarantined + EXCLUDED.quarantined,
        rejected = known.rejected + EXCLUDED.rejected,
        unknown = known.unknown + EXCLUDED.unknown,
        dkim_domains = ARRAY(SELECT DISTINCT unnest(known.dkim_domains || EXCLUDED.dkim_domains) ORDER BY 1 LIMIT ${MAX_DOMAINS}),
        spf_domains = ARRAY(SELECT DISTINCT unnest(known.spf_domains || EXCLUDED.spf_domains) ORDER BY 1 LIMIT ${MAX_DOMAINS}),
        first_seen_at = least(known.first_seen_at, EXCLUDED.first_seen_at),
        last_seen_at = greatest(known.last_seen_at, EXCLUDED.last_seen_at)`;
  }
}
