import { TRPCError } from '@trpc/server';
import { ERROR_STATUS, type ErrorCode } from '@/lib/error-codes';
import { isDatabaseAway } from './db';
import { AppError, type ErrorDetails } from './errors';

export type PublicError = {
  code: ErrorCode;
  status: number;
  message: string;
  details: ErrorDetails | null;
  headers: Record<string, string>;
};

/** What a client may know of an error, whichever door it came through. Anything unforeseen says nothing of the inside. */
export function publicError(error: unknown): PublicError {
  if (error instanceof AppError) {
    const { apiCode: code, status, message, details, headers } = error;
    return { code, status, message, details, headers };
  }
  if (error instanceof TRPCError) {
    if (error.cause instanceof AppError) return publicError(error.cause);
    if (error.code === 'PARSE_ERROR') return plain('INVALID_JSON', 'The body is not valid JSON.');
    if (error.code === 'NOT_FOUND') return plain('NOT_FOUND', 'There is no such procedure.');
    if (error.code === 'METHOD_NOT_SUPPORTED') return plain('METHOD_NOT_ALLOWED', 'That method does not apply here.');
    if (error.code === 'UNSUPPORTED_MEDIA_TYPE') return plain('UNSUPPORTED_MEDIA_TYPE', 'Send application/json.');
    if (error.code === 'PAYLOAD_TOO_LARGE') return plain('PAYLOAD_TOO_LARGE', 'The body is too large.');
    if (error.code === 'BAD_REQUEST') return plain('VALIDATION_ERROR', 'The request is malformed.');
  }
  if (isDatabaseAway(error)) {
    const away = plain('SERVICE_UNAVAILABLE', 'The database does not answer just now. Try again in a moment.');
    return { ...away, headers: { 'Retry-After': '2' } };
  }
  return plain('INTERNAL_ERROR', 'Something went wrong on our side. The request id finds it in the log.');
}

/** Whether an error is ours to mend and belongs in the log with all it holds. */
export function isUnexpected({ code }: PublicError): boolean {
  return code === 'INTERNAL_ERROR' || code === 'SERVICE_UNAVAILABLE';
}

function plain(code: ErrorCode, message: string): PublicError {
  return { code, status: ERROR_STATUS[code], message, details: null, headers: {} };
}
