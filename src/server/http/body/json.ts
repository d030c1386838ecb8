import { AppError } from '../../errors';

/** Parses the JSON object in a body. @throws INVALID_JSON or VALIDATION_ERROR */
export function parseJsonObject(bytes: Uint8Array): Record<string, unknown> {
  rejectTooComplex(bytes);
  const value = parse(bytes);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new AppError('VALIDATION_ERROR', 'The body must be a JSON object.', {
    details: { fields: [{ path: '', message: 'The body must be a JSON object.' }] },
  });
}

const MAX_TOKENS = 200_000;
const MAX_DEPTH = 32;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Counts values before parsing: a body of nothing but `{},` would take fifty times its size in memory. */
export function rejectTooComplex(bytes: Uint8Array): void {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let tokens = 0;
  let depth = 0;
  for (let i = 0; i < buffer.length; i++) {
    const byte = buffer[i];
    if (byte === QUOTE) i = endOfString(buffer, i);
    else if (byte === 0x7b || byte === 0x5b) {
      tokens += 1;
      depth += 1;
    } else if (byte === 0x7d || byte === 0x5d) depth -= 1;
    else if (byte === 0x2c) tokens += 1;
    if (tokens > MAX_TOKENS || depth > MAX_DEPTH) {
      throw new AppError('VALIDATION_ERROR', `The body has more than ${MAX_TOKENS} values, or is nested too deeply.`);
    }
  }
}

function endOfString(buffer: Buffer, start: number): number {
  for (let end = buffer.indexOf(QUOTE, start + 1); end >= 0; end = buffer.indexOf(QUOTE, end + 1)) {
    let backslashes = 0;
    while (buffer[end - 1 - backslashes] === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
  return buffer.length;
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new AppError('INVALID_JSON', 'The body is not valid JSON in UTF-8.');
  }
}
