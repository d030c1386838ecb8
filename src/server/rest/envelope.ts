import { TextResponse, type WebResponse } from '../http/fetch-adapter';
import type { Page } from '../pagination';
import type { PublicError } from '../public-error';

export type Facts = { requestId: string; at: Date; headers: Headers; isHead: boolean };

export function success(data: unknown, status: number, isPaginated: boolean, facts: Facts): WebResponse {
  if (!isPaginated) return respond(status, { data, error: null }, null, facts);
  const { items, pagination } = data as Page<unknown>;
  return respond(status, { data: items, error: null }, pagination, facts);
}

export function failure(error: PublicError, facts: Facts): WebResponse {
  for (const [name, value] of Object.entries(error.headers)) facts.headers.set(name, value);
  // RFC 9110, 15.5.2. Browsers ask for no password then.
  if (error.status === 401) facts.headers.set('WWW-Authenticate', 'Bearer realm="Postroom"');
  const { code, message, details } = error;
  return respond(error.status, { data: null, error: { code, message, details } }, null, facts);
}

function respond(status: number, outcome: object, pagination: unknown, facts: Facts): WebResponse {
  const meta = { request_id: facts.requestId, timestamp: facts.at.toISOString(), pagination };
  facts.headers.set('Content-Type', 'application/json');
  facts.headers.set('Cache-Control', 'no-store');
  facts.headers.set('X-Request-Id', facts.requestId);
  if (facts.isHead) return new Response(null, { status, headers: facts.headers });
  return new TextResponse(JSON.stringify({ ...outcome, meta }), status, facts.headers);
}
