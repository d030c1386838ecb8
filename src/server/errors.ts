import { TRPCError } from '@trpc/server';
import type { TRPC_ERROR_CODE_KEY } from '@trpc/server/rpc';
import { ERROR_STATUS, type ErrorCode } from '@/lib/error-codes';

export type FieldError = { path: string; message: string };

export type ErrorDetails = { fields?: FieldError[]; [key: string]: unknown };

type Options = { status?: number; details?: ErrorDetails; cause?: unknown; headers?: Record<string, string> };

/** The only error that reaches clients unchanged: its message and details are public. */
export class AppError extends TRPCError {
  readonly apiCode: ErrorCode;
  readonly status: number;
  readonly details: ErrorDetails | null;
  readonly headers: Record<string, string>;

  constructor(apiCode: ErrorCode, message: string, options: Options = {}) {
    const status = options.status ?? ERROR_STATUS[apiCode];
    super({ code: TRPC_CODES[status] ?? 'INTERNAL_SERVER_ERROR', message, cause: options.cause });
    this.apiCode = apiCode;
    this.status = status;
    this.details = options.details ?? null;
    this.headers = options.headers ?? {};
  }
}

export function notFound(what: string): AppError {
  return new AppError('NOT_FOUND', `There is no such ${what}.`);
}

const TRPC_CODES: Record<number, TRPC_ERROR_CODE_KEY> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_SUPPORTED',
  409: 'CONFLICT',
  412: 'PRECONDITION_FAILED',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  422: 'UNPROCESSABLE_CONTENT',
  429: 'TOO_MANY_REQUESTS',
  503: 'SERVICE_UNAVAILABLE',
};
