import { TextResponse } from '../http/fetch-adapter';
import type { Page } from '../pagination';
import type { PublicError } from '../public-error';

type Facts = { requestId: string; at: Date; headers: Headers; isHead: boolean };

export function success(data: unknown, status: number, isPaginated: boolean, facts: Facts): Response {
  if (!isPaginated) return respond(status, { data, error: null }, null, facts);
  const { items, pagination } = data as Page<unknown>;
  return respond(status, { data: items, error: null }, pagination, facts);
}

export function failure(error: PublicError, facts: Facts): Response {
  for (const [name, value] of Object.entries(error.headers)) facts.headers.set(name, value);
  const { code, message, details } = error;
  return respond(error.status, { data: null, error: { code, message, details } }, null, facts);
}

function respond(status: number, outcome: object, pagination: unknown, facts: Facts): Response {
  const meta = { request_id: facts.requestId, timestamp: facts.at.toISOString(), pagination };
  facts.headers.set('Content-Type', 'application/json');
  facts.headers.set('Cache-Control', 'no-store');
  facts.headers.set('X-Request-Id', facts.requestId);
  const init = { status, headers: facts.headers };
  return facts.isHead ? new Response(null, init) : new TextResponse(JSON.stringify({ ...outcome, meta }), init);
}
