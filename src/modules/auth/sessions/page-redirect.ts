import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { routeOf } from '@/lib/routes';
import { systemClock } from '@/server/clock';
import { database, isDatabaseAway } from '@/server/database/db';
import { readCookie, SESSION_COOKIE } from '@/server/secrets/credentials';
import { sha256, unsign } from '@/server/secrets/crypto';
import { hasAdmin } from '../setup/setup';

/** A database that takes longer delays no page. The page then finds out itself. */
const DEADLINE_MS = 300;

/**
 * Where a browser goes that asks for a page of the console: to the sign-in page without a session, to the setup page while
 * there is no admin. Null: it gets the page. One query, two without a session.
 */
export async function redirectOfPage(url: string, headers: IncomingHttpHeaders): Promise<string | null> {
  const { pathname, search } = new URL(url, 'http://localhost');
  const isSignIn = pathname === '/login';
  if (!isSignIn && !routeOf(pathname)) return null;
  const state = await Promise.race([
    stateOf(isSignIn ? '' : headers.cookie),
    setTimeout(DEADLINE_MS, null, { ref: false }),
  ]);
  if (state === 'not set up') return '/setup';
  // A browser that follows a link of another site sends no cookie (SameSite=Strict).
  const isUnknown = headers['sec-fetch-site'] === 'cross-site';
  if (state !== 'signed out' || isSignIn || isUnknown) return null;
  return pathname === '/' && search === '' ? '/login' : `/login?next=${encodeURIComponent(pathname + search)}`;
}

/** Null while the database is away. */
async function stateOf(cookies = ''): Promise<'signed in' | 'signed out' | 'not set up' | null> {
  try {
    if (await hasSession(cookies)) return 'signed in';
    return (await hasAdmin(database())) ? 'signed out' : 'not set up';
  } catch (error) {
    if (isDatabaseAway(error)) return null;
    throw error;
  }
}

async function hasSession(cookies: string): Promise<boolean> {
  const cookie = readCookie(cookies, SESSION_COOKIE);
  const secret = cookie === null ? null : unsign('session', cookie);
  if (secret === null) return false;
  const where = { secretHash: sha256(secret), expiresAt: { gt: systemClock.now() } };
  return (await database().session.findUnique({ where, select: { id: true } })) !== null;
}
