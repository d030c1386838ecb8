import type { DomainFacts, ExpectedRecord } from '@/modules/domains/dns/records/record';
import type { Lookup, Resolver } from '@/server/dns/resolver';

/** Values by type and name, such as `MX acme.example`. */
export type DemoZone = Readonly<Record<string, string[]>>;

const HOST_ADDRESS = '198.51.100.24';
const REVERSE_NAME = '24.100.51.198.in-addr.arpa';
const NAME_SERVERS = ['ns1.harbor-dns.example', 'ns2.harbor-dns.example'];
const TTL_SECONDS = 3_600;
const TRUST = { isAuthentic: false, isAuthoritative: true };
/** The same in every zone. */
const ZONE_VALUES: Partial<Record<string, string[]>> = {
  NS: NAME_SERVERS,
  SOA: ['ns1.harbor-dns.example hostmaster.harbor-dns.example 2026112201 7200 900 1209600 300'],
};

/** A zone with everything that the domain should publish, and the mail server's address. */
export function zoneWith({ mailHost }: DomainFacts, records: readonly ExpectedRecord[]): DemoZone {
  const zone: Record<string, string[]> = {
    [`A ${mailHost}`]: [HOST_ADDRESS],
    [`PTR ${REVERSE_NAME}`]: [mailHost],
  };
  for (const { type, name, expected } of records) {
    if (expected !== null) zone[`${type} ${name}`] = [...(zone[`${type} ${name}`] ?? []), expected];
  }
  return zone;
}

/**
 * Answers from a zone, at the resolver and at two name servers.
 * @param options.oldSpf a domain whose second name server still has an earlier SPF record
 */
export function resolverOf(zone: DemoZone, { oldSpf }: { oldSpf?: string } = {}): Resolver {
  const lookup = (name: string, type: string): Lookup => {
    const values = ZONE_VALUES[type] ?? zone[`${type} ${name}`];
    if (values) return { status: 'found', values, ttlSeconds: TTL_SECONDS, ...TRUST };
    return { status: 'missing', values: [], ttlSeconds: TTL_SECONDS, ...TRUST };
  };
  return {
    lookup: async (name, type) => lookup(name, type),
    lookupUnverified: async (name, type) => lookup(name, type),
    zoneOf: async (name) => ({ name, servers: NAME_SERVERS.map((host) => ({ host, address: host })) }),
    signal: new AbortController().signal,
    lookupAuthoritative: async (name, type) =>
      NAME_SERVERS.map((server, index) => ({
        server,
        lookup:
          index === 1 && type === 'TXT' && name === oldSpf
            ? { status: 'found', values: ['v=spf1 a mx ~all'], ttlSeconds: TTL_SECONDS, ...TRUST }
            : lookup(name, type),
      })),
  };
}
