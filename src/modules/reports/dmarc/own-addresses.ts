import ipaddr from 'ipaddr.js';
import { parseAddress } from '@/lib/mail/address';
import { DMARC_POLICIES, isDmarc } from '@/lib/mail/dmarc';
import { REPORT_LOCAL_PARTS } from '@/lib/mail/report-addresses';
import type { Tx } from '@/server/database/db';
import type { OwnDomain } from '../scope';
import { publishedPolicy, reportAddressesIn } from './policy';
import type { PublishedPolicy } from './schema';

// A wider range in an SPF record says nothing about whose mail it is.
const WIDEST_RANGE = { ipv4: 16, ipv6: 32 };

export type DomainFacts = {
  policy: PublishedPolicy;
  /** Ranges that the mail of the domain is sent from: the mail server, and those that the SPF record lists itself. */
  ranges: string[];
  /** Where reports should go. */
  address: string;
  /** Whether the last check found DKIM or SPF missing or wrong: mail that depends on it fails. */
  broken: ('DKIM' | 'SPF')[];
};

/** Returns the facts from the last DNS check that reports are compared with. */
export async function factsOf(db: Tx, domain: OwnDomain): Promise<DomainFacts> {
  const records = await db.dnsRecord.findMany({
    where: { domainId: domain.id, purpose: { in: ['dkim', 'dmarc', 'host', 'spf'] } },
    select: { purpose: true, found: true, inheritedFrom: true, severity: true, required: true },
  });
  const foundOf = (purpose: string) =>
    records.filter((record) => record.purpose === purpose).flatMap(({ found }) => found);
  const isBroken = (purpose: string) =>
    records.some((record) => record.purpose === purpose && record.required && record.severity === 'error');
  const record = foundOf('dmarc').find(isDmarc) ?? null;
  const inheritedFrom = records.find(({ purpose }) => purpose === 'dmarc')?.inheritedFrom ?? null;
  const applied = DMARC_POLICIES.find((policy) => policy === domain.dmarcPolicy) ?? null;
  const ownAddresses = await findReadAddresses(db, reportAddressesIn(record));
  return {
    policy: publishedPolicy(record, { ownAddresses, inheritedFrom, applied }),
    ranges: [...foundOf('host').flatMap(rangeOf), ...foundOf('spf').flatMap(spfRanges)],
    broken: [...(isBroken('dkim') ? (['DKIM'] as const) : []), ...(isBroken('spf') ? (['SPF'] as const) : [])],
    address: `${REPORT_LOCAL_PARTS.dmarc}@${domain.name}`,
  };
}

/** Returns the addresses whose mail is read for reports: of any managed domain, and behind aliases. */
async function findReadAddresses(db: Tx, published: string[]): Promise<string[]> {
  const addresses = published.filter((address) => parseAddress(address));
  if (addresses.length === 0) return [];
  const rows = await db.$queryRaw<{ address: string }[]>`
    SELECT DISTINCT given.address
      FROM unnest(${addresses.map((address) => address.toLowerCase())}::text[]) AS given(address)
      CROSS JOIN LATERAL mta.resolve(split_part(given.address, '@', 1), split_part(given.address, '@', 2)) AS r(destination)
      JOIN domain d ON d.name = split_part(r.destination, '@', 2)
      LEFT JOIN mailbox m ON m.id = d.report_mailbox_id
     WHERE split_part(r.destination, '@', 1) = ANY(${LOCAL_PARTS}::text[])
        OR split_part(r.destination, '@', 1) = m.local_part`;
  return rows.map(({ address }) => address);
}

const LOCAL_PARTS: string[] = Object.values(REPORT_LOCAL_PARTS);

function spfRanges(record: string): string[] {
  return record.split(/\s+/).flatMap((term) => {
    const [, range] = /^\+?ip[46]:(\S+)$/i.exec(term) ?? [];
    return range ? rangeOf(range) : [];
  });
}

/** A range in the form that Postgres reads, or none. */
function rangeOf(text: string): string[] {
  const range = text.trim();
  // Postgres refuses an address with a zone.
  if (range.includes('%')) return [];
  if (ipaddr.isValid(range)) return [ipaddr.process(range).toString()];
  if (!ipaddr.isValidCIDR(range)) return [];
  const [address, bits] = ipaddr.parseCIDR(range);
  return bits >= WIDEST_RANGE[address.kind()] ? [`${address}/${bits}`] : [];
}
