import { AppError } from '../errors';

/** The JSON object in a body. @throws INVALID_JSON or VALIDATION_ERROR */
export function parseJsonObject(bytes: Uint8Array): Record<string, unknown> {
  const value = parse(bytes);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new AppError('VALIDATION_ERROR', 'The body must be a JSON object.', {
    details: { fields: [{ path: '', message: 'The body must be a JSON object.' }] },
  });
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new AppError('INVALID_JSON', 'The body is not valid JSON in UTF-8.');
  }
}
