import type { Tx } from '@/server/database/db';
import type { Context } from '@/server/procedures/context';
import type { LoggedIn, TotpPending } from './schema';
import { openSession } from './sessions/session';
import { openTotpSession } from './totp/pending';

/**
 * Continues after the first factor (password or identity provider): opens a session with its cookie, or a pending sign-in
 * if the admin has a second factor.
 */
export async function passFirstFactor(tx: Tx, ctx: Context, adminId: string): Promise<LoggedIn | TotpPending> {
  const { totpEnabled } = await tx.admin.findUniqueOrThrow({ where: { id: adminId }, select: { totpEnabled: true } });
  return totpEnabled ? openTotpSession(tx, ctx, adminId) : openSession(tx, ctx, adminId);
}
