import { z } from 'zod';
import { plainText } from '@/lib/wire';
import { log } from '@/server/log';
import type { Context } from '@/server/procedures/context';
import { CHECK_COOKIES, type Purpose, readCookies, storeIntent } from './intent';
import { runNextAuth } from './next-auth';
import { isIssuerOf, type Provider } from './providers';
import type { OidcCallback, OidcError } from './schema';

/** The identity from a validated id_token. */
export type Claims = z.infer<typeof Claims>;
const Claims = z.object({
  iss: plainText(2048),
  sub: plainText(255).min(1),
  email: plainText(254).optional().catch(undefined),
  // Amazon Cognito sends text.
  email_verified: z
    .union([z.literal(true), z.string().regex(/^true$/i)])
    .optional()
    .catch(undefined),
});

/** `reason` is for the operator: the log and the audit log have it. */
export type Refused = { error: OidcError; reason: string };

/** Starts the handshake: the provider's URL to redirect to, and the cookies that the callback needs. */
export async function beginHandshake(
  ctx: Context,
  provider: Provider,
  purpose: Purpose,
): Promise<{ url: string } | Refused> {
  const { location, cookies, failure } = await runNextAuth(provider, { action: 'signin' });
  const state = isWebAddress(location) ? new URL(location).searchParams.get('state') : null;
  if (!state) return logFailure(ctx, provider, 'provider_unavailable', failure?.text);
  for (const cookie of cookies) ctx.response.headers.append('Set-Cookie', cookie);
  storeIntent(ctx, provider, state, purpose);
  return { url: location as string };
}

/** Redeems the authorization code. Writes nothing, so a late response has no effect. */
export async function finishHandshake(
  ctx: Context,
  provider: Provider,
  query: OidcCallback,
): Promise<Claims | Refused> {
  const { provider: _, error, error_description: description, ...answer } = query;
  if (error !== undefined) {
    const isDenied = error === 'access_denied';
    return logFailure(ctx, provider, isDenied ? 'access_denied' : 'sign_in_failed', `${error}: ${description ?? ''}`);
  }
  const given = readCookies(ctx.request.cookies);
  const cookies = Object.fromEntries(Object.values(CHECK_COOKIES).map((name) => [name, given[name] ?? '']));
  const { profile, failure } = await runNextAuth(provider, { action: 'callback', query: answer, cookies });
  if (!profile)
    return logFailure(ctx, provider, failure?.isOutage ? 'provider_unavailable' : 'sign_in_failed', failure?.text);
  const claims = Claims.safeParse(profile);
  if (!claims.success) return logFailure(ctx, provider, 'sign_in_failed', 'the id_token has no subject');
  // The library takes the issuer from the provider's discovery document, which could claim another issuer.
  if (!isIssuerOf(provider, claims.data.iss)) {
    return logFailure(ctx, provider, 'sign_in_failed', `unexpected issuer ${claims.data.iss}`);
  }
  return claims.data;
}

export function logFailure(ctx: Context, provider: Provider, error: OidcError, reason: string | undefined): Refused {
  const why = (reason ?? 'unknown').toWellFormed().slice(0, 200);
  log.warn({ request_id: ctx.request.id, provider: provider.id, code: error, reason: why }, 'single sign-on failed');
  return { error, reason: why };
}

function isWebAddress(url: string | undefined): url is string {
  return url !== undefined && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}
