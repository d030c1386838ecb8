import type { Tx } from '@/server/database/db';
import { AppError } from '@/server/errors';
import type { Context } from '@/server/procedures/context';
import { randomToken, sha256 } from '@/server/secrets/crypto';
import type { TotpPending } from '../schema';

const LIFETIME_MS = 5 * 60 * 1000;
const MAX_ATTEMPTS = 5;

export type OpenTotpSession = { id: string; attemptsLeft: number; adminId: string };

/** Creates a pending sign-in. The token is returned once; only its hash is stored. */
export async function openTotpSession(tx: Tx, ctx: Context, adminId: string): Promise<TotpPending> {
  const token = randomToken();
  const createdAt = ctx.clock.now();
  const expiresAt = new Date(createdAt.getTime() + LIFETIME_MS);
  const data = { adminId, secretHash: sha256(token), createdAt, expiresAt };
  await tx.totpSession.create({ data, select: { id: true } });
  return { requires_totp: true, totp_session: token, expires_at: expiresAt.toISOString() };
}

/** @throws SESSION_INVALID for an unknown, used or expired token, or after five wrong codes */
export async function getTotpSession(db: Tx, token: string, now: Date): Promise<OpenTotpSession> {
  const row = await db.totpSession.findUnique({
    where: { secretHash: sha256(token), expiresAt: { gt: now }, attempts: { lt: MAX_ATTEMPTS } },
    select: { id: true, attempts: true, adminId: true },
  });
  if (!row) throw ended();
  return { id: row.id, adminId: row.adminId, attemptsLeft: MAX_ATTEMPTS - row.attempts };
}

/** Counts an attempt before its code is checked, so that concurrent attempts are all counted. @throws SESSION_INVALID */
export async function countAttempt(db: Tx, { id }: OpenTotpSession): Promise<void> {
  const { count } = await db.totpSession.updateMany({
    where: { id, attempts: { lt: MAX_ATTEMPTS } },
    data: { attempts: { increment: 1 } },
  });
  if (count === 0) throw ended();
}

/** Consumes the token. Of two concurrent calls one succeeds. @throws SESSION_INVALID for the other */
export async function consumeTotpSession(tx: Tx, { id }: OpenTotpSession): Promise<void> {
  const { count } = await tx.totpSession.deleteMany({ where: { id } });
  if (count === 0) throw ended();
}

export async function deleteExpiredTotpSessions(db: Tx, now: Date): Promise<void> {
  await db.totpSession.deleteMany({ where: { expiresAt: { lt: now } } });
}

function ended(): AppError {
  return new AppError('SESSION_INVALID', 'This sign-in has expired. Start over with your password.');
}
