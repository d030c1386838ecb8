import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError } from '../../errors';
import type { WebRequest } from '../fetch-adapter';
import type { BodyBudget } from './body-budget';

const WINDOW_MS = 15_000;
const WINDOW_BYTES = 96 * 1024;
const COPY_BYTES = 1024 * 1024;

/**
 * Reads a body and counts its bytes while they arrive, so a body over the limit is rejected without being held.
 * @throws PAYLOAD_TOO_LARGE, INVALID_JSON for a body that stalls or breaks off, or SERVICE_UNAVAILABLE without memory for it
 */
export async function readBytes(request: WebRequest, limitBytes: number, budget: BodyBudget): Promise<Uint8Array> {
  if (Number(request.headers.get('content-length') ?? 0) > limitBytes) throw tooLarge(limitBytes);
  if (!request.body) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of arriving(request.body, budget.signal)) {
    sizeBytes += chunk.byteLength;
    if (sizeBytes > limitBytes) throw tooLarge(limitBytes);
    budget.take(chunk.byteLength);
    chunks.push(chunk);
  }
  budget.complete();
  return join(chunks, sizeBytes);
}

/** @throws UNSUPPORTED_MEDIA_TYPE for a body that isn't JSON; no body is fine */
export function requireJson(request: WebRequest, bytes: Uint8Array): void {
  if (bytes.byteLength === 0) return;
  const type = (request.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase();
  const encoding = (request.headers.get('content-encoding') ?? 'identity').trim().toLowerCase();
  if (encoding !== 'identity') {
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'Send the body uncompressed, without Content-Encoding.', {
      headers: { 'Accept-Encoding': 'identity' },
    });
  }
  if (type === 'application/json') return;
  throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'Send the body as application/json.');
}

/** The chunks of a body whose client neither stalls nor trickles: 96 KB arrive every 15 seconds, or the rest. */
async function* arriving(body: ReadableStream<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  let window = { endsAt: performance.now() + WINDOW_MS, bytes: 0 };
  try {
    for (;;) {
      const { done, value } = await readUntil(reader, window.endsAt, signal);
      if (done) return;
      window.bytes += value.byteLength;
      if (window.bytes >= WINDOW_BYTES) window = { endsAt: performance.now() + WINDOW_MS, bytes: 0 };
      yield value;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

/** Ends a read whose client disconnects or sends too slowly, or whose memory others need. */
async function readUntil(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  endsAt: number,
  signal: AbortSignal,
): Promise<ReadableStreamReadResult<Uint8Array>> {
  let stop = () => {};
  const ended = new Promise<never>((_, reject) => {
    const abort = () => reject(signal.reason);
    const late = () => reject(incompleteBody('The body arrived too slowly.'));
    const timer = setTimeout(late, Math.max(0, endsAt - performance.now()));
    signal.addEventListener('abort', abort);
    stop = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    };
  });
  const read = reader.read().catch(() => {
    throw incompleteBody('The body ended before it was complete.');
  });
  try {
    return await Promise.race([read, ended]);
  } finally {
    stop();
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
