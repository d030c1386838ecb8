import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError } from '../../errors';
import type { BodyBudget } from './body-budget';

const GRACE_MS = 15_000;
const SLOWEST_BYTES_PER_MS = 32;
const COPY_BYTES = 1024 * 1024;

/**
 * Reads a body and counts its bytes while they arrive, so a body over the limit is rejected without being held.
 * @throws PAYLOAD_TOO_LARGE, or SERVICE_UNAVAILABLE while the budget for bodies is used up
 */
export async function readBytes(request: Request, limitBytes: number, budget: BodyBudget): Promise<Uint8Array> {
  if (Number(request.headers.get('content-length') ?? 0) > limitBytes) throw tooLarge(limitBytes);
  if (!request.body) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of untilAborted(request.body)) {
    sizeBytes += chunk.byteLength;
    if (sizeBytes > limitBytes) throw tooLarge(limitBytes);
    budget.take(chunk.byteLength, limitBytes);
    chunks.push(chunk);
  }
  return join(chunks, sizeBytes);
}

/** @throws UNSUPPORTED_MEDIA_TYPE for a body that isn't JSON; no body is fine */
export function requireJson(request: Request, bytes: Uint8Array): void {
  if (bytes.byteLength === 0) return;
  const type = (request.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase();
  if (type === 'application/json') return;
  throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'Send the body as application/json.');
}

async function* untilAborted(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  const startedAt = performance.now();
  let sizeBytes = 0;
  try {
    for (;;) {
      const allowedMs = GRACE_MS + sizeBytes / SLOWEST_BYTES_PER_MS - (performance.now() - startedAt);
      const { done, value } = await withDeadline(reader.read(), Math.max(0, allowedMs));
      if (done) return;
      sizeBytes += value.byteLength;
      yield value;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

/** Ends a read whose client disconnects or sends too slowly, so that it holds nothing for long. */
async function withDeadline<Result>(read: Promise<Result>, allowedMs: number): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(incompleteBody('The body arrived too slowly.')), allowedMs);
  });
  const broken = read.catch(() => {
    throw incompleteBody('The body ended before it was complete.');
  });
  try {
    return await Promise.race([broken, late]);
  } finally {
    clearTimeout(timer);
  }
}

function incompleteBody(message: string): AppError {
  return new AppError('INVALID_JSON', message, { headers: { Connection: 'close' } });
}

// Not Buffer.concat: small results would share a pooled ArrayBuffer, which can't be transferred to a thread. Copying
// 49 MB in one go would block the event loop.
async function join(chunks: Uint8Array[], sizeBytes: number): Promise<Uint8Array> {
  const whole = new Uint8Array(sizeBytes);
  let offset = 0;
  let pauseAt = COPY_BYTES;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.byteLength;
    if (offset < pauseAt) continue;
    pauseAt = offset + COPY_BYTES;
    await nextTurn();
  }
  return whole;
}

function tooLarge(limitBytes: number): AppError {
  return new AppError('PAYLOAD_TOO_LARGE', `The body exceeds the limit of ${limitBytes} bytes.`, {
    details: { limit_bytes: limitBytes },
    headers: { Connection: 'close' },
  });
}
