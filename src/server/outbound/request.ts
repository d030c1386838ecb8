import { type ConnectionOptions, type TLSSocket, connect as tlsConnect } from 'node:tls';
import { log } from '../log';
import { addressLiteral, resolveHost } from './address/resolve';
import { readTarget } from './address/target';
import { openBody } from './body';
import { checkAddresses, connectToFirst } from './connect';
import { type Connections, singleConnections } from './connections';
import { type Deadline, startDeadline } from './deadline';
import { type Answer, exchange } from './exchange';
import { ClosedWhileIdle, type FailureReason, OutboundFailure } from './failure';
import { untilAborted } from './until-aborted';

export type OutboundRequest = {
  method: 'GET' | 'POST';
  url: string;
  headers: Record<string, string>;
  body: Uint8Array | AsyncIterable<Uint8Array>;
  bodyBytes: number;
};

export type OutboundResult = {
  durationMs: number;
  /** The address of the connection, if there was one. */
  remoteAddress: string | null;
} & (
  | ({ outcome: 'answered' } & Answer)
  | {
      outcome: 'failed';
      reason: FailureReason;
      /** One sentence for an admin. */
      message: string;
    }
);

export type OutboundOptions = {
  allowPrivateNetworks: boolean;
  /** Total time, from resolving to the last byte read; 10 s by default. */
  timeoutMs?: number;
  resolve?: typeof resolveHost;
  connect?: (options: ConnectionOptions) => TLSSocket;
  /** PEM; trusted instead of the authorities that Node trusts. */
  ca?: string;
  /**
   * Kept open for later requests with the same options, while the host still resolves to the same addresses. The body must
   * be one that can be read again. Without, each request has a connection of its own.
   */
  connections?: Connections;
};

/**
 * Makes one request to an https URL that a user chose, without following redirects; any status is a response. The host is
 * resolved again, every address is checked, and the connection goes to a checked one (docs/contributing/security-rules.md 8). Never
 * rejects; the body's iterator is always closed.
 */
export async function requestOnce(request: OutboundRequest, options: OutboundOptions): Promise<OutboundResult> {
  const startedAt = performance.now();
  const attempt: Attempt = { remoteAddress: null };
  const conclude = () => ({ durationMs: Math.round(performance.now() - startedAt), ...attempt });
  try {
    const answer = await responseInTime(request, options, attempt);
    return { ...conclude(), outcome: 'answered', ...answer };
  } catch (error) {
    const { reason, message } = failureOf(error);
    return { ...conclude(), outcome: 'failed', reason, message };
  }
}

type Attempt = { remoteAddress: string | null };

const DEFAULT_TIMEOUT_MS = 10_000;
/** Most bytes of a response's body to read. The status counts even if there is more. */
const MAX_RESPONSE_BYTES = 64 * 1024;

async function responseInTime(request: OutboundRequest, options: OutboundOptions, attempt: Attempt): Promise<Answer> {
  const deadline = startDeadline(options.timeoutMs ?? DEFAULT_TIMEOUT_MS, () => timeoutOf(attempt));
  try {
    return await responseTo(request, options, attempt, deadline);
  } catch (error) {
    if (!(error instanceof ClosedWhileIdle)) throw error;
    return await responseTo(request, { ...options, connections: singleConnections() }, attempt, deadline);
  } finally {
    deadline.clear();
  }
}

async function responseTo(
  request: OutboundRequest,
  options: OutboundOptions,
  attempt: Attempt,
  deadline: Deadline,
): Promise<Answer> {
  const body = openBody(request.body, request.bodyBytes);
  try {
    const { allowPrivateNetworks, resolve = resolveHost, connect = tlsConnect, ca } = options;
    const target = readTarget(request.url);
    const literal = addressLiteral(target.hostname);
    const found = literal === null ? await addressesOf(target.hostname, resolve, deadline.signal) : [literal];
    const addresses = checkAddresses(found, allowPrivateNetworks);
    const onReached = (address: string | null) => {
      attempt.remoteAddress = address;
    };
    const over = {
      connections: options.connections ?? singleConnections(),
      connectionKey: [target.hostname, target.port, ...addresses.toSorted()].join(' '),
      open: () => connectToFirst(addresses, target, { allowPrivateNetworks, connect, ca, onReached }, deadline.signal),
      onReused: onReached,
    };
    const message = { method: request.method, target, headers: request.headers, body, bodyBytes: request.bodyBytes };
    return await exchange(over, message, MAX_RESPONSE_BYTES, deadline);
  } finally {
    body.close();
  }
}

async function addressesOf(hostname: string, resolve: typeof resolveHost, signal: AbortSignal): Promise<string[]> {
  try {
    return await untilAborted(resolve(hostname, signal), signal);
  } catch (error) {
    if (signal.aborted || error instanceof OutboundFailure) throw error;
    throw new OutboundFailure('dns', 'The host name could not be resolved.');
  }
}

function timeoutOf({ remoteAddress }: Attempt): OutboundFailure {
  const problem = remoteAddress === null ? 'could not be reached' : 'did not respond completely';
  return new OutboundFailure('timeout', `The endpoint ${problem} in time.`);
}

function failureOf(error: unknown): OutboundFailure {
  if (error instanceof OutboundFailure) return error;
  log.error({ error }, 'outbound request failed unexpectedly');
  return new OutboundFailure('broken', 'The request could not be sent.');
}
