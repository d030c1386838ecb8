import ipaddr from 'ipaddr.js';
import { REPORT_LOCAL_PARTS } from '@/lib/mail/report-addresses';
import type { Tx } from '@/server/db';
import type { OwnDomain } from '../scope';
import { publishedPolicy } from './policy';
import type { PublishedPolicy } from './schema';

// A wider range in an SPF record says nothing about whose mail it is.
const WIDEST_RANGE = { ipv4: 16, ipv6: 32 };

export type DomainFacts = {
  policy: PublishedPolicy;
  /** Ranges that the mail of the domain is sent from: the mail server, and those that the SPF record lists itself. */
  ranges: string[];
  /** Where reports should go. */
  address: string;
};

/** What the last DNS check found that reports are compared with. */
export async function factsOf(db: Tx, domain: OwnDomain): Promise<DomainFacts> {
  const [records, settings] = await Promise.all([
    db.dnsRecord.findMany({
      where: { domainId: domain.id, purpose: { in: ['dmarc', 'host', 'spf'] } },
      select: { purpose: true, found: true },
    }),
    db.domain.findUnique({
      where: { id: domain.id },
      select: { reportMailbox: { select: { localPart: true } } },
    }),
  ]);
  const foundOf = (purpose: string) =>
    records.filter((record) => record.purpose === purpose).flatMap(({ found }) => found);
  const record = foundOf('dmarc').find((text) => /^v\s*=\s*DMARC1\b/i.test(text)) ?? null;
  const mailbox = settings?.reportMailbox?.localPart;
  const locals = [REPORT_LOCAL_PARTS.dmarc, ...(mailbox ? [mailbox] : [])];
  const own = locals.map((local) => `${local}@${domain.name}`);
  return {
    policy: publishedPolicy(record, own),
    ranges: [...foundOf('host').flatMap(rangeOf), ...foundOf('spf').flatMap(spfRanges)],
    address: `${REPORT_LOCAL_PARTS.dmarc}@${domain.name}`,
  };
}

function spfRanges(record: string): string[] {
  return record.split(/\s+/).flatMap((term) => {
    const [, range] = /^\+?ip[46]:(\S+)$/i.exec(term) ?? [];
    return range ? rangeOf(range) : [];
  });
}

/** A range in the form that Postgres reads, or none. */
function rangeOf(text: string): string[] {
  const range = text.trim();
  if (ipaddr.isValid(range)) return [ipaddr.process(range).toString()];
  if (!ipaddr.isValidCIDR(range)) return [];
  const [address, bits] = ipaddr.parseCIDR(range);
  return bits >= WIDEST_RANGE[address.kind()] ? [`${address}/${bits}`] : [];
}
