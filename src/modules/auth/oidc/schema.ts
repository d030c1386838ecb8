import { z } from 'zod';

const ProviderId = z.string().min(1).max(40).meta({ description: 'id from GET /auth/oidc/providers' });

export const OidcProviders = z.array(z.object({ id: z.string(), name: z.string() }));
export type OidcProviders = z.infer<typeof OidcProviders>;

export const ByProvider = z.strictObject({ provider: ProviderId });
export type ByProvider = z.infer<typeof ByProvider>;

export const OidcLogin = z.strictObject({
  provider: ProviderId,
  next: z
    .string()
    .optional()
    .meta({ description: 'Console path to open after sign-in; anything else opens the overview' }),
});
export type OidcLogin = z.infer<typeof OidcLogin>;

export const OidcCallback = z.strictObject({
  provider: ProviderId,
  code: z.string().optional(),
  state: z.string().optional(),
  iss: z.string().optional(),
  error: z.string().optional(),
  error_description: z.string().optional(),
});
export type OidcCallback = z.infer<typeof OidcCallback>;

export const Redirection = z.object({ location: z.string() });
export type Redirection = z.infer<typeof Redirection>;

export const LinkStarted = z.object({ url: z.string().meta({ description: 'URL to open in the browser' }) });
export type LinkStarted = z.infer<typeof LinkStarted>;

/** Reasons why sign-in or linking failed, passed to the page as `?error=`. */
export type OidcError =
  | 'access_denied'
  | 'already_linked'
  | 'expired'
  | 'identity_taken'
  | 'no_account'
  | 'provider_unavailable'
  | 'session_ended'
  | 'sign_in_failed';
