import { type ConnectionOptions, type TLSSocket, connect as tlsConnect } from 'node:tls';
import { log } from '../log';
import { type OutboundBody, openBody } from './body';
import { checkAddresses, connectToFirst } from './connect';
import { type Answer, exchange } from './exchange';
import { type FailureReason, OutboundFailure } from './failure';
import { resolveHost } from './resolve';
import { readTarget } from './target';
import { untilAborted } from './until-aborted';

export type OutboundRequest = {
  url: string;
  headers: Record<string, string>;
  body: AsyncIterable<Uint8Array>;
  bodyBytes: number;
};

export type OutboundResult = {
  durationMs: number;
  /** The address that was connected to, if any. */
  remoteAddress: string | null;
} & (
  | ({ outcome: 'answered' } & Answer)
  | {
      outcome: 'failed';
      reason: FailureReason;
      /** One plain sentence for an admin. */
      message: string;
    }
);

export type OutboundOptions = {
  allowPrivateNetworks: boolean;
  /** In all, from resolving to the last byte read; 10 s. */
  timeoutMs?: number;
  /** Of the answer's body; 64 KiB. More is not read, and the status counts. */
  maxAnswerBytes?: number;
  resolve?: typeof resolveHost;
  connect?: (options: ConnectionOptions) => TLSSocket;
  /** Trusted instead of the authorities that Node trusts, PEM. */
  ca?: string;
};

/**
 * Makes one POST to an https address that a user chose, once, with no redirect followed: any status is an answer. The
 * host is resolved anew, every address is checked, and the connection goes to a checked one. Never rejects; the body's
 * iterator is always closed.
 */
export async function postOnce(request: OutboundRequest, options: OutboundOptions): Promise<OutboundResult> {
  const startedAt = performance.now();
  const attempt: Attempt = { remoteAddress: null };
  const conclude = () => ({ durationMs: Math.round(performance.now() - startedAt), ...attempt });
  try {
    const answer = await answerInTime(request, options, attempt);
    return { ...conclude(), outcome: 'answered', ...answer };
  } catch (error) {
    const { reason, message } = failureOf(error);
    return { ...conclude(), outcome: 'failed', reason, message };
  }
}

type Attempt = { remoteAddress: string | null };

const DEFAULT_TIMEOUT_MS = 10_000;
const DEFAULT_MAX_ANSWER_BYTES = 64 * 1024;

async function answerInTime(request: OutboundRequest, options: OutboundOptions, attempt: Attempt): Promise<Answer> {
  const body = openBody(request.body, request.bodyBytes);
  const deadline = new AbortController();
  const onTimeout = () => deadline.abort(timeoutOf(attempt));
  const timer = setTimeout(onTimeout, options.timeoutMs ?? DEFAULT_TIMEOUT_MS);
  try {
    return await answerTo(request, body, options, attempt, deadline.signal);
  } finally {
    clearTimeout(timer);
    body.close();
  }
}

async function answerTo(
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
  const message = { target, headers: request.headers, body, bodyBytes: request.bodyBytes };
  return exchange(socket, message, options.maxAnswerBytes ?? DEFAULT_MAX_ANSWER_BYTES, signal);
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
  const words = remoteAddress === null ? 'could not be reached' : 'did not answer in full';
  return new OutboundFailure('timeout', `The endpoint ${words} in time.`);
}

function failureOf(error: unknown): OutboundFailure {
  if (error instanceof OutboundFailure) return error;
  log.error({ error }, 'an outbound request failed in a way that is not foreseen');
  return new OutboundFailure('broken', 'The request could not be sent.');
}
