import { z } from 'zod';
import { parseAddress } from '@/lib/address';
import { ROLES } from '@/lib/roles';
import { Id, plainText, Timestamp } from '@/lib/wire';

export const MIN_PASSWORD_LENGTH = 12;
const MAX_PASSWORD_LENGTH = 256;

export const AdminSummary = z
  .object({
    id: Id,
    email: z.string(),
    role: z.enum(ROLES),
    totp_enabled: z.boolean(),
    last_login_at: Timestamp.nullable(),
  })
  .meta({ id: 'Admin' });
export type AdminSummary = z.infer<typeof AdminSummary>;

export const Profile = AdminSummary.extend({
  oidc_provider: z.string().nullable().meta({ description: 'null: no identity provider is linked' }),
}).meta({ id: 'Profile' });
export type Profile = z.infer<typeof Profile>;

export const Login = z.strictObject({
  email: plainText(254).min(1),
  password: z.string().min(1).max(MAX_PASSWORD_LENGTH),
});
export type Login = z.infer<typeof Login>;

export const LoggedIn = z.object({ admin: AdminSummary, session_id: Id, expires_at: Timestamp });
export type LoggedIn = z.infer<typeof LoggedIn>;

const Token = z.string().min(1).max(256);

export const SetupStatusQuery = z.strictObject({ token: Token.optional() });
export type SetupStatusQuery = z.infer<typeof SetupStatusQuery>;

export const SetupStatus = z.object({ needs_setup: z.boolean(), token_valid: z.boolean() });
export type SetupStatus = z.infer<typeof SetupStatus>;

const NewPassword = z
  .string()
  .min(MIN_PASSWORD_LENGTH, `At least ${MIN_PASSWORD_LENGTH} characters.`)
  .max(MAX_PASSWORD_LENGTH, `At most ${MAX_PASSWORD_LENGTH} characters.`);

export const Setup = z.strictObject({
  token: Token,
  email: z
    .string()
    .min(1)
    .refine((text) => parseAddress(text) !== null, 'This is not a plain address such as ann@example.com.'),
  password: NewPassword,
});
export type Setup = z.infer<typeof Setup>;
