import { reverseName } from '@/server/dns/reverse-name';
import { answered, type DomainFacts, type ExaminedRecord, mismatch, ok, type Probes, type Verdict } from './record';

/** Lists answer so to public resolvers and to those that ask too much (RFC 5782 has no such answer). */
const REFUSAL = /^127\.255\.255\.|^127\.0\.1\.255$/;
const LISTED = /^127\./;

/** Blocklists: neither the domain nor an address of the mail server is listed. */
export function blocklistRecords(
  { name }: DomainFacts,
  addresses: readonly string[],
  { addresses: addressLists, domains }: NonNullable<Probes['blocklists']>,
): ExaminedRecord[] {
  return [
    ...addresses.flatMap((address) =>
      addressLists.map((list) => blocklistRecord(address, reverseName(address, { ipv4: list, ipv6: list }), list)),
    ),
    ...domains.map((list) => blocklistRecord(name, `${name}.${list}`, list)),
  ];
}

function blocklistRecord(listed: string, name: string, list: string): ExaminedRecord {
  return {
    purpose: 'blocklist',
    type: 'A',
    name,
    expected: null,
    async examine(resolver) {
      const lookup = await resolver.lookup(name, 'A');
      if (lookup.status === 'temporary_error' && lookup.rcode === 'REFUSED') {
        return { ...refused(list), found: [], ttl: null, required: false };
      }
      const { values, ttlSeconds } = await answered(Promise.resolve(lookup), name);
      return { ...judge(values, listed, list), found: values, ttl: ttlSeconds, required: false };
    },
  };
}

function judge(values: string[], listed: string, list: string): Verdict {
  if (values.length === 0) return ok(`${listed} is not listed at ${list}.`);
  if (values.some((value) => REFUSAL.test(value))) return refused(list);
  if (values.every((value) => LISTED.test(value))) {
    const fix = `Find the cause, then ask ${list} to remove the entry.`;
    return mismatch('error', `${listed} is listed at ${list}, so many servers reject its mail.`, fix);
  }
  return mismatch(
    'warning',
    `${list} gave an answer that isn’t one of a blocklist.`,
    'Check BLOCKLISTS and DNS_SERVERS.',
  );
}

function refused(list: string): Verdict {
  const fix = 'Set DNS_SERVERS to a resolver of your own; lists refuse public ones.';
  return mismatch('warning', `${list} refused the query, so it isn’t known whether it has an entry.`, fix);
}
