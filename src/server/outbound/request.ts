import { type ConnectionOptions, type TLSSocket, connect as tlsConnect } from 'node:tls';
import { log } from '../log';
import { resolveHost } from './address/resolve';
import { readTarget } from './address/target';
import { type OutboundBody, openBody } from './body';
import { checkAddresses, connectToFirst } from './connect';
import { type Answer, exchange } from './exchange';
import { type FailureReason, OutboundFailure } from './failure';
import { untilAborted } from './until-aborted';

export type OutboundRequest = {
  method: 'GET' | 'POST';
  url: string;
  headers: Record<string, string>;
  body: AsyncIterable<Uint8Array>;
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
  /** Most bytes of the response body to read; 64 KiB by default. The status counts even if there is more. */
  maxResponseBytes?: number;
  resolve?: typeof resolveHost;
  connect?: (options: ConnectionOptions) => TLSSocket;
  /** PEM; trusted instead of the authorities that Node trusts. */
  ca?: string;
};

/**
 * Makes one request to an https URL that a user chose, without following redirects; any status is a response. The host is
 * resolved again, every address is checked, and the connection goes to a checked one (docs/security-rules.md 8). Never
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
const DEFAULT_MAX_RESPONSE_BYTES = 64 * 1024;

async function responseInTime(request: OutboundRequest, options: OutboundOptions, attempt: Attempt): Promise<Answer> {
  const body = openBody(request.body, request.bodyBytes);
  const deadline = new AbortController();
  const onTimeout = () => deadline.abort(timeoutOf(attempt));
  const timer = setTimeout(onTimeout, options.timeoutMs ?? DEFAULT_TIMEOUT_MS);
  try {
    return await responseTo(request, body, options, attempt, deadline.signal);
  } finally {
    clearTimeout(timer);
    body.close();
  }
}

async function responseTo(
  request: OutboundRequest,
  body: OutboundBody,
  options: OutboundOptions,
  attempt: Attempt,
  signal: AbortSignal,
): Promise<Answer> {
  const { allowPrivateNetworks, resolve = resolveHost, connect = tlsConnect, ca } = options;
  const target = readTarget(request.url);
  const found = await addressesOf(target.hostname, resolve, signal);
  const addresses = checkAddresses(found, allowPrivateNetworks);
  const onReached = (address: string) => {
    attempt.remoteAddress = address;
  };
  const socket = await connectToFirst(addresses, target, { allowPrivateNetworks, connect, ca, onReached }, signal);
  const message = { method: request.method, target, headers: request.headers, body, bodyBytes: request.bodyBytes };
  return exchange(socket, message, options.maxResponseBytes ?? DEFAULT_MAX_RESPONSE_BYTES, signal);
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
