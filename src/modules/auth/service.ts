import type { RecordAudit } from '@/server/audit';
import type { ActorContext, Context } from '@/server/context';
import { CLEARED_SESSION_COOKIE } from '@/server/credentials';
import { AppError } from '@/server/errors';
import { isPassword } from './password';
import type { LoggedIn, Login, Profile } from './schema';
import { openSession, presentAdmin } from './session';

type Audited = { audit: RecordAudit };

/** The same answer, in the same time, for an unknown address and a wrong password. @throws INVALID_CREDENTIALS */
export async function login(ctx: Context & Audited, { email, password }: Login): Promise<LoggedIn> {
  const admin = await ctx.database.admin.findUnique({
    where: { email: email.trim().toLowerCase() },
    select: { id: true, email: true, passwordHash: true },
  });
  if (!(await isPassword(password, admin?.passwordHash ?? null)) || !admin) {
    await ctx.audit({ resource: 'session', outcome: 'denied', email, details: { code: 'INVALID_CREDENTIALS' } });
    throw new AppError('INVALID_CREDENTIALS', 'The email or the password is wrong.');
  }
  return ctx.database.$transaction(async (tx) => {
    const loggedIn = await openSession(tx, ctx, admin.id);
    await ctx.audit({ resource: `session:${loggedIn.session_id}`, actor: { admin, key: null } }, tx);
    return loggedIn;
  });
}

export async function getProfile({ actor }: ActorContext): Promise<Profile> {
  return { ...presentAdmin(actor.admin), oidc_provider: null };
}

/** @throws CONFLICT for an API key, which has no session to end */
export async function logout(ctx: ActorContext & Audited): Promise<{ message: string }> {
  const { session } = ctx.actor;
  if (!session) throw new AppError('CONFLICT', 'An API key has no session to end. Revoke the key instead.');
  await ctx.db.session.deleteMany({ where: { id: session.id } });
  await ctx.audit({ resource: `session:${session.id}` });
  ctx.response.headers.append('Set-Cookie', CLEARED_SESSION_COOKIE);
  return { message: 'You are signed out.' };
}
