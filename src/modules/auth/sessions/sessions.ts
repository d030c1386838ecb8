import { notFound } from '@/server/errors';
import { type Page, paginate } from '@/server/pagination';
import type { ActorContext } from '@/server/procedures/context';
import type { MutationContext } from '@/server/procedures/mutation';
import { CLEARED_SESSION_COOKIE } from '@/server/secrets/credentials';
import { type ListSessions, sessionList } from '../lists';
import type { Session } from '../schema';
import { endSessions } from './session';

/** The caller's active sessions. Their ids are public; cookies contain a different secret. */
export async function listSessions(ctx: ActorContext, input: ListSessions): Promise<Page<Session>> {
  const active = { adminId: ctx.actor.admin.id, expiresAt: { gt: ctx.clock.now() } };
  return paginate(sessionList, input, {
    fetch: ({ where, ...page }) =>
      ctx.db.session.findMany({ ...page, where: { AND: [where, active] }, select: FIELDS }),
    count: (take) => ctx.db.session.count({ where: active, take }),
    present: (row: Row) => present(row, ctx.actor.session?.id),
  });
}

/** @throws NOT_FOUND, also for another admin's session */
export async function endSession(ctx: MutationContext, { id }: { id: string }): Promise<{ message: string }> {
  const { admin, session } = ctx.actor;
  await ctx.transaction(async ({ tx, audit }) => {
    const { count } = await tx.session.deleteMany({ where: { id, adminId: admin.id } });
    if (count === 0) throw notFound('session');
    await audit({ resource: `session:${id}` });
  });
  if (id === session?.id) clearCookie(ctx);
  return { message: 'Session ended.' };
}

/** Ends the current session. */
export async function logout(ctx: MutationContext): Promise<{ message: string }> {
  const id = ctx.actor.session?.id as string;
  await ctx.transaction(async ({ tx, audit }) => {
    await tx.session.deleteMany({ where: { id } });
    await audit({ resource: `session:${id}` });
  });
  clearCookie(ctx);
  return { message: 'Signed out.' };
}

/** Ends all sessions of the caller, including the current one. */
export async function logoutAll(ctx: MutationContext): Promise<{ message: string }> {
  const { admin, session } = ctx.actor;
  const count = await ctx.transaction(async ({ tx, audit }) => {
    const ended = await endSessions(tx, admin.id);
    await audit({ resource: `admin:${admin.id}`, details: { sessions: ended } });
    return ended;
  });
  if (session) clearCookie(ctx);
  return { message: count === 1 ? '1 session ended.' : `${count} sessions ended.` };
}

function clearCookie(ctx: ActorContext): void {
  ctx.response.headers.append('Set-Cookie', CLEARED_SESSION_COOKIE);
}

const FIELDS = { id: true, ipAddress: true, userAgent: true, createdAt: true, expiresAt: true } as const;

type Row = { id: string; ipAddress: string; userAgent: string; createdAt: Date; expiresAt: Date };

function present(row: Row, currentId: string | undefined): Session {
  return {
    id: row.id,
    ip_address: row.ipAddress,
    user_agent: row.userAgent,
    created_at: row.createdAt.toISOString(),
    expires_at: row.expiresAt.toISOString(),
    current: row.id === currentId,
  };
}
