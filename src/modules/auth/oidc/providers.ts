import { notFound } from '@/server/errors';
import { env } from '@/server/settings/env';
import type { OidcProviders } from './schema';

export type Provider = ReturnType<typeof env>['oidcProviders'][number];

export function listProviders(): OidcProviders {
  return env().oidcProviders.map(({ id, name }) => ({ id, name }));
}

/** @throws NOT_FOUND */
export function getProvider(id: string): Provider {
  const provider = env().oidcProviders.find((candidate) => candidate.id === id);
  if (!provider) throw notFound('identity provider');
  return provider;
}

/** Cookie path of a handshake: its cookies are sent to this provider's callback only. */
export function callbackPath({ id }: Provider): string {
  return `/api/v1/auth/oidc/callback/${id}`;
}

/** Compares issuers without a trailing slash, because providers are inconsistent about it. */
export function isIssuerOf({ issuer }: Provider, claimed: string): boolean {
  return withoutSlash(claimed) === withoutSlash(issuer);
}

export function discoveryUrl({ issuer, clientId }: Provider): string {
  const url = new URL(`${withoutSlash(issuer)}/.well-known/openid-configuration`);
  // An app of Entra ID whose claims are mapped signs with a key of its own, which only its own key set has.
  if (ENTRA_ID.test(url.hostname)) url.searchParams.set('appid', clientId);
  return url.href;
}

const ENTRA_ID = /^login\.microsoftonline\.(?:com|us)$|^login\.partner\.microsoftonline\.cn$|\.ciamlogin\.com$/;

function withoutSlash(url: string): string {
  return url.endsWith('/') ? url.slice(0, -1) : url;
}
