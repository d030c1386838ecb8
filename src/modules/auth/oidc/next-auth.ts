import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import { subscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import type { NextApiRequest, NextApiResponse } from 'next';
import NextAuth, { type NextAuthOptions } from 'next-auth';
import { type BaseClient, custom, type OpenIDCallbackChecks, type TokenSet } from 'openid-client';
import { CLOCK_TOLERANCE_SECONDS } from '@/server/clock';
import { randomToken } from '@/server/secrets/crypto';
import { env } from '@/server/settings/env';
import { CHECK_COOKIES, HANDSHAKE_SECONDS } from './intent';
import { callbackPath, discoveryUrl, type Provider } from './providers';

const DEADLINE_MS = 8_000;
const CSRF_COOKIE = 'postroom_oidc_csrf';

type Call =
  | { action: 'signin' }
  | { action: 'callback'; query: Record<string, string | undefined>; cookies: Record<string, string> };

/** `isOutage`: the provider could not be reached or didn't respond as it should. */
type Failure = { isOutage: boolean; text: string };

type Outcome = { location?: string; cookies: string[]; userinfo?: Email; profile?: unknown; failure?: Failure };

type Email = { email?: unknown; email_verified?: unknown };

type Work = { outcome: Outcome; requests: ClientRequest[]; isOver: boolean };

const current = new AsyncLocalStorage<Work>();

subscribe('http.client.request.start', (message) => {
  const { request } = message as { request: ClientRequest };
  const work = current.getStore();
  work?.requests.push(request);
  if (work?.isOver) request.destroy();
});

/** Runs next-auth for the handshake only, with one provider per call. Its response stays in this file. */
export async function runNextAuth(provider: Provider, call: Call): Promise<Outcome> {
  process.env.NEXTAUTH_URL = `${env().appUrl}/api/v1/auth/oidc`;
  const outcome: Outcome = { cookies: [] };
  const work: Work = { outcome, requests: [], isOver: false };
  const request = requestOf(provider, call);
  const response = {
    status: () => response,
    getHeader: () => outcome.cookies,
    setHeader: (name: string, value: string | string[]) => {
      if (name === 'Location') outcome.location = value as string;
      if (name === 'Set-Cookie') outcome.cookies = (value as string[]).filter(isHandshakeCookie);
      return response;
    },
    end: () => response,
    send: () => response,
    json: () => response,
  };
  const done = current.run(work, () =>
    NextAuth(
      request as unknown as NextApiRequest,
      response as unknown as NextApiResponse,
      optionsFor(provider, outcome),
    ),
  );
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Outcome>((resolve) => {
    timer = setTimeout(() => resolve({ cookies: [], failure: { isOutage: true, text: 'timed out' } }), DEADLINE_MS);
  });
  try {
    return await Promise.race([done.then(() => outcome), late]);
  } finally {
    clearTimeout(timer);
    // The library limits neither the time nor the size of a provider's response.
    work.isOver = true;
    for (const pending of work.requests) pending.destroy();
  }
}

function requestOf(provider: Provider, call: Call): object {
  const { action } = call;
  const nextauth = [action, provider.id];
  if (action === 'callback') {
    return { method: 'GET', query: { ...call.query, nextauth }, cookies: call.cookies, headers: {} };
  }
  // next-auth starts with a POST and a CSRF token, created here for this call.
  const csrfToken = randomToken();
  const hash = createHash('sha256').update(`${csrfToken}${secret()}`).digest('hex');
  const cookies = { [CSRF_COOKIE]: `${csrfToken}|${hash}` };
  return { method: 'POST', query: { nextauth }, body: { csrfToken }, cookies, headers: {} };
}

function optionsFor(provider: Provider, outcome: Outcome): NextAuthOptions {
  const options = { httpOnly: true, secure: true, sameSite: 'lax', path: callbackPath(provider) } as const;
  const cookie = (name: string) => ({ name, options: { ...options, maxAge: HANDSHAKE_SECONDS } });
  const { id, name, clientId, clientSecret, tokenEndpointAuthMethod: method } = provider;
  return {
    secret: secret(),
    session: { strategy: 'jwt' },
    logger: { error: noteFailure, warn: () => {}, debug: () => {} },
    cookies: {
      state: cookie(CHECK_COOKIES.state),
      nonce: cookie(CHECK_COOKIES.nonce),
      pkceCodeVerifier: cookie(CHECK_COOKIES.pkceCodeVerifier),
      csrfToken: { name: CSRF_COOKIE, options },
    },
    providers: [
      {
        id,
        name,
        type: 'oauth',
        wellKnown: discoveryUrl(provider),
        clientId,
        clientSecret,
        // The library waits 3.5 seconds for a response otherwise.
        httpOptions: { timeout: DEADLINE_MS },
        client: method && { token_endpoint_auth_method: method },
        idToken: true,
        checks: ['pkce', 'state', 'nonce'],
        authorization: { params: { scope: 'openid email profile' } },
        token: {
          request: async ({ client: given, provider: { callbackUrl }, params, checks }) => {
            const client = forAnyAlgorithm(given);
            const tokens = await client.callback(callbackUrl, params, checks as OpenIDCallbackChecks);
            if (provider.linkVerifiedEmail) outcome.userinfo = await emailOf(client, tokens);
            return { tokens };
          },
        },
        profile: ({ sub }) => ({ id: sub }),
      },
    ],
    callbacks: {
      // Returning a URL keeps next-auth from creating its own session.
      signIn: ({ profile }) => {
        outcome.profile = { ...outcome.userinfo, ...profile };
        return '/';
      },
    },
  };
}

// None of these can be forged with the client's secret.
const ALGORITHMS = new Set(['RS256', 'ES256', 'PS256', 'EdDSA', 'ES384', 'PS384', 'RS384', 'ES512', 'PS512', 'RS512']);

type Validating = { validateIdToken: (tokens: TokenSet, ...rest: unknown[]) => Promise<TokenSet> };

/**
 * The client, which otherwise takes RS256 only. Providers list all algorithms that they know, so only the id_token says which of
 * them an admin of the provider chose for this client.
 */
function forAnyAlgorithm(client: BaseClient): BaseClient {
  const validateIdToken: Validating['validateIdToken'] = (tokens, ...rest) => {
    const metadata = { ...client.metadata, id_token_signed_response_alg: algorithmOf(tokens.id_token) };
    const validating = withTolerance(new client.issuer.Client(metadata)) as BaseClient & Validating;
    return validating.validateIdToken(tokens, ...rest);
  };
  return Object.assign(client, { validateIdToken });
}

/** RS256 if the token names another one that isn't accepted, so that the library rejects it. */
function algorithmOf(idToken = ''): string {
  try {
    const { alg } = JSON.parse(Buffer.from(idToken.split('.')[0] ?? '', 'base64url').toString());
    return ALGORITHMS.has(alg) ? alg : 'RS256';
  } catch {
    return 'RS256';
  }
}

/** The library tolerates 10 seconds, which clocks without NTP differ by. */
function withTolerance(client: BaseClient): BaseClient {
  client[custom.clock_tolerance] = CLOCK_TOLERANCE_SECONDS;
  return client;
}

/**
 * The email that the provider has at its userinfo endpoint only, as OpenID Connect provides for (Core 5.4). Empty if the id_token has
 * one, or if the endpoint fails: then nothing is linked.
 */
async function emailOf(client: BaseClient, tokens: TokenSet): Promise<Email> {
  if (tokens.claims().email !== undefined || !client.issuer.metadata.userinfo_endpoint) return {};
  // The library compares the subjects.
  const { email, email_verified } = await client.userinfo(tokens).catch((): Email => ({}));
  return { email, email_verified };
}

/** The library's error code, and its message up to the first quotation. */
function noteFailure(_: string, metadata: unknown): void {
  const work = current.getStore();
  if (!work || work.outcome.failure) return;
  const error = (metadata as { error?: unknown } | undefined)?.error ?? metadata ?? {};
  const { code, message } = error as { code?: unknown; message?: unknown };
  const sentence = String(message ?? '').split(/[,:({"']/)[0] ?? '';
  const text = typeof code === 'string' ? `${code} ${sentence}` : sentence;
  work.outcome.failure = { isOutage: OUTAGE.test(text), text };
}

// A code of the operating system. openid-client reports a timeout and an unexpected status only in its message.
const OUTAGE = /^E[A-Z]{3,}|timed out|^expected 200 OK/;

function isHandshakeCookie(cookie: string): boolean {
  return Object.values(CHECK_COOKIES).some((name) => cookie.startsWith(`${name}=`));
}

function secret(): string {
  return env().secretKeys[0] as string;
}
