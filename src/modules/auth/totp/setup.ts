import { AppError } from '@/server/errors';
import type { ActorContext } from '@/server/procedures/context';
import type { MutationContext } from '@/server/procedures/mutation';
import { clearFailures, recordAttempt } from '../attempt-delay';
import type { TotpCodeInput, TotpEnabled, TotpSetup } from '../schema';
import { consumeTotpCode, newTotpSecret, removeTotp, replaceRecoveryCodes, stepOfCode } from './codes';

/** Starts setup. It is pending, and not required at sign-in, until a valid code is entered. @throws CONFLICT */
export async function beginTotpSetup(ctx: MutationContext): Promise<TotpSetup> {
  const { admin } = ctx.actor;
  const { sealed, provisioningUri, secret } = newTotpSecret(admin);
  await ctx.transaction(async ({ tx, audit }) => {
    const where = { id: admin.id, totpEnabled: false };
    const { count } = await tx.admin.updateMany({ where, data: { totpSecret: sealed } });
    if (count === 0) throw alreadyEnabled();
    await audit({ resource: `admin:${admin.id}` });
  });
  return { provisioning_uri: provisioningUri, secret };
}

/** @throws TOTP_INVALID; CONFLICT if it is enabled or setup was not started; RATE_LIMIT_EXCEEDED */
export async function enableTotp(ctx: MutationContext, { code }: TotpCodeInput): Promise<TotpEnabled> {
  const admin = await getSecret(ctx);
  if (admin.totpEnabled) throw alreadyEnabled();
  const { totpSecret } = admin;
  if (!totpSecret) throw new AppError('CONFLICT', 'Start with POST /auth/totp/setup.');
  const attempt = await recordAttempt(ctx, admin.email);
  const step = stepOfCode(admin, code, ctx.clock.now());
  if (step === null) {
    await ctx.auditAlone(wrongCodeEntry(admin.id));
    throw wrongCode();
  }
  const recoveryCodes = await ctx.transaction(async ({ tx, audit }) => {
    const { count } = await tx.admin.updateMany({
      where: { id: admin.id, totpEnabled: false, totpSecret },
      data: { totpEnabled: true, totpLastStep: step },
    });
    if (count === 0)
      throw new AppError('CONFLICT', 'Setup was restarted or completed in the meantime. Reload to continue.');
    await clearFailures(tx, attempt);
    const codes = await replaceRecoveryCodes(tx, admin.id);
    await audit({ resource: `admin:${admin.id}`, ...change(false, true) });
    return codes;
  });
  return { message: 'Two-factor authentication enabled.', recovery_codes: recoveryCodes };
}

/** @throws TOTP_INVALID; CONFLICT if it is not enabled; RATE_LIMIT_EXCEEDED */
export async function disableTotp(ctx: MutationContext, { code }: TotpCodeInput): Promise<{ message: string }> {
  const admin = await getSecret(ctx);
  if (!admin.totpEnabled) throw notEnabled();
  const attempt = await recordAttempt(ctx, admin.email);
  const isDisabled = await ctx.transaction(async ({ tx, audit }) => {
    const isCorrect = await consumeTotpCode(tx, admin, code, ctx.clock.now());
    if (isCorrect) {
      await clearFailures(tx, attempt);
      await removeTotp(tx, admin.id);
    }
    await audit(isCorrect ? { resource: `admin:${admin.id}`, ...change(true, false) } : wrongCodeEntry(admin.id));
    return isCorrect;
  });
  if (!isDisabled) throw wrongCode();
  return { message: 'Two-factor authentication disabled.' };
}

async function getSecret(ctx: ActorContext) {
  return ctx.db.admin.findUniqueOrThrow({
    where: { id: ctx.actor.admin.id },
    select: { id: true, email: true, totpEnabled: true, totpSecret: true },
  });
}

function wrongCodeEntry(adminId: string) {
  return { resource: `admin:${adminId}`, outcome: 'denied', details: { code: 'TOTP_INVALID' } } as const;
}

function wrongCode(): AppError {
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
