import { z } from 'zod';
import { MAX_PASSWORD_LENGTH } from '@/lib/access/password';
import { ROLES } from '@/lib/access/roles';
import { ADDRESS_ERROR, addressError, parseAddress, withoutSpaces } from '@/lib/mail/address';
import { REQUIRED } from '@/lib/texts/field-messages';
import { isTimeZone } from '@/lib/time/time-zone';
import { Id, NewPassword, plainText, Timestamp } from '@/lib/wire';
import { MISSING } from './missing';

export const AdminSummary = z
  .object({
    id: Id,
    email: z.string(),
    role: z.enum(ROLES),
    totp_enabled: z.boolean(),
    last_login_at: Timestamp.nullable(),
  })
  .meta({ id: 'AdminSummary' });
export type AdminSummary = z.infer<typeof AdminSummary>;

const TimeZone = z
  .string()
  .max(64)
  .refine(isTimeZone, 'Enter the name of an IANA time zone, such as Europe/Berlin.')
  .nullable()
  .meta({
    description: 'IANA name of the zone of times in the console; null for the browser’s',
    examples: ['Europe/Berlin'],
  });

export const Profile = AdminSummary.extend({
  oidc_provider: z.string().nullable().meta({ description: 'null if no identity provider is linked' }),
  time_zone: z.string().nullable().meta({ description: 'Zone of times in the console; null for the browser’s' }),
}).meta({ id: 'Profile' });
export type Profile = z.infer<typeof Profile>;

export const UpdateProfile = z.strictObject({ time_zone: TimeZone });
export type UpdateProfile = z.infer<typeof UpdateProfile>;

export const LinkedIdentity = z
  .object({
    provider: z.string().meta({ description: 'id from GET /auth/oidc/providers' }),
    issuer: z.string(),
    subject: z.string().meta({ description: 'The account at the provider (`sub`)' }),
    linked_at: Timestamp,
  })
  .meta({ id: 'LinkedIdentity' });
export type LinkedIdentity = z.infer<typeof LinkedIdentity>;

/** Also checked if other fields are invalid, so that a form shows all errors at once. */
const REPETITION = { path: ['repeated'], when: () => true, error: 'The passwords don’t match.' };

const Token = z.string().min(1).max(256);

/** Authenticator apps show codes in two groups. Keyboards for East Asian languages write digits of full width. */
const TotpCode = z
  .string()
  .max(64)
  .overwrite((text) => text.normalize('NFKC').replace(/[\s\p{Cf}\p{Pd}]/gu, ''))
  .regex(/^\d{6}$/, 'Enter the 6-digit code.');

const PASSWORD_STEP = ['email', 'password'] as const;
const SECOND_STEP = ['totp_session', 'totp_code', 'recovery_code'] as const;

const LoginFields = z.strictObject({
  email: plainText(254).optional(),
  password: z.string().max(MAX_PASSWORD_LENGTH).optional(),
  totp_session: Token.optional().meta({ description: 'Step 2: from the response to step 1' }),
  totp_code: TotpCode.optional().meta({ description: 'Step 2: 6 digits' }),
  recovery_code: z.string().min(1).max(64).optional().meta({ description: 'Step 2, instead of totp_code' }),
});

/** Step 1 takes email and password; step 2 takes totp_session with totp_code or recovery_code. */
export const Login = [...PASSWORD_STEP, ...SECOND_STEP]
  .reduce(
    (schema, name) =>
      schema
        .refine((login) => !isMissing(login, name), {
          path: [name],
          when: ({ value }) => isObject(value),
          params: { apiCode: 'MISSING_FIELDS' },
          error: name in MISSING ? MISSING[name as keyof typeof MISSING] : REQUIRED,
        })
        .refine((login) => !isOfOtherStep(login, name), {
          path: [name],
          when: ({ value }) => isObject(value),
          error: 'This field doesn’t belong to this sign-in step.',
        }),
    LoginFields,
  )
  .meta({ examples: [{ email: 'ann@example.com', password: 'replace me' }] });
export type Login = z.infer<typeof Login>;

export const LoggedIn = z.object({ admin: AdminSummary, session_id: Id, expires_at: Timestamp });
export type LoggedIn = z.infer<typeof LoggedIn>;

export const TotpPending = z.object({
  requires_totp: z.literal(true),
  totp_session: z.string().meta({ description: 'For step 2; valid once, until expires_at' }),
  expires_at: Timestamp,
});
export type TotpPending = z.infer<typeof TotpPending>;

export const LoginAnswer = z.union([LoggedIn, TotpPending]);
export type LoginAnswer = z.infer<typeof LoginAnswer>;

export const TotpSetup = z.object({
  provisioning_uri: z.string().meta({ description: 'otpauth URI with the secret, for an authenticator app' }),
  secret: z.string().meta({ description: 'The secret in base32, for apps and programs that take no URI' }),
});

export type TotpSetup = z.infer<typeof TotpSetup>;

export const TotpCodeInput = z.strictObject({ code: TotpCode });
export type TotpCodeInput = z.infer<typeof TotpCodeInput>;

export const TotpEnabled = z.object({
  message: z.string(),
  recovery_codes: z.array(z.string()).meta({ description: '10 codes, each valid for one sign-in, returned only once' }),
});
export type TotpEnabled = z.infer<typeof TotpEnabled>;

export const RevokeApiKeys = z
  .boolean()
  .default(false)
  .meta({ description: 'Also revokes every API key of the admin. Otherwise the keys keep working' });

export const ChangePassword = z.strictObject({
  current_password: z.string().min(1, 'Enter your current password.').max(MAX_PASSWORD_LENGTH),
  new_password: NewPassword,
  revoke_api_keys: RevokeApiKeys,
});
export type ChangePassword = z.infer<typeof ChangePassword>;

export const ChangePasswordForm = ChangePassword.extend({ repeated: z.string() }).refine(
  ({ new_password, repeated }) => repeated === new_password,
  REPETITION,
);

export const Session = z
  .object({
    id: Id,
    ip_address: z.string(),
    user_agent: z.string(),
    created_at: Timestamp,
    expires_at: Timestamp,
    current: z.boolean().meta({ description: 'Whether this is the session of the request' }),
  })
  .meta({ id: 'Session' });
export type Session = z.infer<typeof Session>;

export const SetupStatusQuery = z.strictObject({ token: Token.optional() });
export type SetupStatusQuery = z.infer<typeof SetupStatusQuery>;

export const SetupStatus = z.object({ needs_setup: z.boolean(), token_valid: z.boolean() });
export type SetupStatus = z.infer<typeof SetupStatus>;

export const AdminEmail = z
  .string()
  .min(1, ADDRESS_ERROR)
  .refine((text) => parseAddress(text) !== null, { error: ({ input }) => addressError(input) })
  // Kept as it was written otherwise, because signing in compares it as text.
  .transform((text) => withoutSpaces(text).replace(/\.$/, '').toLowerCase());

export const Setup = z.strictObject({
  token: Token,
  email: AdminEmail,
  password: NewPassword,
});
export type Setup = z.infer<typeof Setup>;

export const SetupForm = Setup.extend({ repeated: z.string() }).refine(
  ({ password, repeated }) => repeated === password,
  REPETITION,
);

type LoginFields = z.infer<typeof LoginFields>;

function isSecondStep(login: LoginFields): boolean {
  return SECOND_STEP.some((name) => login[name] != null);
}

function isMissing(login: LoginFields, name: keyof LoginFields): boolean {
  if (!isSecondStep(login)) return (name === 'email' || name === 'password') && !login[name]?.trim?.();
  if (name === 'totp_session') return !login.totp_session;
  return name === 'totp_code' && !login.totp_code && !login.recovery_code;
}

function isOfOtherStep(login: LoginFields, name: keyof LoginFields): boolean {
  if (!isSecondStep(login)) return false;
  if (name === 'recovery_code') return login.totp_code != null && login.recovery_code != null;
  return (name === 'email' || name === 'password') && login[name] != null;
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
