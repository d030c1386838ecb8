import { formatPlural } from '@/lib/format';
import { revokeKeysOf } from '@/modules/api-keys/service';
import type { Tx } from '@/server/database/db';
import { AppError } from '@/server/errors';
import { countSignInFailure } from '@/server/metrics/metrics';
import type { ActorContext } from '@/server/procedures/context';
import type { MutationContext, PublicMutationContext } from '@/server/procedures/mutation';
import { hashPassword, isPassword } from '@/server/secrets/password';
import { clearFailures, recordAttempt, undoAttempt } from './attempt-delay';
import { findIdentity, removeIdentity } from './oidc/identity';
import type { ChangePassword, LinkedIdentity, LoggedIn, Login, LoginAnswer, Profile, UpdateProfile } from './schema';
import { endSessions, openSession, presentAdmin } from './sessions/session';
import { passFirstFactor } from './sign-in';
import { consumeRecoveryCode, consumeTotpCode, removeTotp } from './totp/codes';
import { consumeTotpSession, countAttempt, getTotpSession } from './totp/pending';

/** @throws INVALID_CREDENTIALS at step 1; TOTP_INVALID or SESSION_INVALID at step 2; RATE_LIMIT_EXCEEDED */
export async function login(ctx: PublicMutationContext, input: Login): Promise<LoginAnswer> {
  const { email = '', password = '', totp_session: token } = input;
  return token === undefined ? provePassword(ctx, email, password) : proveSecondFactor(ctx, token, input);
}

export async function getProfile({ actor, db }: ActorContext): Promise<Profile> {
  const row = await findProfile(db, actor.admin.id);
  return { ...presentAdmin(actor.admin), ...presentProfile(row) };
}

/** Changes what the console keeps for the caller. */
export async function updateProfile(ctx: MutationContext, input: UpdateProfile): Promise<Profile> {
  const { admin } = ctx.actor;
  return ctx.transaction(async ({ tx, audit, requireVersion }) => {
    await requireVersion();
    const before = presentProfile(await findProfile(tx, admin.id));
    const { count } = await tx.admin.updateMany({ where: { id: admin.id }, data: { timeZone: input.time_zone } });
    if (count === 0) throw new AppError('SESSION_INVALID', 'This session has just ended. Sign in again.');
    const after = { ...before, time_zone: input.time_zone };
    const changed = ({ time_zone }: typeof before) => ({ email: admin.email, time_zone });
    await audit({ resource: `admin:${admin.id}`, before: changed(before), after: changed(after) });
    return { ...presentAdmin(admin), ...after };
  });
}

/** Ends the admin's other sessions. @throws INVALID_CREDENTIALS, VALIDATION_ERROR, CONFLICT, RATE_LIMIT_EXCEEDED */
export async function changePassword(ctx: MutationContext, input: ChangePassword): Promise<{ message: string }> {
  const { admin, session } = ctx.actor;
  const resource = `admin:${admin.id}`;
  const where = { id: admin.id };
  const { passwordHash } = await ctx.db.admin.findUniqueOrThrow({ where, select: { passwordHash: true } });
  if (!passwordHash) {
    throw new AppError(
      'CONFLICT',
      'You have no password yet. Ask another super admin to set one, or run "npm run admin -- password" on the server.',
    );
  }
  const attempt = await recordAttempt(ctx, admin.email);
  if (!(await isPassword(input.current_password, passwordHash))) {
    await ctx.auditAlone({ resource, outcome: 'denied', details: { code: 'INVALID_CREDENTIALS' } });
    throw new AppError('INVALID_CREDENTIALS', 'The current password is incorrect.');
  }
  // Undo this attempt only: failed second factors stay counted.
  await undoAttempt(ctx.db, attempt, ctx.clock.now());
  const data = { passwordHash: await hashPassword(input.new_password, 'new_password') };
  return ctx.transaction(async ({ tx, audit }) => {
    const { count } = await tx.admin.updateMany({ where: { ...where, passwordHash }, data });
    if (count === 0) throw new AppError('INVALID_CREDENTIALS', 'The password was just changed. Try again.');
    await endSessions(tx, admin.id, { except: session?.id });
    const revoked = input.revoke_api_keys ? await revokeKeysOf(tx, admin.id) : [];
    await audit({ resource, details: revoked.length > 0 ? { revoked_api_keys: revoked } : {} });
    const keys = input.revoke_api_keys
      ? `${formatPlural(revoked.length, 'API key')} revoked.`
      : 'API keys keep working.';
    const identity = (await findIdentity(tx, admin.id)) ? ' Your linked identity still signs you in.' : '';
    return { message: `Password changed. Your other sessions are signed out. ${keys}${identity}` };
  });
}

/** Ends an admin's sessions after somebody else changed their credentials or role. */
export async function endSignIns(tx: Tx, adminId: string, { except }: { except?: string } = {}): Promise<void> {
  await endSessions(tx, adminId, { except });
}

/** Removes a lost second factor. @throws CONFLICT if there is none */
export async function resetSecondFactor(tx: Tx, adminId: string): Promise<void> {
  const { totpEnabled } = await tx.admin.findUniqueOrThrow({ where: { id: adminId }, select: { totpEnabled: true } });
  if (!totpEnabled) throw new AppError('CONFLICT', 'This admin doesn’t use two-factor authentication.');
  await removeTotp(tx, adminId);
  await endSessions(tx, adminId);
}

/** The identity that an admin signs in with at a provider, or null. */
export async function findLinkedIdentity(db: Tx, adminId: string): Promise<LinkedIdentity | null> {
  const identity = await findIdentity(db, adminId);
  if (!identity) return null;
  const { providerId: provider, issuer, subject, createdAt } = identity;
  return { provider, issuer, subject, linked_at: createdAt.toISOString() };
}

/** Removes the identity of another admin and ends their sessions. @throws CONFLICT if it is their only way to sign in */
export async function disconnectIdentity(tx: Tx, adminId: string): Promise<LinkedIdentity> {
  const identity = await findLinkedIdentity(tx, adminId);
  const only = 'This admin has no password, so the identity is their only way to sign in. Set a password first.';
  await removeIdentity(tx, adminId, only);
  await endSessions(tx, adminId);
  return identity as LinkedIdentity;
}

/** Same response and timing for an unknown address and a wrong password. */
async function provePassword(ctx: PublicMutationContext, email: string, password: string): Promise<LoginAnswer> {
  const attempt = await recordAttempt(ctx, email);
  const admin = await ctx.db.admin.findUnique({
    where: { email: email.trim().toLowerCase() },
    select: { id: true, email: true, passwordHash: true },
  });
  const stranger = attempt.isKnownDevice ? null : ctx.request.ip;
  if (!(await isPassword(password, admin?.passwordHash ?? null, stranger)) || !admin) {
    countSignInFailure('password');
    await ctx.auditAlone({ resource: 'session', outcome: 'denied', email, details: { code: 'INVALID_CREDENTIALS' } });
    throw new AppError('INVALID_CREDENTIALS', 'Incorrect email or password.');
  }
  return ctx.transaction(async ({ tx, audit }) => {
    await requirePassword(tx, admin);
    const answer = await passFirstFactor(tx, ctx, admin.id);
    const actor = { admin, key: null };
    if ('requires_totp' in answer) {
      await undoAttempt(tx, attempt, ctx.clock.now());
      await audit({ resource: 'session', actor, details: { requires_totp: true } });
    } else {
      await clearFailures(tx, attempt);
      await audit({ resource: `session:${answer.session_id}`, actor });
    }
    return answer;
  });
}

/** Checks that password and admin are unchanged since the hash was compared, and locks the row until commit. */
async function requirePassword(
  tx: Tx,
  { id, passwordHash }: { id: string; passwordHash: string | null },
): Promise<void> {
  const rows = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM admin WHERE id = ${id}::uuid AND password_hash = ${passwordHash} FOR NO KEY UPDATE`;
  if (rows.length === 0) throw new AppError('INVALID_CREDENTIALS', 'Incorrect email or password.');
}

type SecondFactor = Pick<Login, 'totp_code' | 'recovery_code'>;

async function proveSecondFactor(ctx: PublicMutationContext, token: string, factor: SecondFactor): Promise<LoggedIn> {
  const now = ctx.clock.now();
  const pending = await getTotpSession(ctx.db, token, now);
  const admin = await ctx.db.admin.findUnique({
    where: { id: pending.adminId },
    select: { id: true, email: true, totpSecret: true },
  });
  if (!admin) throw new AppError('SESSION_INVALID', 'This sign-in has expired. Start over with your password.');
  const actor = { admin, key: null };
  const attempt = await recordAttempt(ctx, admin.email);
  await countAttempt(ctx.db, pending);
  const loggedIn = await ctx.transaction(async ({ tx, audit }) => {
    const { totp_code: code, recovery_code: recoveryCode } = factor;
    const isProved = code
      ? await consumeTotpCode(tx, admin, code, now)
      : await consumeRecoveryCode(tx, admin.id, recoveryCode ?? '');
    if (!isProved) {
      await audit({ resource: 'session', outcome: 'denied', actor, details: { code: 'TOTP_INVALID' } });
      return null;
    }
    await consumeTotpSession(tx, pending);
    await clearFailures(tx, attempt);
    const answer = await openSession(tx, ctx, admin.id);
    const details = { second_factor: code ? 'totp' : 'recovery_code' };
    await audit({ resource: `session:${answer.session_id}`, actor, details });
    return answer;
  });
  if (loggedIn) return loggedIn;
  countSignInFailure(factor.totp_code ? 'totp' : 'recovery_code');
  throw new AppError('TOTP_INVALID', 'The code is incorrect or was already used.', {
    details: { attempts_left: pending.attemptsLeft - 1 },
  });
}

type ProfileRow = Pick<Profile, 'oidc_provider' | 'time_zone'>;

/** Null if the admin was just deleted. */
async function findProfile(db: Tx, id: string): Promise<ProfileRow | null> {
  const [row] = await db.$queryRaw<ProfileRow[]>`/* prepared */
    SELECT o.provider_id AS oidc_provider, a.time_zone FROM admin a LEFT JOIN oidc_identity o ON o.admin_id = a.id
     WHERE a.id = ${id}::uuid`;
  return row ?? null;
}

function presentProfile(row: ProfileRow | null): ProfileRow {
  return row ?? { oidc_provider: null, time_zone: null };
}
