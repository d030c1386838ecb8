import type { Tx } from '@/server/database/db';
import type { Context } from '@/server/procedures/context';
import { readCookie } from '@/server/secrets/credentials';
import { randomToken, sha256 } from '@/server/secrets/crypto';

const COOKIE = 'postroom_device';
const SECRET_FORM = /^[\w-]{43}$/;
// The longest that browsers keep a cookie.
const LIFETIME_SECONDS = 400 * 24 * 60 * 60;
const MAX_DEVICES = 20;

/**
 * Remembers the browser of a successful sign-in, for that admin. Each sign-in replaces the cookie's secret, so a cookie that
 * somebody else put into the browser gains them nothing.
 */
export async function rememberDevice(tx: Tx, ctx: Context, adminId: string): Promise<void> {
  const secret = randomToken();
  const secretHash = sha256(secret);
  const lastUsedAt = ctx.clock.now();
  const earlier = deviceOf(ctx);
  // A browser is known to every admin who signed in with it.
  if (earlier) await tx.signInDevice.updateMany({ where: { secretHash: earlier }, data: { secretHash } });
  await tx.signInDevice.upsert({
    where: { adminId_secretHash: { adminId, secretHash } },
    create: { adminId, secretHash, lastUsedAt },
    update: { lastUsedAt },
    select: { adminId: true },
  });
  await tx.$executeRaw`
    DELETE FROM sign_in_device WHERE admin_id = ${adminId}::uuid AND secret_hash IN (
      SELECT secret_hash FROM sign_in_device WHERE admin_id = ${adminId}::uuid
       ORDER BY last_used_at DESC, secret_hash OFFSET ${MAX_DEVICES})`;
  const cookie = `${COOKIE}=${secret}; Path=/api; HttpOnly; Secure; SameSite=Lax; Max-Age=${LIFETIME_SECONDS}`;
  ctx.response.headers.append('Set-Cookie', cookie);
}

/** The hash of the request's device cookie if the admin with this address has signed in with it, or null. */
export async function findDevice(ctx: Context, email: string): Promise<Uint8Array | null> {
  const secretHash = deviceOf(ctx);
  if (!secretHash) return null;
  const known = await ctx.db.$queryRaw<unknown[]>`
    SELECT 1 FROM sign_in_device d JOIN admin a ON a.id = d.admin_id
     WHERE d.secret_hash = ${secretHash} AND a.email = ${email.trim().toLowerCase()}`;
  return known.length > 0 ? secretHash : null;
}

export async function deleteOldDevices(db: Tx, now: Date): Promise<void> {
  const before = new Date(now.getTime() - LIFETIME_SECONDS * 1000);
  await db.signInDevice.deleteMany({ where: { lastUsedAt: { lt: before } } });
}

function deviceOf(ctx: Context): Uint8Array<ArrayBuffer> | null {
  const secret = readCookie(ctx.request.cookies, COOKIE);
  return secret !== null && SECRET_FORM.test(secret) ? sha256(secret) : null;
}
