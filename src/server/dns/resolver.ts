import { setMaxListeners } from 'node:events';
import pLimit, { type LimitFunction } from 'p-limit';
import { withinTime } from '@/lib/within-time';
import { isPublicAddress } from '../outbound/address/public-address';
import { processWide } from '../process-wide';
import { type AskOptions, ask, DnsFailure, type DnsServer, NO_ANSWER, type RecordType, type Reply } from './ask';
import { failed, isPossibleName, isSame, type Lookup, toLookup } from './lookup';

export type { DnsServer, RecordType } from './ask';
export type { Lookup } from './lookup';

type AuthoritativeLookup = { server: string; lookup: Lookup };

/** One whose address isn't known can't be asked. */
type NameServer = { host: string; address: string } | { host: string; address: null; problem: string };

type Zone = {
  name: string;
  servers: NameServer[];
};

export type Resolver = {
  /** Asks the configured resolvers in order, until one has an answer. */
  lookup(name: string, type: RecordType): Promise<Lookup>;
  /** Like `lookup`, but also gives answers that DNSSEC says are forged. */
  lookupUnverified(name: string, type: RecordType): Promise<Lookup>;
  /** Asks every authoritative server of the zone that holds the name; empty if they can't be found. */
  lookupAuthoritative(name: string, type: RecordType): Promise<AuthoritativeLookup[]>;
  /** The closest zone above the name and its name servers; null if they can't be found. */
  zoneOf(name: string): Promise<Zone | null>;
  /** Ends with the check. */
  signal: AbortSignal;
};

type Options = {
  servers: readonly DnsServer[];
  /** Ends everything; the questions left have no answer. */
  signal: AbortSignal;
  timeoutMs?: number;
  authoritativePort?: number;
  /** Asks name servers in private networks too. Anybody can publish the address of an internal host. */
  allowPrivateNetworks?: boolean;
};

const TIMEOUT_MS = 5_000;
const DNS_PORT = 53;
const MAX_NAME_SERVERS = 6;
// Each is a socket. Enough for several domains at once; more wait.
const MAX_QUESTIONS_AT_ONCE = 200;
// The share of a check, so that one whose questions nobody answers leaves the others theirs.
const MAX_OF_A_CHECK = 40;
const MAX_AT_A_NAME_SERVER = 4;
const NO_SUCH_NAME: Lookup = {
  status: 'missing',
  values: [],
  ttlSeconds: null,
  isAuthentic: false,
  isAuthoritative: false,
};
const questions = processWide<LimitFunction>('dns questions');

/** A resolver that remembers its answers: make one for each check. */
export function createResolver(options: Options): Resolver {
  const {
    servers,
    signal,
    timeoutMs = TIMEOUT_MS,
    authoritativePort = DNS_PORT,
    allowPrivateNetworks = false,
  } = options;
  const remembered = new Map<string, Promise<unknown>>();
  // Resolvers that didn't answer a question. The others are asked first, or each question would wait for them again.
  const silent = new Set<DnsServer>();
  const inTurn = pLimit(MAX_OF_A_CHECK);
  const nameServers = new Map<string, { inTurn: LimitFunction; state: 'unknown' | 'answering' | 'silent' }>();
  // One for each question, removed with its answer.
  setMaxListeners(0, signal);

  /** The promise of an earlier call with the key. */
  function once<Value>(key: string, work: () => Promise<Value>): Promise<Value> {
    const found = (remembered.get(key) as Promise<Value> | undefined) ?? work();
    remembered.set(key, found);
    return found;
  }

  async function lookupAt(
    server: DnsServer,
    name: string,
    type: RecordType,
    flags: Omit<AskOptions, 'signal'>,
  ): Promise<{ lookup: Lookup; owner: string }> {
    if (!isPossibleName(name)) return { lookup: NO_SUCH_NAME, owner: name };
    try {
      return toLookup(await askWithin(server, { name, type }, { ...flags, signal }, timeoutMs), name, type);
    } catch (error) {
      if (!(error instanceof DnsFailure)) throw error;
      return { lookup: failed(error.message), owner: name };
    }
  }

  function recursiveLookup(name: string, type: RecordType, isUnverified: boolean): Promise<Lookup> {
    return once(`${isUnverified} ${type} ${name.toLowerCase()}`, async () => {
      let last = failed('No DNS server is configured.');
      const bySilence = servers.toSorted((one, other) => Number(silent.has(one)) - Number(silent.has(other)));
      for (const server of bySilence) {
        last = (await inTurn(() => lookupAt(server, name, type, { isRecursive: true, isUnverified }))).lookup;
        if (last.status !== 'temporary_error') break;
        if (last.rcode === undefined) silent.add(server);
      }
      return last;
    });
  }

  const lookup = (name: string, type: RecordType) => recursiveLookup(name, type, false);
  // A zone whose signatures are broken still has name servers to ask.
  const lookupUnverified = (name: string, type: RecordType) => recursiveLookup(name, type, true);

  function zoneOf(name: string): Promise<Zone | null> {
    return once(`zone ${name.toLowerCase()}`, async () => {
      const ns = await lookupUnverified(name, 'NS');
      if (ns.status === 'found') {
        // Servers rotate their answers.
        const hosts = ns.values.toSorted().slice(0, MAX_NAME_SERVERS);
        return { name, servers: await Promise.all(hosts.map(nameServer)) };
      }
      const parent = name.split('.').slice(1).join('.');
      return parent.includes('.') && ns.status === 'missing' ? zoneOf(parent) : null;
    });
  }

  async function nameServer(host: string): Promise<NameServer> {
    const four = await lookupUnverified(host, 'A');
    const found = four.status === 'found' ? four : await lookupUnverified(host, 'AAAA');
    const address = found.values.find((one) => allowPrivateNetworks || isPublicAddress(one));
    if (address !== undefined) return { host, address };
    if (found.values.length > 0) return { host, address: null, problem: 'has no public address' };
    const failure = [four, found].find((lookup) => lookup.status === 'temporary_error');
    return { host, address: null, problem: failure ? `can’t be found (${failure.reason})` : 'has no address' };
  }

  /** Asks a name server, unless it has answered nothing so far: each question would wait for it. */
  async function askNameServer(address: string, name: string, type: RecordType) {
    const asked = nameServers.get(address) ?? { inTurn: pLimit(MAX_AT_A_NAME_SERVER), state: 'unknown' };
    nameServers.set(address, asked);
    return asked.inTurn(async () => {
      if (asked.state === 'silent') return { lookup: failed(NO_ANSWER), owner: name };
      const server = { address, port: authoritativePort };
      const answer = await lookupAt(server, name, type, { isRecursive: false });
      const hasAnswered = answer.lookup.status !== 'temporary_error' || answer.lookup.rcode !== undefined;
      if (hasAnswered) asked.state = 'answering';
      else if (asked.state === 'unknown') asked.state = 'silent';
      return answer;
    });
  }

  /** An alias leads to a name that other servers may hold. */
  async function lookupAtNameServer(address: string, name: string, type: RecordType): Promise<AuthoritativeLookup> {
    const found = await askNameServer(address, name, type);
    const isElsewhere = found.lookup.status === 'missing' && !isSame(found.owner, name);
    return { server: address, lookup: isElsewhere ? await lookup(found.owner, type) : found.lookup };
  }

  return {
    lookup,
    lookupUnverified,
    zoneOf,
    signal,
    lookupAuthoritative: (name, type) =>
      once(`authoritative ${type} ${name.toLowerCase()}`, async () => {
        const zone = await zoneOf(name);
        const addresses = (zone?.servers ?? []).flatMap(({ address }) => address ?? []);
        return Promise.all([...new Set(addresses)].map((address) => lookupAtNameServer(address, name, type)));
      }),
  };
}

/** The deadline of a question starts when it is sent; `signal` ends it even before. */
async function askWithin(
  server: DnsServer,
  question: { name: string; type: RecordType },
  { signal, ...flags }: AskOptions,
  timeoutMs: number,
): Promise<Reply> {
  questions.current ??= pLimit(MAX_QUESTIONS_AT_ONCE);
  const inTurn = questions.current;
  return new Promise((resolve, reject) => {
    const end = () => reject(new DnsFailure(NO_ANSWER));
    if (signal.aborted) return end();
    signal.addEventListener('abort', end, { once: true });
    inTurn(async () => {
      if (signal.aborted) return;
      resolve(await withinTime(signal, timeoutMs, (ending) => ask(server, question, { ...flags, signal: ending })));
    })
      .catch(reject)
      .finally(() => signal.removeEventListener('abort', end));
  });
}
