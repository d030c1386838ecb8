import type { Answer, StringAnswer } from 'dns-packet';
import { ask, DnsFailure, type DnsServer, type RecordType, type Reply } from './ask';

export type { DnsServer, RecordType } from './ask';

/** What DNS says about a name and type. */
export type Lookup =
  | { status: 'found'; values: string[]; ttlSeconds: number; isAuthentic: boolean }
  | { status: 'missing'; values: []; ttlSeconds: number | null; isAuthentic: boolean }
  | { status: 'temporary_error'; values: []; reason: string };

type AuthoritativeLookup = { server: string; lookup: Lookup };

export type Resolver = {
  /** Asks the configured resolvers in order, until one has an answer. */
  lookup(name: string, type: RecordType): Promise<Lookup>;
  /** Asks every authoritative server of the zone that holds the name; empty if they can't be found. */
  lookupAuthoritative(name: string, type: RecordType): Promise<AuthoritativeLookup[]>;
};

type Options = {
  servers: readonly DnsServer[];
  /** Ends everything; the questions left have no answer. */
  signal: AbortSignal;
  timeoutMs?: number;
  authoritativePort?: number;
};

const TIMEOUT_MS = 5_000;
const DNS_PORT = 53;
const MAX_NAME_SERVERS = 6;
const MAX_CNAMES = 8;
const MAX_VALUES = 50;
const MAX_VALUE_LENGTH = 4_096;

/** A resolver that remembers its answers: make one for each check. */
export function createResolver(options: Options): Resolver {
  const { servers, signal, timeoutMs = TIMEOUT_MS, authoritativePort = DNS_PORT } = options;
  const known = new Map<string, Promise<Lookup>>();
  const zones = new Map<string, Promise<DnsServer[]>>();

  async function lookupOnce(name: string, type: RecordType): Promise<Lookup> {
    let failure = 'No DNS server is configured.';
    for (const server of servers) {
      const lookup = await lookupAt(server, name, type, true);
      if (lookup.status !== 'temporary_error') return lookup;
      failure = lookup.reason;
    }
    return { status: 'temporary_error', values: [], reason: failure };
  }

  async function lookupAt(server: DnsServer, name: string, type: RecordType, isRecursive: boolean): Promise<Lookup> {
    try {
      const ending = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
      return toLookup(await ask(server, { name, type }, { isRecursive, signal: ending }), name, type);
    } catch (error) {
      if (!(error instanceof DnsFailure)) throw error;
      return { status: 'temporary_error', values: [], reason: error.message };
    }
  }

  function lookup(name: string, type: RecordType): Promise<Lookup> {
    const key = `${type} ${name.toLowerCase()}`;
    const found = known.get(key) ?? lookupOnce(name, type);
    known.set(key, found);
    return found;
  }

  /** The name servers of the closest zone above the name. */
  async function nameServersOf(name: string): Promise<DnsServer[]> {
    const ns = await lookup(name, 'NS');
    if (ns.status === 'found') {
      const addresses = await Promise.all(ns.values.slice(0, MAX_NAME_SERVERS).map(addressOf));
      return addresses.flat();
    }
    const parent = name.split('.').slice(1).join('.');
    return parent.includes('.') ? zoneServers(parent) : [];
  }

  async function addressOf(host: string): Promise<DnsServer[]> {
    const { values } = await lookup(host, 'A');
    const [address] = values.length > 0 ? values : (await lookup(host, 'AAAA')).values;
    return address === undefined ? [] : [{ address, port: authoritativePort }];
  }

  function zoneServers(name: string): Promise<DnsServer[]> {
    const found = zones.get(name) ?? nameServersOf(name);
    zones.set(name, found);
    return found;
  }

  return {
    lookup,
    async lookupAuthoritative(name, type) {
      const nameServers = await zoneServers(name);
      return Promise.all(
        nameServers.map(async (server) => ({
          server: server.address,
          lookup: await lookupAt(server, name, type, false),
        })),
      );
    },
  };
}

function toLookup(reply: Reply, name: string, type: RecordType): Lookup {
  const { rcode, isAuthentic } = reply;
  if (rcode !== 'NOERROR' && rcode !== 'NXDOMAIN') {
    return { status: 'temporary_error', values: [], reason: `The server answered ${rcode}.` };
  }
  const owner = type === 'CNAME' ? name : endOfChain(reply.answers, name);
  const matching = reply.answers.filter((answer) => answer.type === type && isSame(answer.name, owner));
  const values = matching.flatMap((answer) => textOf(answer)).slice(0, MAX_VALUES);
  if (values.length > 0) {
    const ttlSeconds = Math.min(...matching.map(ttlOf));
    return { status: 'found', values: [...new Set(values)], ttlSeconds, isAuthentic };
  }
  const soa = reply.authorities.find((answer) => answer.type === 'SOA');
  const ttlSeconds = soa ? Math.min(ttlOf(soa), soa.data.minimum ?? 0) : null;
  return { status: 'missing', values: [], ttlSeconds, isAuthentic };
}

function ttlOf(answer: Answer): number {
  return 'ttl' in answer ? (answer.ttl ?? 0) : 0;
}

/** The name at the end of the CNAMEs in an answer. A loop ends somewhere inside, where nothing else is found. */
function endOfChain(answers: Answer[], name: string): string {
  let owner = name;
  for (let hops = 0; hops < MAX_CNAMES; hops += 1) {
    const alias = answers.find((answer) => answer.type === 'CNAME' && isSame(answer.name, owner));
    if (!alias) break;
    owner = (alias as StringAnswer).data;
  }
  return owner;
}

function isSame(one: string, other: string): boolean {
  return withoutDot(one) === withoutDot(other);
}

function withoutDot(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}

/** A record's value as in a zone file, without quotes. The parts of a TXT record are joined. */
function textOf(answer: Answer): string[] {
  const value = recordValue(answer);
  return value === undefined ? [] : [value.slice(0, MAX_VALUE_LENGTH)];
}

function recordValue(answer: Answer): string | undefined {
  switch (answer.type) {
    case 'A':
    case 'AAAA':
      return answer.data;
    case 'CNAME':
    case 'NS':
    case 'PTR':
      return withoutDot(answer.data) || '.';
    case 'MX':
      return `${answer.data.preference ?? 0} ${withoutDot(answer.data.exchange) || '.'}`;
    case 'SRV': {
      const { priority = 0, weight = 0, port, target } = answer.data;
      return `${priority} ${weight} ${port} ${withoutDot(target) || '.'}`;
    }
    case 'TXT':
      return [answer.data]
        .flat()
        .map((part) => (typeof part === 'string' ? part : part.toString('utf8')))
        .join('');
    case 'CAA':
      return `${answer.data.flags ?? 0} ${answer.data.tag} "${answer.data.value}"`;
    case 'TLSA': {
      const { usage, selector, matchingType, certificate } = answer.data;
      return `${usage} ${selector} ${matchingType} ${certificate.toString('hex')}`;
    }
    default:
      return undefined;
  }
}
