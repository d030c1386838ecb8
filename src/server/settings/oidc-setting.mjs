import { z } from 'zod';

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** The endpoints of Microsoft for accounts of any tenant. */
const SHARED_ISSUER = /^https:\/\/login\.microsoftonline\.(?:com|us)\/(?:common|organizations|consumers)(?:\/|$)/i;

const OidcProviders = z
  .array(
    z.strictObject(
      {
        id: z
          .string('each provider needs an id')
          .regex(/^[a-z0-9-]{1,40}$/, 'the id of a provider has 1 to 40 characters of a-z, 0-9 and -'),
        name: filled('each provider needs a name').max(100, 'the name of a provider has at most 100 characters'),
        issuer: z
          .string('each provider needs an issuer')
          .refine(isIssuer, 'an issuer is an https URL without a query (http only on this machine)')
          .refine(
            (url) => !SHARED_ISSUER.test(url),
            'the issuer of Microsoft has the ID of your tenant in place of common, organizations or consumers, because id_tokens do',
          )
          // Providers show the URL of their configuration more often than their issuer.
          .transform((url) => url.replace(/\/\.well-known\/openid-configuration\/?$/, '')),
        clientId: filled('each provider needs a clientId'),
        clientSecret: filled('each provider needs a clientSecret'),
        linkVerifiedEmail: z.boolean('linkVerifiedEmail is true or false').default(false),
        tokenEndpointAuthMethod: z
          .enum(
            ['client_secret_basic', 'client_secret_post'],
            'tokenEndpointAuthMethod is client_secret_basic or client_secret_post',
          )
          .optional(),
      },
      'each provider is an object with id, name, issuer, clientId, clientSecret and, optionally, linkVerifiedEmail and tokenEndpointAuthMethod',
    ),
    'it must be a JSON list',
  )
  .max(20, 'it can list at most 20 providers')
  .refine(
    (providers) => new Set(providers.map(({ id }) => id)).size === providers.length,
    'two providers have the same id',
  );

/** Parses OIDC_PROVIDERS. The error names the first problem in one sentence, without secrets. */
export const OidcProvidersSetting = z
  .string()
  .default('[]')
  .transform((value, ctx) => {
    const result = OidcProviders.safeParse(parseJson(value));
    if (result.success) return result.data;
    ctx.addIssue({ code: 'custom', message: `is not valid: ${result.error.issues[0]?.message}.` });
    return z.NEVER;
  });

/** @param {string} message */
function filled(message) {
  return z.string(message).min(1, message);
}

/** @param {string} text */
function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @param {string} value */
function isIssuer(value) {
  if (!URL.canParse(value) || /[\s?#]/.test(value)) return false;
  const { protocol, hostname, username, password } = new URL(value);
  if (username || password) return false;
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname));
}
