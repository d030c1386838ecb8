import type { WebHeaders } from '../http/fetch-adapter';
import { isApiKey } from './api-key.mjs';
import { randomToken, sign, unsign } from './crypto';

export type Credentials =
  | { kind: 'none' }
  | { kind: 'session'; secret: string | null }
  | { kind: 'key'; key: string | null };

export const SESSION_COOKIE = 'service_session';

/** Bearer wins over a cookie, without fallback. A malformed key is null and never queried. */
export function readCredentials(headers: WebHeaders): Credentials {
  const authorization = headers.get('authorization');
  if (authorization !== null) return { kind: 'key', key: readKey(authorization) };
  const cookie = readCookie(headers.get('cookie') ?? '', SESSION_COOKIE);
  if (cookie !== null) return { kind: 'session', secret: unsign('session', cookie) };
  return { kind: 'none' };
}

/** The Bearer token of an Authorization header, or null. */
export function readBearer(authorization: string): string | null {
  const [scheme, token, ...rest] = authorization.split(/ +/);
  return scheme?.toLowerCase() === 'bearer' && token && rest.length === 0 ? token : null;
}

export function newSessionSecret(): { secret: string; cookieValue: string } {
  const secret = randomToken();
  return { secret, cookieValue: sign('session', secret) };
}

export function sessionCookie(value: string, maxAgeSeconds: number): string {
  return `${SESSION_COOKIE}=${value}; Path=/; HttpOnly; Secure; SameSite=Strict; Max-Age=${maxAgeSeconds}`;
}

export const CLEARED_SESSION_COOKIE = sessionCookie('', 0);

function readKey(authorization: string): string | null {
  const key = readBearer(authorization);
  return key !== null && isApiKey(key) ? key : null;
}

export function readCookie(header: string, name: string): string | null {
  for (const part of header.split(';')) {
    const pair = part.trim();
    if (pair.startsWith(`${name}=`)) return pair.slice(name.length + 1);
  }
  return null;
}
