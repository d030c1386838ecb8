import { lookup, Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import pLimit from 'p-limit';
import { OutboundFailure } from '../failure';
import { untilAborted } from '../until-aborted';

/**
 * Returns every IPv4 and IPv6 address of a host name, IPv4 first; an IP literal resolves to itself. Asks DNS first, then
 * the system resolver for names in /etc/hosts. Rejects with the signal's reason if it aborts.
 * @throws OutboundFailure `dns` if nothing is found
 */
export async function resolveHost(
  hostname: string,
  signal: AbortSignal,
  options: { servers?: string[]; systemLookup?: SystemLookup } = {},
): Promise<string[]> {
  const literal = addressLiteral(hostname);
  if (literal !== null) return [literal];
  signal.throwIfAborted();
  const { addresses, codes } = await askDns(hostname, signal, options.servers);
  signal.throwIfAborted();
  if (addresses.length > 0) return addresses;
  if (!codes.some((code) => KNOWS_NOTHING.has(code))) throw new OutboundFailure('dns', DNS_FAILED);
  return untilAborted(askSystem(hostname, signal, options.systemLookup ?? lookupAll), signal);
}

/** The host's address if it is an IP literal, with or without brackets, else null. */
export function addressLiteral(hostname: string): string | null {
  const address = hostname.replace(/^\[|\]$/g, '');
  return isIP(address) === 0 ? null : address;
}

type SystemLookup = (hostname: string) => Promise<{ address: string }[]>;

const TRY_MS = 2000;
const TRIES = 2;
const SECOND_FAMILY_MS = 1000;
const KNOWS_NOTHING = new Set(['ENOTFOUND', 'ENODATA', 'ECONNREFUSED']);
const DNS_FAILED = "The DNS servers didn't answer for the host name.";
const NOT_FOUND = 'The host name has no address.';

// c-ares uses no thread of the pool, so one host name's dead DNS servers delay nobody else.
async function askDns(hostname: string, signal: AbortSignal, servers: string[] | undefined) {
  const resolver = new Resolver({ timeout: TRY_MS, tries: TRIES });
  if (servers) resolver.setServers(servers);
  const cancel = () => resolver.cancel();
  let timer: NodeJS.Timeout | undefined;
  const hurry = () => {
    timer ??= setTimeout(cancel, SECOND_FAMILY_MS);
  };
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const queries = [resolver.resolve4(hostname), resolver.resolve6(hostname)];
    for (const query of queries) query.then(hurry, () => {});
    const answers = await Promise.allSettled(queries);
    return {
      addresses: answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : [])),
      codes: answers.flatMap((answer) => (answer.status === 'rejected' ? [String(answer.reason?.code)] : [])),
    };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', cancel);
  }
}

// Each lookup holds one of four pool threads, for as long as the system takes.
const atMostTwo = pLimit(2);

async function askSystem(hostname: string, signal: AbortSignal, systemLookup: SystemLookup): Promise<string[]> {
  const found = await atMostTwo(async () => (signal.aborted ? [] : systemLookup(hostname))).catch(() => []);
  if (found.length === 0) throw new OutboundFailure('dns', NOT_FOUND);
  return [...new Set(found.map(({ address }) => address))];
}

function lookupAll(hostname: string): Promise<{ address: string }[]> {
  return lookup(hostname, { all: true });
}
