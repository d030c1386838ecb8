import type { Resolver } from '@/server/dns/resolver';
import { answered, type DomainFacts, type ExaminedRecord, hasPublicName, mismatch, ok, type Verdict } from '../record';

const KNOWN_TAGS = new Set(['issue', 'issuewild', 'iodef', 'issuemail', 'issuevmc', 'contactemail', 'contactphone']);
const CRITICAL = 128;

type CaaSet = { name: string; values: string[]; ttl: number | null };

/** CAA: the authority may issue certificates for the mail server and for the host names of the domain. */
export function caaRecords({ name, mailHost, certificateIssuer }: DomainFacts): ExaminedRecord[] {
  return [...new Set([mailHost, name])].filter(hasPublicName).map((host) => ({
    purpose: 'caa',
    type: 'CAA',
    name: host,
    expected: null,
    async examine(resolver) {
      const { values, ttl, name: at } = await closestSet(host, resolver);
      return { ...judge(values, { host, at, certificateIssuer }), found: values, ttl, required: false };
    },
  }));
}

/** The records of the name or else of the closest parent that has some (RFC 8659). */
async function closestSet(name: string, resolver: Resolver): Promise<CaaSet> {
  const lookup = await answered(resolver.lookup(name, 'CAA'), name);
  const parent = name.split('.').slice(1).join('.');
  const isLast = lookup.status === 'found' || parent === '';
  return isLast ? { name, values: lookup.values, ttl: lookup.ttlSeconds } : closestSet(parent, resolver);
}

function judge(
  values: string[],
  { host, at, certificateIssuer }: { host: string; at: string; certificateIssuer: string },
): Verdict {
  const records = values.map(parse);
  const issuers = records.filter(({ tag }) => tag === 'issue').map(({ value }) => value.split(';')[0]?.trim());
  const isUnknown = records.some(({ flags, tag }) => (flags & CRITICAL) !== 0 && !KNOWN_TAGS.has(tag));
  const isPermitted = issuers.length === 0 || issuers.includes(certificateIssuer);
  if (values.length === 0) return ok(`Every authority may issue certificates for ${host}.`);
  if (isPermitted && !isUnknown) return ok(`${certificateIssuer} may issue certificates for ${host}.`);
  return mismatch(
    'error',
    `The CAA records of ${at} don’t let ${certificateIssuer} issue certificates for ${host}, so the next renewal fails.`,
    isUnknown
      ? 'Remove the critical CAA record with an unknown tag.'
      : `Add the CAA record 0 issue "${certificateIssuer}" at ${at}, or set CERTIFICATE_ISSUER to the authority in use.`,
  );
}

function parse(value: string): { flags: number; tag: string; value: string } {
  const [, flags = '0', tag = '', text = ''] = /^(\d+) (\S+) "(.*)"$/s.exec(value) ?? [];
  return { flags: Number(flags), tag: tag.toLowerCase(), value: text.toLowerCase() };
}
