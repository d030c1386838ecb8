import type { Lookup, Resolver } from '@/server/dns/resolver';
import { answered, type ExaminedRecord, mismatch, ok, type Verdict } from '../record';

const MIN_NAME_SERVERS = 2;
const SERIAL_FIELD = 2;
const HALF_OF_SERIALS = 2 ** 31;

type NameServer = {
  host: string;
  address: string | null;
  /** Serial number of the zone; null if the server doesn't have the zone. */
  serial: number | null;
  problem: string | null;
};

/** Name servers: at least two, all of which have the zone in the same version. */
export function nameServerRecord(zone: string): ExaminedRecord {
  return {
    purpose: 'ns',
    type: 'NS',
    name: zone,
    expected: null,
    async examine(resolver) {
      const lookup = await answered(resolver.lookup(zone, 'NS'), zone);
      const servers = lookup.status === 'missing' ? [] : await askAll(zone, resolver);
      return {
        ...judge(servers, lookup.values.length),
        found: lookup.values,
        ttl: lookup.ttlSeconds,
        required: servers.length > 0 && servers.every(({ serial }) => serial === null),
        authoritative: servers.flatMap(({ address, serial, problem }) =>
          address === null
            ? []
            : { server: address, found: serial === null ? [] : [`${serial}`], status: problem ? 'mismatch' : 'ok' },
        ),
      };
    },
  };
}

async function askAll(zone: string, resolver: Resolver): Promise<NameServer[]> {
  const [found, answers] = await Promise.all([resolver.zoneOf(zone), resolver.lookupAuthoritative(zone, 'SOA')]);
  const servers = (found?.servers ?? []).map((server): NameServer => {
    const { host, address } = server;
    if (address === null) return { host, address, serial: null, problem: server.problem };
    const answer = answers.find((one) => one.server === address);
    return { host, address, ...stateOf(answer?.lookup) };
  });
  const newest = servers.reduce<number | null>(
    (latest, { serial }) => (serial !== null && (latest === null || isNewer(serial, latest)) ? serial : latest),
    null,
  );
  return servers.map((server) =>
    server.serial === null || server.serial === newest
      ? server
      : { ...server, problem: `is behind: it has version ${server.serial}, others have ${newest}` },
  );
}

function stateOf(lookup: Lookup | undefined): { serial: number | null; problem: string | null } {
  if (lookup?.status === 'temporary_error')
    return { serial: null, problem: `doesn’t answer for the zone (${lookup.reason})` };
  const serial = Number(lookup?.values[0]?.split(' ')[SERIAL_FIELD]);
  const isServing = lookup?.status === 'found' && lookup.isAuthoritative && Number.isInteger(serial);
  return isServing ? { serial, problem: null } : { serial: null, problem: 'doesn’t have the zone' };
}

/** Serials start over after 2³² (RFC 1982). */
function isNewer(one: number, other: number): boolean {
  return one !== other && (one - other + 2 * HALF_OF_SERIALS) % (2 * HALF_OF_SERIALS) < HALF_OF_SERIALS;
}

function judge(servers: NameServer[], count: number): Verdict {
  if (count === 0) {
    const message = 'The name servers of the domain can’t be found.';
    return { status: 'missing', severity: 'info', message, fix: null };
  }
  const failing = servers.filter(({ problem }) => problem !== null);
  if (failing.length > 0) {
    const areAllSilent = servers.every(({ serial }) => serial === null);
    const list = failing.map(({ host, problem }) => `${host} ${problem}`).join('; ');
    const fix = 'Correct the name servers at your DNS provider, or the NS records at the domain’s registrar.';
    return mismatch(areAllSilent ? 'error' : 'warning', `Of the name servers, ${list}.`, fix);
  }
  if (count < MIN_NAME_SERVERS) {
    return mismatch('warning', 'There is only one name server. If it fails, no mail arrives.', 'Add a second one.');
  }
  return ok(`All ${servers.length} name servers answer and agree.`);
}
