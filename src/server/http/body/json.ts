import { AppError } from '../../errors';

/** Parses the JSON object in a body. PHP writes an empty one as `[]`, and axios none as `null`. @throws INVALID_JSON or VALIDATION_ERROR */
export function parseJsonObject(bytes: Uint8Array, limit?: ValueLimit): Record<string, unknown> {
  rejectTooComplex(bytes, limit);
  const value = parse(bytes) ?? {};
  if (typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>;
  if (Array.isArray(value) && value.length === 0) return {};
  throw new AppError('VALIDATION_ERROR', 'The body must be a JSON object.', {
    details: { fields: [{ path: '', message: 'The body must be a JSON object.' }] },
  });
}

/** Five times what the largest call has. */
const MAX_VALUES = 10_000;
/** `hint` says after the error what may be the reason. */
type ValueLimit = { maxValues: number; hint?: string };
const MAX_DEPTH = 32;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Counts values before parsing: a body of nothing but `{},` would take fifty times its size in memory, and one of many names a
 * quarter of a second.
 */
export function rejectTooComplex(
  bytes: Uint8Array,
  { maxValues, hint = '' }: ValueLimit = { maxValues: MAX_VALUES },
): void {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let values = 0;
  let depth = 0;
  for (let i = 0; i < buffer.length; i++) {
    const byte = buffer[i];
    if (byte === QUOTE) i = endOfString(buffer, i);
    else if (byte === 0x7b || byte === 0x5b) {
      values += 1;
      depth += 1;
    } else if (byte === 0x7d || byte === 0x5d) depth -= 1;
    else if (byte === 0x2c) values += 1;
    if (values > maxValues || depth > MAX_DEPTH) {
      throw new AppError(
        'VALIDATION_ERROR',
        `The body has more than ${maxValues} values, or is nested too deeply.${hint}`,
      );
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
