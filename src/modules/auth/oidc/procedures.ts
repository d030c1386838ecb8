import { Confirmation, Empty } from '@/lib/wire';
import { authedProcedure, publicProcedure } from '@/server/procedures/trpc';
import { restOf } from '@/server/rest/meta';
import { listProviders } from './providers';
import { ByProvider, LinkStarted, OidcCallback, OidcLogin, OidcProviders, Redirection } from './schema';
import { beginLink, beginSignIn, disconnect, finish } from './service';

const rest = restOf('Authentication');
const redirect = { errorPage: '/login' };

export const oidcProcedures = {
  oidcProviders: publicProcedure(Empty)
    .meta(
      rest('GET', '/auth/oidc/providers', {
        summary: 'List identity providers',
        description: 'Providers that admins can sign in with.',
        isPublic: true,
      }),
    )
    .output(OidcProviders)
    .query(() => listProviders()),

  oidcLogin: publicProcedure(OidcLogin)
    .meta(
      rest('GET', '/auth/oidc/login/{provider}', {
        summary: 'Sign in with an identity provider',
        description: 'For browsers: redirects to the provider’s authorization endpoint.',
        isPublic: true,
        isLogin: true,
        isWriting: true,
        redirect,
        errors: { 404: ['NOT_FOUND'], 503: ['SERVICE_UNAVAILABLE'] },
      }),
    )
    .output(Redirection)
    .query(({ ctx, input }) => beginSignIn(ctx, input)),

  // A query, because it is a GET; the verb writes the audit entries itself.
  oidcCallback: publicProcedure(OidcCallback)
    .meta(
      rest('GET', '/auth/oidc/callback/{provider}', {
        summary: 'Complete sign-in with an identity provider',
        description:
          'Register this URL with the provider. Sets the session cookie and redirects to the console, or to the login page if a second factor is required or sign-in fails.',
        isPublic: true,
        isLogin: true,
        isWriting: true,
        isOpenQuery: true,
        redirect,
        errors: { 404: ['NOT_FOUND'], 503: ['SERVICE_UNAVAILABLE'] },
      }),
    )
    .output(Redirection)
    .query(({ ctx, input }) => finish(ctx, input)),

  oidcLink: authedProcedure(ByProvider)
    .meta(
      rest('POST', '/auth/oidc/link/{provider}', {
        summary: 'Link an identity provider',
        description: 'Open `url` in the same browser, with the cookies of this response.',
        audit: 'admin.begin_oidc_link',
        confirmation: null,
        isSessionOnly: true,
        errors: { 404: ['NOT_FOUND'], 409: ['CONFLICT'] },
      }),
    )
    .output(LinkStarted)
    .mutation(({ ctx, input }) => beginLink(ctx, input)),

  oidcDisconnect: authedProcedure(Empty)
    .meta(
      rest('DELETE', '/auth/oidc/disconnect', {
        summary: 'Disconnect your identity provider',
        description: 'Requires a password, so that you can still sign in.',
        audit: 'admin.disconnect_oidc',
        confirmation: 'You can’t sign in with the identity provider any longer.',
        isSessionOnly: true,
        errors: { 409: ['CONFLICT'] },
      }),
    )
    .output(Confirmation)
    .mutation(({ ctx }) => disconnect(ctx)),
};
