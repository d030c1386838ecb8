import type { RecordAudit } from '@/server/audit';
import type { ActorContext } from '@/server/context';
import { AppError } from '@/server/errors';
import { clearFailures, recordAttempt } from '../attempt-delay';
import type { TotpCodeInput, TotpEnabled } from '../schema';
import { consumeTotpCode, newTotpSecret, removeTotp, replaceRecoveryCodes, stepOfCode } from './codes';

/** Starts setup. It is pending, and not required at sign-in, until a valid code is entered. @throws CONFLICT */
export async function beginTotpSetup(ctx: MutationContext): Promise<{ provisioning_uri: string }> {
  const { admin } = ctx.actor;
  const { sealed, provisioningUri } = newTotpSecret(admin);
  const { count } = await ctx.db.admin.updateMany({
    where: { id: admin.id, totpEnabled: false },
    data: { totpSecret: sealed },
  });
  if (count === 0) throw alreadyEnabled();
  await ctx.audit({ resource: `admin:${admin.id}` });
  return { provisioning_uri: provisioningUri };
}

/** @throws TOTP_INVALID; CONFLICT if it is enabled or setup was not started; RATE_LIMIT_EXCEEDED */
export async function enableTotp(ctx: MutationContext, { code }: TotpCodeInput): Promise<TotpEnabled> {
  const admin = await getSecret(ctx);
  if (admin.totpEnabled) throw alreadyEnabled();
  const { totpSecret } = admin;
  if (!totpSecret) throw new AppError('CONFLICT', 'Start with POST /auth/totp/setup.');
  await recordAttempt(ctx.database, admin.email, ctx.clock.now());
  const step = stepOfCode(admin, code, ctx.clock.now());
  if (step === null) throw await wrongCode(ctx);
  const recoveryCodes = await ctx.database.$transaction(async (tx) => {
    const { count } = await tx.admin.updateMany({
      where: { id: admin.id, totpEnabled: false, totpSecret },
      data: { totpEnabled: true, totpLastStep: step },
    });
    if (count === 0) throw new AppError('CONFLICT', 'Setup was restarted or completed meanwhile. Reload and check.');
    await clearFailures(tx, admin.email);
    const codes = await replaceRecoveryCodes(tx, admin.id);
    await ctx.audit({ resource: `admin:${admin.id}`, ...change(false, true) }, tx);
    return codes;
  });
  return { message: 'Two-factor authentication enabled.', recovery_codes: recoveryCodes };
}

/** @throws TOTP_INVALID; CONFLICT if it is not enabled; RATE_LIMIT_EXCEEDED */
export async function disableTotp(ctx: MutationContext, { code }: TotpCodeInput): Promise<{ message: string }> {
  const admin = await getSecret(ctx);
  if (!admin.totpEnabled) throw notEnabled();
  await recordAttempt(ctx.database, admin.email, ctx.clock.now());
  const isDisabled = await ctx.database.$transaction(async (tx) => {
    if (!(await consumeTotpCode(tx, admin, code, ctx.clock.now()))) return false;
    await clearFailures(tx, admin.email);
    await removeTotp(tx, admin.id);
    await ctx.audit({ resource: `admin:${admin.id}`, ...change(true, false) }, tx);
    return true;
  });
  if (!isDisabled) throw await wrongCode(ctx);
  return { message: 'Two-factor authentication disabled.' };
}

async function getSecret(ctx: ActorContext) {
  return ctx.database.admin.findUniqueOrThrow({
    where: { id: ctx.actor.admin.id },
    select: { id: true, email: true, totpEnabled: true, totpSecret: true },
  });
}

async function wrongCode(ctx: MutationContext): Promise<AppError> {
  const details = { code: 'TOTP_INVALID' };
  await ctx.audit({ resource: `admin:${ctx.actor.admin.id}`, outcome: 'denied', details });
  return new AppError('TOTP_INVALID', 'The code is incorrect or was already used. Wait for the next one.');
}

function alreadyEnabled(): AppError {
  return new AppError('CONFLICT', 'Two-factor authentication is already enabled. Disable it first.');
}

function notEnabled(): AppError {
  return new AppError('CONFLICT', 'Two-factor authentication isn’t enabled.');
}

function change(before: boolean, after: boolean) {
  return { before: { totp_enabled: before }, after: { totp_enabled: after } };
}
