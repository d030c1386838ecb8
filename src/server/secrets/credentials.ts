import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { WebHeaders } from '../http/fetch-adapter';
import { randomToken, sign, unsign } from './crypto';

export type Credentials =
  | { kind: 'none' }
  | { kind: 'session'; secret: string | null }
  | { kind: 'key'; key: string | null };

export const SESSION_COOKIE = 'service_session';

const KEY_PREFIX = 'service_';
const KEY_RANDOM_LENGTH = 32;
const KEY_CHECKSUM_LENGTH = 6;
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const KEY_FORM = new RegExp(`^${KEY_PREFIX}[0-9A-Za-z]{${KEY_RANDOM_LENGTH + KEY_CHECKSUM_LENGTH}}$`);

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

/** Creates a key whose last six characters are a checksum, so that a typo fails without a query. */
export function newApiKey(): { key: string; prefix: string } {
  const random = Array.from({ length: KEY_RANDOM_LENGTH }, randomBase62).join('');
  const key = `${KEY_PREFIX}${random}${checksum(random)}`;
  return { key, prefix: key.slice(0, KEY_PREFIX.length + 8) };
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
  if (key === null || !KEY_FORM.test(key)) return null;
  const random = key.slice(KEY_PREFIX.length, KEY_PREFIX.length + KEY_RANDOM_LENGTH);
  return checksum(random) === key.slice(-KEY_CHECKSUM_LENGTH) ? key : null;
}

export function readCookie(header: string, name: string): string | null {
  for (const part of header.split(';')) {
    const pair = part.trim();
    if (pair.startsWith(`${name}=`)) return pair.slice(name.length + 1);
  }
  return null;
}

function randomBase62(): string {
  for (;;) {
    const value = randomBytes(1)[0] as number;
    if (value < 248) return BASE62[value % 62] as string;
  }
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let i = 0; i < KEY_CHECKSUM_LENGTH; i++) {
    digits = (BASE62[rest % 62] as string) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
