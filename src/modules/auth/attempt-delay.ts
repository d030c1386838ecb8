import { formatPlural } from '@/lib/format';
import { CLOCK_TOLERANCE_SECONDS } from '@/server/clock';
import type { Tx } from '@/server/database/db';
import { AppError } from '@/server/errors';
import { countRefusal } from '@/server/metrics/metrics';
import type { Context } from '@/server/procedures/context';
import { sha256 } from '@/server/secrets/crypto';
import { findDevice } from './sessions/device';

const FORGOTTEN_AFTER_MS = 15 * 60 * 1000;
const MAX_WAIT_SECONDS = 30;

/** Whose failures an attempt counts towards: an account's, or those of one of its own devices. */
export type Attempt = { account: Uint8Array<ArrayBuffer>; isKnownDevice: boolean };

/**
 * Counts an attempt as failed before it is checked, so that concurrent attempts are all counted. After five failures each
 * one delays the next attempt of that account, from 1 to 30 seconds, from any client address. Unknown addresses alike.
 * A browser that the admin signed in with before counts for itself, so that nobody else can keep them waiting.
 * @throws RATE_LIMIT_EXCEEDED during the delay
 */
export async function recordAttempt(ctx: Context, email: string): Promise<Attempt> {
  const { db } = ctx;
  const now = ctx.clock.now();
  const device = await findDevice(ctx, email);
  const account = accountOf(email, device);
  // A wait that ends later than it can was begun by a clock that was ahead.
  const longest = new Date(now.getTime() + (MAX_WAIT_SECONDS + CLOCK_TOLERANCE_SECONDS) * 1000);
  const counted = await db.$queryRaw<{ failures: number }[]>`
    INSERT INTO sign_in_failure AS earlier (account, failures, wait_until, updated_at)
    VALUES (${account}, 1, to_timestamp(0), ${now})
    ON CONFLICT (account) DO UPDATE SET
      failures = least(earlier.failures + 1, 1000),
      wait_until = CASE WHEN earlier.failures < 5 THEN earlier.wait_until
        ELSE ${now}::timestamptz + interval '1 second' * least(${MAX_WAIT_SECONDS}, 2 ^ least(earlier.failures - 5, 5)) END,
      updated_at = ${now}
    WHERE earlier.wait_until <= ${now} OR earlier.wait_until > ${longest}
    RETURNING failures`;
  if (counted.length > 0) return { account, isKnownDevice: device !== null };
  countRefusal('sign_in_delay');
  const row = await db.signInFailure.findUnique({ where: { account }, select: { waitUntil: true } });
  throw waiting(row ? row.waitUntil.getTime() - now.getTime() : 1000);
}

/** Undoes the count after a correct first factor. Earlier failures stay until sign-in is complete. */
export async function undoAttempt(tx: Tx, { account }: Attempt, now: Date): Promise<void> {
  await tx.signInFailure.updateMany({
    where: { account, failures: { gt: 0 } },
    data: { failures: { decrement: 1 }, waitUntil: now },
  });
}

export async function clearFailures(tx: Tx, { account }: Attempt): Promise<void> {
  await tx.signInFailure.deleteMany({ where: { account } });
}

export async function deleteOldFailures(db: Tx, now: Date): Promise<void> {
  await db.signInFailure.deleteMany({ where: { updatedAt: { lt: new Date(now.getTime() - FORGOTTEN_AFTER_MS) } } });
}

function accountOf(email: string, device: Uint8Array | null): Uint8Array<ArrayBuffer> {
  const suffix = device ? `\0${Buffer.from(device).toString('hex')}` : '';
  return sha256(email.trim().toLowerCase() + suffix);
}

function waiting(waitMs: number): AppError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  return new AppError(
    'RATE_LIMIT_EXCEEDED',
    `Too many failed attempts for this account. Try again in ${formatPlural(seconds, 'second')}.`,
    {
      details: { retry_after_seconds: seconds },
      headers: { 'Retry-After': String(seconds) },
    },
  );
}
