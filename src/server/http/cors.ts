import { env } from '../settings/env';
import type { WebRequest } from './fetch-adapter';

const ALLOWED_HEADERS = 'Authorization, Content-Type, Idempotency-Key, If-Match';
const EXPOSED_HEADERS =
  'X-Request-Id, ETag, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, Location, X-Row-Limit, X-Row-Limit-Reached';
const MAX_AGE_SECONDS = 600;

/**
 * Lets scripts of the origins in CORS_ORIGINS read responses, without credentials: cookies are for the console only, and
 * other origins send an API key.
 */
export function allowOrigin(request: WebRequest, headers: Headers): void {
  const { corsOrigins } = env();
  if (corsOrigins.length === 0) return;
  headers.append('Vary', 'Origin');
  const origin = request.headers.get('origin');
  if (!origin || !corsOrigins.includes(origin)) return;
  headers.set('Access-Control-Allow-Origin', origin);
  headers.set('Access-Control-Expose-Headers', EXPOSED_HEADERS);
}

/** Whether this is a CORS preflight request from a listed origin. */
export function isPreflight(request: WebRequest, headers: Headers): boolean {
  const isAsked = request.method === 'OPTIONS' && request.headers.has('access-control-request-method');
  return isAsked && headers.has('Access-Control-Allow-Origin');
}

export function preflight(methods: string, headers: Headers): Response {
  headers.delete('Access-Control-Expose-Headers');
  headers.set('Access-Control-Allow-Methods', methods);
  headers.set('Access-Control-Allow-Headers', ALLOWED_HEADERS);
  headers.set('Access-Control-Max-Age', String(MAX_AGE_SECONDS));
  return new Response(null, { status: 204, headers });
}
