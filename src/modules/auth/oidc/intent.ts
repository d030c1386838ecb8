import { z } from 'zod';
import type { Context } from '@/server/context';
import { sign, unsign } from '@/server/secrets/crypto';
import { callbackPath, type Provider } from './providers';

const COOKIE = 'postroom_oidc';
const PURPOSE = 'oidc-intent';

export const HANDSHAKE_SECONDS = 15 * 60;

/** The cookies of next-auth that the callback needs. */
export const CHECK_COOKIES = {
  state: 'postroom_oidc_state',
  nonce: 'postroom_oidc_nonce',
  pkceCodeVerifier: 'postroom_oidc_pkce',
} as const;

const Stored = z.intersection(
  z.object({ provider: z.string(), state: z.string(), expiresAt: z.number() }),
  z.discriminatedUnion('purpose', [
    z.object({ purpose: z.literal('sign-in'), next: z.string() }),
    z.object({ purpose: z.literal('link'), sessionId: z.string(), adminId: z.string() }),
  ]),
);

/** What a handshake is for, and whose: it comes back with the browser that began it, for as long as its `state` counts. */
export type Intent = z.infer<typeof Stored>;
export type Purpose = { purpose: 'sign-in'; next: string } | { purpose: 'link'; sessionId: string; adminId: string };

export function storeIntent(ctx: Context, provider: Provider, state: string, purpose: Purpose): void {
  const expiresAt = ctx.clock.now().getTime() + HANDSHAKE_SECONDS * 1000;
  const intent: Intent = { ...purpose, provider: provider.id, state, expiresAt };
  const value = sign(PURPOSE, Buffer.from(JSON.stringify(intent)).toString('base64url'));
  ctx.response.headers.append('Set-Cookie', handshakeCookie(COOKIE, value, provider, HANDSHAKE_SECONDS));
}

/** null where the browser brings none, or one that is altered, expired or for another provider. */
export function findIntent(ctx: Context, provider: Provider): Intent | null {
  const signed = readCookies(ctx.request.cookies)[COOKIE];
  const value = signed ? unsign(PURPOSE, signed) : null;
  if (!value) return null;
  const intent = Stored.parse(JSON.parse(Buffer.from(value, 'base64url').toString('utf8')));
  return intent.provider === provider.id && intent.expiresAt > ctx.clock.now().getTime() ? intent : null;
}

/** A callback counts once, whatever comes of it. */
export function forgetHandshake(ctx: Context, provider: Provider): void {
  for (const name of [COOKIE, ...Object.values(CHECK_COOKIES)]) {
    ctx.response.headers.append('Set-Cookie', handshakeCookie(name, '', provider, 0));
  }
}

export function readCookies(header: string): Record<string, string> {
  return Object.fromEntries(
    header
      .split(';')
      .map((pair) => pair.trim().split('='))
      .map(([name = '', ...value]) => [name, value.join('=')]),
  );
}

// Lax: the browser comes back from another site.
function handshakeCookie(name: string, value: string, provider: Provider, maxAgeSeconds: number): string {
  return `${name}=${value}; Path=${callbackPath(provider)}; Max-Age=${maxAgeSeconds}; HttpOnly; Secure; SameSite=Lax`;
}
