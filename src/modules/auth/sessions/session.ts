import { uuidv7 } from '@/lib/uuid';
import type { Tx } from '@/server/database/db';
import type { Context } from '@/server/procedures/context';
import { newSessionSecret, sessionCookie } from '@/server/secrets/credentials';
import { sha256 } from '@/server/secrets/crypto';
import { env } from '@/server/settings/env';
import type { AdminSummary, LoggedIn } from '../schema';
import { rememberDevice } from './device';

type AdminRow = {
  id: string;
  email: string;
  role: AdminSummary['role'];
  totpEnabled: boolean;
  lastLoginAt: Date | null;
};

/** Opens a session and sets its cookie, and that of a known device, on the response. The returned id is public; the secret is not. */
export async function openSession(tx: Tx, ctx: Context, adminId: string): Promise<LoggedIn> {
  const now = ctx.clock.now();
  const maxAgeSeconds = env().sessionTtlHours * 3600;
  const expiresAt = new Date(now.getTime() + maxAgeSeconds * 1000);
  const { secret, cookieValue } = newSessionSecret();
  const { ip, userAgent } = ctx.request;
  const session = {
    id: uuidv7(),
    adminId,
    secretHash: sha256(secret),
    ipAddress: ip,
    userAgent,
    createdAt: now,
    expiresAt,
  };
  await tx.session.create({ data: session, select: { id: true } });
  const admin = await tx.admin.update({ where: { id: adminId }, data: { lastLoginAt: now }, select: ADMIN_SUMMARY });
  ctx.response.headers.append('Set-Cookie', sessionCookie(cookieValue, maxAgeSeconds));
  await rememberDevice(tx, ctx, adminId);
  return { admin: presentAdmin(admin), session_id: session.id, expires_at: expiresAt.toISOString() };
}

/** Ends an admin's sessions and pending sign-ins, and forgets their devices. */
export async function endSessions(tx: Tx, adminId: string, { except }: { except?: string } = {}): Promise<number> {
  await tx.totpSession.deleteMany({ where: { adminId } });
  await tx.signInDevice.deleteMany({ where: { adminId } });
  const { count } = await tx.session.deleteMany({ where: { adminId, id: { not: except } } });
  return count;
}

export async function deleteExpiredSessions(db: Tx, now: Date): Promise<void> {
  await db.session.deleteMany({ where: { expiresAt: { lt: now } } });
}

const ADMIN_SUMMARY = { id: true, email: true, role: true, totpEnabled: true, lastLoginAt: true } as const;

export function presentAdmin({ id, email, role, totpEnabled, lastLoginAt }: AdminRow): AdminSummary {
  return { id, email, role, totp_enabled: totpEnabled, last_login_at: lastLoginAt?.toISOString() ?? null };
}
