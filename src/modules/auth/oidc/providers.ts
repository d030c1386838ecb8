import { notFound } from '@/server/errors';
import { env } from '@/server/settings/env';

export type Provider = ReturnType<typeof env>['oidcProviders'][number];

/** @throws NOT_FOUND */
export function getProvider(id: string): Provider {
  const provider = env().oidcProviders.find((candidate) => candidate.id === id);
  if (!provider) throw notFound('identity provider');
  return provider;
}

/** Everything a handshake leaves in the browser is sent to the provider's own callback and nowhere else. */
export function callbackPath({ id }: Provider): string {
  return `/api/v1/auth/oidc/callback/${id}`;
}

/** A slash at the end makes no other issuer: providers write it one way here and the other way there. */
export function isIssuerOf({ issuer }: Provider, claimed: string): boolean {
  return withoutSlash(claimed) === withoutSlash(issuer);
}

export function discoveryUrl({ issuer }: Provider): string {
  return `${withoutSlash(issuer)}/.well-known/openid-configuration`;
}

function withoutSlash(url: string): string {
  return url.endsWith('/') ? url.slice(0, -1) : url;
}
