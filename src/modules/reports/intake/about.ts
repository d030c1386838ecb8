import { normalizeDomainName } from '@/lib/mail/address';
import type { Tx } from '@/server/database/db';
import type { DmarcRow, ParsedDmarc, ParsedReport, ParsedTls } from '../reading/report';
import { fingerprintOf } from '../storing/fingerprint';

type Managed = { id: string; name: string };

/** A report or a part of it, and the managed domain that it is about. */
export type Part = { report: ParsedReport; domain: Managed };

/** A report with its parts, the one about its own domain first. Without any, it is about a domain that isn't managed. */
export type Split = { given: ParsedReport; parts: Part[] };

/**
 * Finds the managed domains that reports are about. A DMARC report is also about managed subdomains in its rows, and one about a
 * subdomain that isn't managed is about the domain above it. A TLS report may name the MX host of a domain in place of the domain.
 * @param addressedIds domains at whose addresses the reports arrived; none if they were given as files
 */
export async function findReported(tx: Tx, reports: ParsedReport[], addressedIds: string[]): Promise<Split[]> {
  const managed = await findManaged(tx, reports);
  const splits: Split[] = [];
  for (const given of reports) {
    if (given.kind === 'dmarc') splits.push({ given, parts: partsOf(given, managed, addressedIds) });
    else {
      const domain = managed.get(given.domain) ?? (await findByMxHost(tx, given, addressedIds));
      addTls(splits, given, domain);
    }
  }
  return splits;
}

/** The managed domains that the reports name, those above them, and those below the ones with rows of other names. */
async function findManaged(tx: Tx, reports: ParsedReport[]): Promise<Map<string, Managed>> {
  const names = new Set(reports.flatMap(({ domain }) => [domain, ...namesAbove(domain)]));
  const hasOthers = ({ domain, rows }: ParsedDmarc) => rows.some(({ headerFrom }) => headerFrom !== domain);
  const parents = new Set(
    reports.flatMap((report) => (report.kind === 'dmarc' && hasOthers(report) ? report.domain : [])),
  );
  const rows = await tx.$queryRaw<Managed[]>`
    SELECT id, name FROM domain WHERE name = ANY(${[...names]}::text[])
     UNION
    SELECT d.id, d.name FROM unnest(${[...parents]}::text[]) AS parent
      JOIN domain d ON right(d.name, length(parent) + 1) = '.' || parent`;
  return new Map(rows.map((domain) => [domain.name, domain]));
}

/** Returns what finds the closest of the domains that a name is, or is below. A report has thousands of names, with a hundred labels each. */
function closestOf(domains: Managed[]): (headerFrom: string) => Managed | undefined {
  const byName = new Map(domains.map((domain) => [domain.name, domain]));
  const mostLabels = Math.max(0, ...domains.map(({ name }) => name.split('.').length));
  return (headerFrom) => {
    const name = mostLabels > 0 ? (normalizeDomainName(headerFrom) ?? '') : '';
    let closest: Managed | undefined;
    let start = name.length;
    for (let count = 0; count < mostLabels && start > 0; count += 1) {
      start = name.lastIndexOf('.', start - 1);
      closest = byName.get(name.slice(start + 1)) ?? closest;
    }
    return closest;
  };
}

/** From the closest one on. */
function namesAbove(domain: string): string[] {
  const labels = domain.split('.');
  return labels.slice(1).map((_, index) => labels.slice(index + 1).join('.'));
}

function partsOf(given: ParsedDmarc, managed: Map<string, Managed>, addressedIds: string[]): Part[] {
  const above = namesAbove(given.domain).flatMap((name) => managed.get(name) ?? [])[0];
  const isForAbove = above !== undefined && (addressedIds.length === 0 || addressedIds.includes(above.id));
  const own = managed.get(given.domain) ?? (isForAbove ? above : undefined);
  const report = own ? { ...given, domain: own.name } : given;
  const froms = new Set(report.rows.map(({ headerFrom }) => headerFrom));
  const find = closestOf([...managed.values()].filter(({ name }) => name.endsWith(`.${given.domain}`)));
  const closest = new Map([...froms].map((from) => [from, find(from)]));
  const bySubdomain = new Map<Managed, DmarcRow[]>();
  for (const row of report.rows) {
    const subdomain = closest.get(row.headerFrom);
    if (!subdomain) continue;
    const rows = bySubdomain.get(subdomain) ?? [];
    rows.push(row);
    bySubdomain.set(subdomain, rows);
  }
  const taken = [...bySubdomain.values()].reduce((sum, rows) => sum + rows.length, 0);
  const others = report.rows.length - taken;
  // The rows about others are at the parent domain if that is managed, and nowhere else.
  const leftOut =
    own || others === 0 ? [] : [{ reason: 'The row is about a domain that isn’t managed here.', count: others }];
  const parts = [...bySubdomain].map(([domain, rows]) => ({
    report: { ...report, domain: domain.name, rows, leftOut: [...report.leftOut, ...leftOut] },
    domain,
  }));
  return own ? [{ report, domain: own }, ...parts] : parts;
}

/** A policy of DANE belongs to an MX host, and some senders name that as the domain. */
async function findByMxHost(tx: Tx, report: ParsedTls, addressedIds: string[]): Promise<Managed | undefined> {
  if (!report.policies.some(({ type }) => type.toLowerCase() === 'tlsa')) return undefined;
  const found = await tx.$queryRaw<Managed[]>`
    SELECT d.id, d.name FROM domain d
     WHERE right(${report.domain}, length(d.name) + 1) = '.' || d.name
        OR EXISTS (SELECT FROM dns_record r CROSS JOIN LATERAL unnest(r.found) AS value
                    WHERE r.domain_id = d.id AND r.purpose = 'mx' AND lower(split_part(value, ' ', 2)) = ${report.domain})
     ORDER BY length(d.name) DESC, d.name`;
  const addressed = found.find(({ id }) => addressedIds.includes(id));
  const above = found.find(({ name }) => report.domain.endsWith(`.${name}`));
  return addressed ?? above ?? (found.length === 1 ? found[0] : undefined);
}

/** Policies that turn out to be about one domain are one report. */
function addTls(splits: Split[], given: ParsedTls, domain: Managed | undefined): void {
  if (!domain) return void splits.push({ given, parts: [] });
  const print = Buffer.from(fingerprintOf(given));
  const known = splits.find(
    (split) => split.parts[0]?.domain.id === domain.id && print.equals(fingerprintOf(split.given)),
  )?.parts[0];
  if (known?.report.kind !== 'tls') {
    return void splits.push({ given, parts: [{ report: { ...given, domain: domain.name }, domain }] });
  }
  const { policies, failures, leftOut, isTruncated } = known.report;
  known.report = {
    ...known.report,
    policies: [...policies, ...given.policies],
    failures: [...failures, ...given.failures].toSorted((one, other) => other.sessions - one.sessions),
    isTruncated: isTruncated || given.isTruncated,
    // Omissions that belong to no domain are in each of these reports, so each reason is kept once.
    leftOut: [...leftOut, ...given.leftOut.filter(({ reason }) => !leftOut.some((one) => one.reason === reason))],
  };
}
