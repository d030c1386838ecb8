import { type DmarcPolicy, policyIn } from '@/lib/mail/dmarc';
import type { PublishedPolicy } from './schema';

type Tags = [name: string, value: string][];

// Receivers may ignore more than two.
const MAX_ADDRESSES = 10;

/** The addresses that reports are sent to. */
export function reportAddressesIn(record: string | null): string[] {
  const tags = new Map(record ? tagsOf(record) : []);
  return addressesOf(tags.get('rua') ?? '').slice(0, MAX_ADDRESSES);
}

type Context = {
  /** The addresses whose reports are read here, in lower case. */
  ownAddresses: string[];
  /** The domain above whose record this is, or null. */
  inheritedFrom: string | null;
  /** The policy that applies to the domain, which its last check found. */
  applied: DmarcPolicy | null;
};

/** Returns the policy that a DMARC record publishes for a domain. */
export function publishedPolicy(
  record: string | null,
  { ownAddresses, inheritedFrom, applied }: Context,
): PublishedPolicy {
  const tags = new Map(record ? tagsOf(record) : []);
  const rua = reportAddressesIn(record);
  const isOwn = (address: string) => ownAddresses.includes(address.toLowerCase());
  return {
    record,
    inherited_from: inheritedFrom,
    p: applied,
    sp: policyIn(tags, 'sp'),
    np: policyIn(tags, 'np'),
    rua,
    reports_to_us: rua.some(isOwn),
  };
}

// `pct` and `t` would weaken the new policy.
const DROPPED_TAGS = ['v', 'p', 'rua', 'pct', 't'];
// These are about the domains below the one that publishes the record.
const TAGS_OF_PARENT = ['sp', 'np', 'psd'];

/** The record with another policy and our address among those that get reports. Other tags stay. */
export function recordWith(
  { record, inherited_from, rua, reports_to_us }: PublishedPolicy,
  policy: DmarcPolicy,
  address: string,
): string {
  const dropped = inherited_from === null ? DROPPED_TAGS : [...DROPPED_TAGS, ...TAGS_OF_PARENT];
  const kept = record ? tagsOf(record).filter(([name]) => !dropped.includes(name)) : [];
  const uris = [...rua.map((known) => `mailto:${known}`), ...(reports_to_us ? [] : [`mailto:${address}`])];
  const tags: Tags = [['v', 'DMARC1'], ['p', policy], ...kept, ['rua', uris.join(',')]];
  return tags.map(([name, value]) => `${name}=${value}`).join('; ');
}

/** Whether receivers are asked not to apply the policy yet (RFC 9989, `t`), or to part of the mail (RFC 7489, `pct`). */
export function isPartial({ record }: PublishedPolicy): boolean {
  const tags = new Map(record ? tagsOf(record) : []);
  return tags.get('t')?.toLowerCase() === 'y' || (tags.get('pct') ?? '100') !== '100';
}

function tagsOf(record: string): Tags {
  return record.split(';').flatMap((part) => {
    const at = part.indexOf('=');
    return at < 0 ? [] : [[part.slice(0, at).trim().toLowerCase(), part.slice(at + 1).trim()]];
  });
}

function addressesOf(rua: string): string[] {
  const uris = rua.split(',').map((uri) => uri.trim());
  return uris.flatMap((uri) =>
    /^mailto:/i.test(uri) ? [uri.slice('mailto:'.length).replace(/!\d+[kmgt]?$/i, '')] : [],
  );
}
