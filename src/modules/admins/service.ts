import { hasRole } from '@/lib/access/roles';
import { revokeKeysOf } from '@/modules/api-keys/service';
import type { AdminSummary } from '@/modules/auth/schema';
import { disconnectIdentity, endSignIns, findLinkedIdentity, resetSecondFactor } from '@/modules/auth/service';
import { authorizeDomain, requireRole } from '@/server/access/authorize';
import { requireStillSignedIn } from '@/server/access/still-signed-in';
import { isForeignKeyViolation, isMissingRow, type Tx, violatedConstraint } from '@/server/database/db';
import { forgetAssignments } from '@/server/deleted-records/keep';
import { AppError, notFound } from '@/server/errors';
import { escapeLike } from '@/server/list/search-key';
import { type Page, paginate } from '@/server/pagination';
import type { Prisma } from '@/server/prisma/client';
import type { ActorContext } from '@/server/procedures/context';
import type { MutationContext } from '@/server/procedures/mutation';
import { hashPassword } from '@/server/secrets/password';
import { adminList, type ListAdmins } from './lists';
import type { Admin, AdminIdentity, CreateAdmin, ListedAdmin, UpdateAdmin } from './schema';

/** Only super admins get more than the summary. */
export function listAdmins(ctx: ActorContext, input: ListAdmins): Promise<Page<ListedAdmin>> {
  const filter = input.q ? { email: { contains: escapeLike(input.q), mode: 'insensitive' as const } } : {};
  return paginate(adminList, input, {
    fetch: ({ where, ...keyset }) =>
      ctx.db.admin.findMany({ ...keyset, select: FIELDS, where: { AND: [where, filter] } }),
    count: (take) => ctx.db.admin.count({ where: filter, take }),
    present: hasRole(ctx.actor.admin.role, 'super_admin') ? present : summarize,
  });
}

/** @throws FORBIDDEN for another admin, unless the caller is a super admin; NOT_FOUND */
export async function getAdmin(ctx: ActorContext, { id }: { id: string }): Promise<Admin> {
  if (id !== ctx.actor.admin.id) requireRole(ctx.actor, 'super_admin');
  return present(await requireAdmin(ctx.db, id));
}

/** @throws CONFLICT if the address is in use; DOMAIN_NOT_FOUND; VALIDATION_ERROR for a common password */
export async function createAdmin(ctx: MutationContext, input: CreateAdmin): Promise<Admin> {
  const domains = await assignments(ctx, input.domain_ids);
  const passwordHash = await hashPassword(input.password);
  const { email, role } = input;
  return ctx
    .transaction(async ({ tx, audit }) => {
      await lockSuperAdmins(ctx, tx);
      const row = await tx.admin.create({ select: FIELDS, data: { email, role, passwordHash, domains } });
      const admin = present(row);
      await audit({ resource: `admin:${admin.id}`, before: null, after: admin });
      return admin;
    })
    .catch((error) => {
      if (violatedConstraint(error) === null) throw toAppError(error);
      throw new AppError('CONFLICT', `The admin ${email} already exists.`, {
        details: { fields: [{ path: 'email', message: 'An admin with this address already exists.' }] },
      });
    });
}

/**
 * Changes only the supplied fields. A new role or password ends that admin's other sessions.
 * @throws NOT_FOUND, DOMAIN_NOT_FOUND; CONFLICT if no super_admin would be left, or for a password that needs proof
 */
export async function updateAdmin(ctx: MutationContext, input: UpdateAdmin): Promise<Admin> {
  const { id, role, password } = input;
  if (password !== undefined) {
    if (ctx.actor.key) throw new AppError('CONFLICT', 'API keys can’t change a password. Sign in instead.');
    requireOtherAdmin(ctx, id, 'Change your own password on the account page, or with POST /auth/password.');
  }
  const domains = input.domain_ids && (await assignments(ctx, input.domain_ids));
  const passwordHash = password === undefined ? undefined : await hashPassword(password);
  return ctx
    .transaction(async ({ tx, audit, requireVersion }) => {
      const superAdmins = await lockSuperAdmins(ctx, tx);
      if (role && role !== 'super_admin') requireOther(superAdmins, id);
      await requireVersion();
      // A restore of one of the admin's domains ends first, or waits.
      await tx.$queryRaw`SELECT 1 FROM admin WHERE id = ${id}::uuid FOR NO KEY UPDATE`;
      const before = present(await requireAdmin(tx, id));
      if (domains) await tx.adminDomain.deleteMany({ where: { adminId: id } });
      if (domains || (role && role !== before.role)) await forgetAssignments(tx, id);
      const row = await tx.admin.update({ where: { id }, select: FIELDS, data: { role, passwordHash, domains } });
      const after = present(row);
      if (passwordHash || after.role !== before.role) {
        await endSignIns(tx, id, { except: ctx.actor.session?.id });
      }
      const revoked = input.revoke_api_keys ? await revokeKeysOf(tx, id) : [];
      const details = {
        ...(passwordHash && { password_changed: true }),
        ...(revoked.length > 0 && { revoked_api_keys: revoked }),
      };
      await audit({ resource: `admin:${id}`, before, after, details });
      return after;
    })
    .catch((error) => {
      throw toAppError(error);
    });
}

/** Also deletes sessions, keys and domain assignments, but no audit entries. @throws NOT_FOUND, CONFLICT */
export async function deleteAdmin(ctx: MutationContext, { id }: { id: string }): Promise<{ message: string }> {
  return ctx.transaction(async ({ tx, audit, requireVersion }) => {
    requireOther(await lockSuperAdmins(ctx, tx), id);
    await requireVersion();
    const before = present(await requireAdmin(tx, id));
    await audit({ resource: `admin:${id}`, before, after: null });
    await tx.admin.delete({ where: { id }, select: { id: true } }).catch((error) => {
      throw toAppError(error);
    });
    return { message: `Admin ${before.email} deleted.` };
  });
}

/**
 * Disables two-factor authentication of another admin and ends their sessions.
 * @throws NOT_FOUND; CONFLICT if it isn't enabled, or is the caller's own
 */
export async function resetTotp(ctx: MutationContext, { id }: { id: string }): Promise<{ message: string }> {
  requireOtherAdmin(ctx, id, 'Disable your own second factor on the account page, or with DELETE /auth/totp.');
  return ctx.transaction(async ({ tx, audit }) => {
    const { email } = await requireAdmin(tx, id);
    await resetSecondFactor(tx, id);
    await audit({ resource: `admin:${id}`, before: { totp_enabled: true }, after: { totp_enabled: false } });
    return { message: `Two-factor authentication reset for ${email}.` };
  });
}

export async function getIdentity(ctx: ActorContext, { id }: { id: string }): Promise<AdminIdentity> {
  await requireAdmin(ctx.db, id);
  return { identity: await findLinkedIdentity(ctx.db, id) };
}

/** @throws NOT_FOUND; CONFLICT if nothing is linked, it is their only way to sign in, or the caller's own */
export async function disconnectOidc(ctx: MutationContext, { id }: { id: string }): Promise<{ message: string }> {
  requireOtherAdmin(ctx, id, 'Disconnect your own on the account page, or with DELETE /auth/oidc/disconnect.');
  return ctx.transaction(async ({ tx, audit }) => {
    const { email } = await requireAdmin(tx, id);
    const before = await disconnectIdentity(tx, id);
    await audit({ resource: `admin:${id}`, before, after: null });
    return { message: `Identity provider of ${email} disconnected.` };
  });
}

/**
 * Locks the rows of all super_admins, so that concurrent calls run one after the other. The caller must still be one of them:
 * passwords may have waited for seconds to be hashed. @throws FORBIDDEN, SESSION_INVALID, API_KEY_INVALID
 */
async function lockSuperAdmins({ actor }: ActorContext, tx: Tx): Promise<string[]> {
  const rows = await tx.$queryRaw<{ id: string }[]>`
    SELECT id FROM admin WHERE role = 'super_admin' ORDER BY id FOR UPDATE`;
  const role = await requireStillSignedIn(tx, actor);
  requireRole({ ...actor, admin: { ...actor.admin, role } }, 'super_admin');
  return rows.map(({ id }) => id);
}

/** The last super_admin can't be deleted or demoted. @throws CONFLICT */
function requireOther(superAdmins: string[], leavingId: string): void {
  if (superAdmins.some((id) => id !== leavingId)) return;
  throw new AppError('CONFLICT', 'This is the last super admin. Make another admin a super admin first.');
}

/** The caller's own credentials change under /auth only, which asks for the present ones. @throws CONFLICT */
function requireOtherAdmin(ctx: ActorContext, id: string, instead: string): void {
  if (id === ctx.actor.admin.id) throw new AppError('CONFLICT', instead);
}

async function assignments(ctx: ActorContext, domainIds: string[]) {
  const ids = [...new Set(domainIds)];
  for (const id of ids) await authorizeDomain(ctx, { id }, { allowInactive: true });
  return { create: ids.map((domainId) => ({ domainId })) };
}

async function requireAdmin(db: Tx, id: string): Promise<Row> {
  const row = await db.admin.findUnique({ where: { id }, select: FIELDS });
  if (!row) throw notFound('admin');
  return row;
}

/** Maps an admin or domain deleted by a concurrent request to 404. */
function toAppError(error: unknown): unknown {
  if (isMissingRow(error)) return notFound('admin');
  if (isForeignKeyViolation(error))
    return new AppError('DOMAIN_NOT_FOUND', 'One of the domains was deleted in the meantime.');
  return error;
}

const FIELDS = {
  id: true,
  email: true,
  role: true,
  totpEnabled: true,
  lastLoginAt: true,
  createdAt: true,
  passwordChangedAt: true,
  domains: { select: { domainId: true }, orderBy: { domainId: 'asc' } },
} satisfies Prisma.AdminSelect;

type Row = Prisma.AdminGetPayload<{ select: typeof FIELDS }>;

function present(row: Row): Admin {
  return {
    ...summarize(row),
    domain_ids: row.domains.map(({ domainId }) => domainId),
    created_at: row.createdAt.toISOString(),
    password_changed_at: row.passwordChangedAt?.toISOString() ?? null,
  };
}

function summarize(row: Row): AdminSummary {
  return {
    id: row.id,
    email: row.email,
    role: row.role,
    totp_enabled: row.totpEnabled,
    last_login_at: row.lastLoginAt?.toISOString() ?? null,
  };
}
