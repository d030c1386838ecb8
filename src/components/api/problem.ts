import type { ErrorCode } from '@/lib/error-codes';

export type ProblemField = { path: string; message: string };

export type Problem = {
  code: ErrorCode | 'NO_RESPONSE';
  status: number;
  message: string;
  fields: ProblemField[];
  details: Record<string, unknown>;
  requestId: string | null;
};

export function toProblem(error: unknown): Problem {
  const data = record(record(error).data);
  const details = record(data.details);
  if (typeof data.apiCode !== 'string') return noResponse(data);
  return {
    code: data.apiCode as ErrorCode,
    status: typeof data.httpStatus === 'number' ? data.httpStatus : 500,
    message: error instanceof Error ? error.message : 'The server rejected this request.',
    fields: Array.isArray(details.fields) ? details.fields.filter(isField) : [],
    details,
    requestId: typeof data.requestId === 'string' ? data.requestId : null,
  };
}

export function isSessionLost(problem: Problem): boolean {
  return problem.code === 'AUTH_REQUIRED' || problem.code === 'SESSION_INVALID';
}

/** The record was changed since it was loaded. `details.current` has it. */
export function isVersionConflict(problem: Problem): boolean {
  return problem.code === 'VERSION_CONFLICT';
}

/** An error that the API answered in place of a result. */
export class ApiError extends Error {
  constructor(
    message: string,
    readonly data: { apiCode: string; details: object | null; requestId: string; httpStatus: number },
  ) {
    super(message);
  }
}

/** An error in a field that was found before the call was made. */
export class InvalidField extends Error {
  readonly data: object;

  constructor(path: string, message: string) {
    super(message);
    this.data = { apiCode: 'VALIDATION_ERROR', httpStatus: 400, details: { fields: [{ path, message }] } };
  }
}

/** A record that can't exist, because its id isn't one. The server would call it an invalid request. */
export class NoSuchRecord extends Error {
  readonly data = { apiCode: 'NOT_FOUND', httpStatus: 404 };

  constructor(what: string) {
    super(`There is no such ${what}.`);
  }
}

function noResponse(data: Record<string, unknown>): Problem {
  const status = typeof data.httpStatus === 'number' ? data.httpStatus : 0;
  return {
    code: status >= 400 ? 'INTERNAL_ERROR' : 'NO_RESPONSE',
    status,
    message:
      status >= 400
        ? 'The server couldn’t process this request.'
        : 'The server isn’t responding. It may be restarting, or this device is offline.',
    fields: [],
    details: {},
    requestId: null,
  };
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function isField(value: unknown): value is ProblemField {
  const field = record(value);
  return typeof field.path === 'string' && typeof field.message === 'string';
}
