import { createHash, X509Certificate } from 'node:crypto';
import type { Resolver } from '@/server/dns/resolver';
import {
  addressesOf,
  answered,
  type ExaminedRecord,
  info,
  insecure,
  mismatch,
  ok,
  type Probes,
  type Verdict,
} from '../record';

const MAX_ADDRESSES = 8;
/** Certificate usages for SMTP (RFC 7672): the authority, and the server's own certificate. */
const AUTHORITY = 2;
const OWN = 3;
const HASHES: Record<number, string> = { 1: 'sha256', 2: 'sha512' };

type Tlsa = { usage: number; selector: number; matching: number; data: string };

/** DANE: a TLSA record, where there is one, is signed and matches the certificate (RFC 7672). */
export function daneRecords(mxHosts: readonly string[]): ExaminedRecord[] {
  return mxHosts.map((host) => {
    const name = `_25._tcp.${host}`;
    return {
      purpose: 'dane',
      type: 'TLSA',
      name,
      expected: null,
      async examine(resolver, { startTls }) {
        const lookup = await answered(resolver.lookup(name, 'TLSA'), name);
        const verdict =
          lookup.status === 'missing'
            ? absent()
            : lookup.isAuthentic
              ? await compare(lookup.values, host, resolver, startTls)
              : await unsigned(host, resolver);
        // Servers that know DANE deliver to a matching certificate only.
        const required = lookup.status === 'found' && verdict.status === 'mismatch';
        return { ...verdict, found: lookup.values, ttl: lookup.ttlSeconds, required };
      },
    };
  });
}

function absent(): Verdict {
  const message = 'There is no TLSA record. Mail works without; DANE makes other servers verify the certificate.';
  return { status: 'missing', severity: 'info', message, fix: null };
}

async function unsigned(host: string, resolver: Resolver): Promise<Verdict> {
  const zone = await resolver.zoneOf(host);
  const isSigned = zone !== null && (await answered(resolver.lookup(zone.name, 'DS'), zone.name)).status === 'found';
  if (isSigned)
    return info('The resolvers of this server (DNS_SERVERS) don’t verify signatures, so DANE wasn’t checked.');
  return insecure(
    'The TLSA record is in a zone that isn’t signed with DNSSEC, so other servers ignore it.',
    'Sign the zone, or remove the record.',
  );
}

async function compare(
  values: string[],
  host: string,
  resolver: Resolver,
  startTls: Probes['startTls'],
): Promise<Verdict> {
  const usable = values.map(parse).filter(({ usage }) => usage === AUTHORITY || usage === OWN);
  if (usable.length === 0) {
    return mismatch('warning', 'Other servers can’t use the TLSA record: only usages 2 and 3 exist for mail.', FIX);
  }
  if (!startTls) return info('The TLSA record wasn’t compared with the certificate: NETWORK_CHECKS is false.');
  const addresses = (await addressesOf(resolver, host)).slice(0, MAX_ADDRESSES);
  const offers = await Promise.all(addresses.map((address) => startTls(address, host, resolver.signal)));
  const chains = offers.flatMap((offer) => (offer.outcome === 'certificate' ? [offer.chain] : []));
  if (chains.length === 0) return info('The TLSA record wasn’t compared with the certificate: port 25 gave none.');
  if (chains.every((chain) => usable.some((record) => matches(record, chain)))) {
    return ok(`The TLSA record matches the certificate of ${host}.`);
  }
  return mismatch(
    'error',
    `The TLSA record doesn’t match the certificate of ${host}, so some servers send no mail.`,
    FIX,
  );
}

const FIX = 'Publish the TLSA record of the certificate in use, 3 1 1 and its hash, or remove the record.';

function parse(value: string): Tlsa {
  const [usage, selector, matching, data = ''] = value.split(' ');
  return { usage: Number(usage), selector: Number(selector), matching: Number(matching), data: data.toLowerCase() };
}

function matches({ usage, selector, matching, data }: Tlsa, chain: Buffer[]): boolean {
  const candidates = usage === OWN ? chain.slice(0, 1) : chain;
  return candidates.some((certificate) => {
    const bytes = selector === 1 ? publicKeyOf(certificate) : certificate;
    const hash = HASHES[matching];
    return data === (hash ? createHash(hash).update(bytes).digest('hex') : bytes.toString('hex'));
  });
}

function publicKeyOf(certificate: Buffer): Buffer {
  return new X509Certificate(certificate).publicKey.export({ type: 'spki', format: 'der' });
}
