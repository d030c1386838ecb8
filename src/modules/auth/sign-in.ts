import type { Context } from '@/server/context';
import type { Tx } from '@/server/db';
import type { LoggedIn, TotpPending } from './schema';
import { openSession } from './sessions/session';
import { openTotpSession } from './totp/pending';

/**
 * What follows once a password or an identity provider has proved who somebody is: a session with its cookie, or the
 * wait for the second factor where the admin has one.
 */
export async function passFirstFactor(tx: Tx, ctx: Context, adminId: string): Promise<LoggedIn | TotpPending> {
  const { totpEnabled } = await tx.admin.findUniqueOrThrow({ where: { id: adminId }, select: { totpEnabled: true } });
  return totpEnabled ? openTotpSession(tx, ctx, adminId) : openSession(tx, ctx, adminId);
}
