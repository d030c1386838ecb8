import type { Tx } from '@/server/db';
import { AppError } from '@/server/errors';
import { sha256 } from '@/server/secrets/crypto';

const FORGOTTEN_AFTER_MS = 15 * 60 * 1000;

/**
 * Counts an attempt as failed before it is checked, so that concurrent attempts are all counted. After five failures each
 * one delays the next attempt of that account, from 1 to 30 seconds, from any client address. Unknown addresses alike.
 * @throws RATE_LIMIT_EXCEEDED during the delay
 */
export async function recordAttempt(db: Tx, email: string, now: Date): Promise<void> {
  const account = accountOf(email);
  const counted = await db.$queryRaw<{ failures: number }[]>`
    INSERT INTO sign_in_failure AS earlier (account, failures, wait_until, updated_at)
    VALUES (${account}, 1, to_timestamp(0), ${now})
    ON CONFLICT (account) DO UPDATE SET
      failures = least(earlier.failures + 1, 1000),
      wait_until = CASE WHEN earlier.failures < 5 THEN earlier.wait_until
        ELSE ${now}::timestamptz + interval '1 second' * least(30, 2 ^ least(earlier.failures - 5, 5)) END,
      updated_at = ${now}
    WHERE earlier.wait_until <= ${now}
    RETURNING failures`;
  if (counted.length > 0) return;
  const row = await db.signInFailure.findUnique({ where: { account }, select: { waitUntil: true } });
  throw waiting(row ? row.waitUntil.getTime() - now.getTime() : 1000);
}

/** Undoes the count after a correct first factor. Earlier failures stay until sign-in is complete. */
export async function undoAttempt(tx: Tx, email: string, now: Date): Promise<void> {
  await tx.signInFailure.updateMany({
    where: { account: accountOf(email), failures: { gt: 0 } },
    data: { failures: { decrement: 1 }, waitUntil: now },
  });
}

export async function clearFailures(tx: Tx, email: string): Promise<void> {
  await tx.signInFailure.deleteMany({ where: { account: accountOf(email) } });
}

export async function deleteOldFailures(db: Tx, now: Date): Promise<void> {
  await db.signInFailure.deleteMany({ where: { updatedAt: { lt: new Date(now.getTime() - FORGOTTEN_AFTER_MS) } } });
}

function accountOf(email: string): Uint8Array<ArrayBuffer> {
  return sha256(email.trim().toLowerCase());
}

function waiting(waitMs: number): AppError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  return new AppError(
    'RATE_LIMIT_EXCEEDED',
    `Too many failed attempts for this account. Try again in ${seconds} seconds.`,
    {
      details: { retry_after_seconds: seconds },
      headers: { 'Retry-After': String(seconds) },
    },
  );
}
