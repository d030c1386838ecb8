import { AppError } from '../errors';

/**
 * The bytes of a body, counted while they come in, so that one over the limit is refused without being held.
 * @throws PAYLOAD_TOO_LARGE
 */
export async function readBytes(request: Request, limitBytes: number): Promise<Uint8Array> {
  if (Number(request.headers.get('content-length') ?? 0) > limitBytes) throw tooLarge(limitBytes);
  if (!request.body) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of request.body as unknown as AsyncIterable<Uint8Array>) {
    sizeBytes += chunk.byteLength;
    if (sizeBytes > limitBytes) throw tooLarge(limitBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, sizeBytes);
}

/**
 * The JSON object in a body; none at all counts as an empty one.
 * @throws UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, INVALID_JSON or VALIDATION_ERROR
 */
export async function readJsonObject(request: Request, limitBytes: number): Promise<Record<string, unknown>> {
  const bytes = await readBytes(request, limitBytes);
  if (bytes.byteLength === 0) return {};
  requireJson(request);
  const value = parse(bytes);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new AppError('VALIDATION_ERROR', 'The body must be a JSON object.', {
      details: { fields: [{ path: '', message: 'The body must be a JSON object.' }] },
    });
  }
  return value as Record<string, unknown>;
}

export function requireJson(request: Request): void {
  const type = (request.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase();
  if (type === 'application/json') return;
  throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'Send the body as application/json.');
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new AppError('INVALID_JSON', 'The body is not valid JSON in UTF-8.');
  }
}

function tooLarge(limitBytes: number): AppError {
  return new AppError('PAYLOAD_TOO_LARGE', `The body is over the limit of ${limitBytes} bytes.`, {
    details: { limit_bytes: limitBytes },
    headers: { Connection: 'close' },
  });
}
