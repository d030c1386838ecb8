import { AppError } from '../errors';
import type { BodyBudget } from './body-budget';

/**
 * The bytes of a body, counted while they come in, so that one over the limit is refused without being held.
 * @throws PAYLOAD_TOO_LARGE, or SERVICE_UNAVAILABLE while the bodies in flight fill the budget
 */
export async function readBytes(request: Request, limitBytes: number, budget: BodyBudget): Promise<Uint8Array> {
  if (Number(request.headers.get('content-length') ?? 0) > limitBytes) throw tooLarge(limitBytes);
  if (!request.body) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of untilBroken(request.body)) {
    sizeBytes += chunk.byteLength;
    if (sizeBytes > limitBytes) throw tooLarge(limitBytes);
    budget.take(chunk.byteLength);
    chunks.push(chunk);
  }
  return concat(chunks, sizeBytes);
}

/** @throws UNSUPPORTED_MEDIA_TYPE for a body that is not JSON; none at all is fine */
export function requireJson(request: Request, bytes: Uint8Array): void {
  if (bytes.byteLength === 0) return;
  const type = (request.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase();
  if (type === 'application/json') return;
  throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'Send the body as application/json.');
}

/** A client that goes away in the middle of its body is no fault of ours. */
async function* untilBroken(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(() => {
        throw new AppError('INVALID_JSON', 'The body ended before it was complete.');
      });
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

// Not Buffer.concat: small results would share a pooled ArrayBuffer, which cannot be handed to a thread.
function concat(chunks: Uint8Array[], sizeBytes: number): Uint8Array {
  const whole = new Uint8Array(sizeBytes);
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return whole;
}

function tooLarge(limitBytes: number): AppError {
  return new AppError('PAYLOAD_TOO_LARGE', `The body is over the limit of ${limitBytes} bytes.`, {
    details: { limit_bytes: limitBytes },
    headers: { Connection: 'close' },
  });
}
