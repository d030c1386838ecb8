import { TRPCError } from '@trpc/server';
import { ERROR_STATUS, type ErrorCode } from '@/lib/error-codes';
import { isDatabaseAway } from './database/db';
import { AppError, type ErrorDetails } from './errors';

export type PublicError = {
  code: ErrorCode;
  status: number;
  message: string;
  details: ErrorDetails | null;
  headers: Record<string, string>;
};

/** The public form of an error, for REST and tRPC alike. Unexpected errors reveal nothing internal. */
export function publicError(error: unknown): PublicError {
  if (error instanceof AppError) {
    const { apiCode: code, status, message, details, headers } = error;
    return { code, status, message, details, headers };
  }
  if (error instanceof TRPCError) {
    if (error.cause instanceof AppError) return publicError(error.cause);
    if (error.code === 'PARSE_ERROR') return plain('INVALID_JSON', 'The body is not valid JSON.');
    if (error.code === 'NOT_FOUND') return plain('NOT_FOUND', 'Unknown procedure.');
    if (error.code === 'METHOD_NOT_SUPPORTED') return plain('METHOD_NOT_ALLOWED', 'This method isn’t allowed here.');
    if (error.code === 'UNSUPPORTED_MEDIA_TYPE') return plain('UNSUPPORTED_MEDIA_TYPE', 'Send application/json.');
    if (error.code === 'PAYLOAD_TOO_LARGE') return plain('PAYLOAD_TOO_LARGE', 'The body is too large.');
    if (error.code === 'BAD_REQUEST') return plain('VALIDATION_ERROR', 'The request is malformed.');
  }
  if (isDatabaseAway(error)) {
    const away = plain('SERVICE_UNAVAILABLE', 'The database isn’t responding. Try again in a moment.');
    return { ...away, headers: { 'Retry-After': '2' } };
  }
  return plain('INTERNAL_ERROR', 'Something went wrong on the server. Find the request ID in its log.');
}

/** Whether an error is a defect and belongs in the log in full. */
export function isUnexpected({ code }: PublicError): boolean {
  return code === 'INTERNAL_ERROR' || code === 'SERVICE_UNAVAILABLE';
}

/** The fields of an unexpected error in the log. While the database is away all requests fail alike, so only the reason is there. */
export function loggedError(error: unknown): { error: unknown } | { reason: string } {
  if (!isDatabaseAway(error)) return { error };
  return { reason: (error instanceof Error && error.message.trim().split('\n').at(-1)) || String(error) };
}

function plain(code: ErrorCode, message: string): PublicError {
  return { code, status: ERROR_STATUS[code], message, details: null, headers: {} };
}
