import { z } from 'zod';
import type { Context } from '@/server/procedures/context';
import { sign, unsign } from '@/server/secrets/crypto';
import { callbackPath, type Provider } from './providers';

const COOKIE = 'postroom_oidc';
const PURPOSE = 'oidc-intent';

export const HANDSHAKE_SECONDS = 15 * 60;

/** The next-auth cookies that the callback needs. */
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

/** Purpose and owner of a handshake, stored in the browser that started it, for as long as its `state` is valid. */
export type Intent = z.infer<typeof Stored>;
export type Purpose = { purpose: 'sign-in'; next: string } | { purpose: 'link'; sessionId: string; adminId: string };

export function storeIntent(ctx: Context, provider: Provider, state: string, purpose: Purpose): void {
  const expiresAt = ctx.clock.now().getTime() + HANDSHAKE_SECONDS * 1000;
  const intent: Intent = { ...purpose, provider: provider.id, state, expiresAt };
  const value = sign(PURPOSE, Buffer.from(JSON.stringify(intent)).toString('base64url'));
  ctx.response.headers.append('Set-Cookie', handshakeCookie(COOKIE, value, provider, HANDSHAKE_SECONDS));
}

/** Null if the cookie is missing, altered, expired or for another provider. */
export function findIntent(ctx: Context, provider: Provider): Intent | null {
  const signed = readCookies(ctx.request.cookies)[COOKIE];
  const value = signed ? unsign(PURPOSE, signed) : null;
  if (!value) return null;
  const intent = Stored.parse(JSON.parse(Buffer.from(value, 'base64url').toString('utf8')));
  return intent.provider === provider.id && intent.expiresAt > ctx.clock.now().getTime() ? intent : null;
}

/** Deletes the cookies: a callback works once, whatever its result. */
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

// Lax, because the browser returns from another site.
function handshakeCookie(name: string, value: string, provider: Provider, maxAgeSeconds: number): string {
  return `${name}=${value}; Path=${callbackPath(provider)}; Max-Age=${maxAgeSeconds}; HttpOnly; Secure; SameSite=Lax`;
}
