import type { ErrorCode } from '@/lib/error-codes';

export type ProblemField = { path: string; message: string };

export type ProblemCode = ErrorCode | 'NO_RESPONSE' | 'PROXY_ERROR';

export type Problem = {
  code: ProblemCode;
  status: number;
  message: string;
  fields: ProblemField[];
  details: Record<string, unknown>;
  requestId: string | null;
};

export function toProblem(error: unknown): Problem {
  const data = record(record(error).data);
  const details = record(data.details);
  if (typeof data.apiCode !== 'string') return proxyError(error) ?? noResponse(data);
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

/** A response that isn’t the API’s. It is kept as tRPC’s client keeps the response of its errors. */
class ForeignResponse extends Error {
  readonly meta: { response: Response };

  constructor(response: Response) {
    super('The response isn’t the API’s.');
    this.meta = { response };
  }
}

/**
 * Returns the body of a response of the API.
 * @throws {ForeignResponse} when another program answered, such as a proxy
 */
export async function readResponse<Body extends object>(
  response: Response,
  isOwn: (body: Body) => boolean,
): Promise<Body> {
  const body: Body | null = await response.json().catch(() => null);
  if (body === null || !isOwn(body)) throw new ForeignResponse(response);
  return body;
}

type ErrorResponse = {
  error: { code: string; message: string; details: object | null };
  meta: { request_id: string };
};

/** Returns the error of a REST response, as the calls of the console throw it. */
export async function errorOf(response: Response): Promise<Error> {
  const isOwn = ({ error, meta }: Partial<ErrorResponse>) => Boolean(error && meta);
  const { error, meta } = await readResponse<ErrorResponse>(response, isOwn);
  const { code, message, details } = error;
  return new ApiError(message, {
    apiCode: code,
    details,
    requestId: meta.request_id,
    httpStatus: response.status,
  });
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

/** The problem of a call that was answered by a proxy’s error page instead of the API. */
function proxyError(error: unknown): Problem | null {
  const { response } = record(record(error).meta);
  if (!(response instanceof Response) || response.status < 400) return null;
  const { status } = response;
  const reason = status === 413 ? ': the request is too large for it' : '';
  const message = `A proxy in front of Postroom answered with ${status}${reason}.`;
  return { code: 'PROXY_ERROR', status, message, fields: [], details: {}, requestId: null };
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
