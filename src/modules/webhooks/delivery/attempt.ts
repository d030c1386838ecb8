import type { Database } from '@/server/database/db';
import type { OutboundRequest, OutboundResult } from '@/server/outbound/request';
import type { AttemptFailure } from '../schema';
import { type Job, renewLease } from './claim';
import type { Outcome } from './finish';
import { createSigner } from './signature';

export type Post = (request: OutboundRequest) => Promise<OutboundResult>;

/** Makes one delivery attempt. Returns null if the lease was lost before it started. */
export async function attempt(db: Database, job: Job, post: Post, now: () => Date): Promise<Outcome | null> {
  if (!job.secrets) return unreadableSecret(now());
  const signer = createSigner({ deliveryId: job.id, sentAt: now(), ...job.secrets });
  if (!(await signBody(db, job, signer))) return null;
  const startedAt = now();
  const result = await post({
    method: 'POST',
    url: job.url,
    headers: { ...headersOf(job), ...signer.headers() },
    body: job.body ?? { [Symbol.asyncIterator]: () => partsOf(db, job) },
    bodyBytes: job.bodyBytes,
  });
  const { durationMs, remoteAddress } = result;
  return { startedAt, durationMs, remoteAddress, ...classify(result) };
}

/** Renews the lease while a long body is read. Stops and returns false if the lease is lost. */
async function signBody(db: Database, job: Job, signer: ReturnType<typeof createSigner>): Promise<boolean> {
  if (job.body !== null) {
    signer.update(job.body);
    return true;
  }
  let renewAt = performance.now() + RENEW_AFTER_MS;
  for await (const piece of partsOf(db, job)) {
    signer.update(piece);
    if (performance.now() < renewAt) continue;
    if (!(await renewLease(db, job))) return false;
    renewAt = performance.now() + RENEW_AFTER_MS;
  }
  return renewLease(db, job);
}

const RENEW_AFTER_MS = 8_000;

/** The encryption key is no longer in SECRET_KEY. Recorded as a failed attempt, so that an admin sees it and can fix it. */
function unreadableSecret(startedAt: Date): Outcome {
  const answer = 'Not sent: the webhook’s secret can’t be decrypted with SECRET_KEY. Rotate the secret, then replay.';
  return { startedAt, durationMs: 0, statusCode: null, failure: 'bad_secret', answer, remoteAddress: null };
}

/** The headers of a delivery that don't depend on the secret. */
export function headersOf(job: Pick<Job, 'id' | 'type' | 'attemptCount'>): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    'X-Service-Event': job.type,
    'X-Service-Delivery': job.id,
    'X-Service-Attempt': String(job.attemptCount + 1),
  };
}

/** A long body, which is streamed part by part, once to sign and once to send, and never fully in memory. */
async function* partsOf(db: Database, { eventId }: Job): AsyncGenerator<Uint8Array> {
  for (let position = 0; ; position++) {
    const part = await db.eventPart.findUnique({ where: { eventId_position: { eventId, position } } });
    if (!part) return;
    yield part.bytes;
  }
}

function classify(result: OutboundResult): {
  statusCode: number | null;
  failure: AttemptFailure | null;
  answer: string;
} {
  if (result.outcome === 'failed') return { statusCode: null, failure: result.reason, answer: result.message };
  const { status: statusCode, statusText, headers, excerpt } = result;
  const shown = headers.filter(([name]) => name.toLowerCase() !== 'set-cookie');
  const head = [`HTTP/1.1 ${statusCode} ${statusText}`.trimEnd(), ...shown.map(([name, value]) => `${name}: ${value}`)];
  const answer = `${head.join('\n')}\n\n${excerpt}`.trimEnd();
  if (statusCode >= 200 && statusCode < 300) return { statusCode, failure: null, answer };
  return { statusCode, failure: statusCode >= 300 && statusCode < 400 ? 'redirect' : 'status', answer };
}
