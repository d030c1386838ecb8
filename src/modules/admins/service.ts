import { endSignIns, resetSecondFactor } from '@/modules/auth/service';
import { accessibleDomainIds, authorizeDomain } from '@/server/access';
import type { Actor } from '@/server/actor';
import type { RecordAudit } from '@/server/audit';
import type { ActorContext } from '@/server/context';
import { isForeignKeyViolation, isMissingRow, type Tx, violatedConstraint } from '@/server/db';
import { AppError, notFound } from '@/server/errors';
import { type Page, paginate } from '@/server/pagination';
import type { Prisma } from '@/server/prisma/client';
import { hashPassword } from '@/server/secrets/password';
import type { Admin, CreateAdmin, ListAdmins, UpdateAdmin } from './schema';

type MutationContext = ActorContext & { audit: RecordAudit };

export function listAdmins(ctx: ActorContext, input: ListAdmins): Promise<Page<Admin>> {
  const column = input.sort === 'email' ? 'email' : 'createdAt';
  return paginate(
    'admins',
    input,
    column,
    (keyset) => ctx.db.admin.findMany({ ...keyset, select: FIELDS }),
    (row: Row) => present(ctx.actor, row),
  );
}

export async function getAdmin(ctx: ActorContext, { id }: { id: string }): Promise<Admin> {
  return present(ctx.actor, await requireAdmin(ctx.db, id));
}

/** @throws CONFLICT for an address in use, DOMAIN_NOT_FOUND, VALIDATION_ERROR for a common password */
export async function createAdmin(ctx: MutationContext, input: CreateAdmin): Promise<Admin> {
  const domains = await assignments(ctx, input.domain_ids);
  const passwordHash = await hashPassword(input.password);
  const { email, role } = input;
  return ctx.database
    .$transaction(async (tx) => {
      const row = await tx.admin.create({ select: FIELDS, data: { email, role, passwordHash, domains } });
      const admin = present(ctx.actor, row);
      await ctx.audit({ resource: `admin:${admin.id}`, before: null, after: admin }, tx);
      return admin;
    })
    .catch((error) => {
      if (violatedConstraint(error) === null) throw explain(error);
      throw new AppError('CONFLICT', `There is an admin ${email} already.`, {
        details: { fields: [{ path: 'email', message: 'An admin has this address already.' }] },
      });
    });
}

/**
 * Only supplied fields change. A new role or password ends that admin's other sessions; a role counts on the very next call.
 * @throws NOT_FOUND, DOMAIN_NOT_FOUND; CONFLICT where nobody would be left as super_admin
 */
export async function updateAdmin(ctx: MutationContext, input: UpdateAdmin): Promise<Admin> {
  const { id, role, password } = input;
  const domains = input.domain_ids && (await assignments(ctx, input.domain_ids));
  const passwordHash = password === undefined ? undefined : await hashPassword(password);
  return ctx.database
    .$transaction(async (tx) => {
      if (role && role !== 'super_admin') await keepSuperAdmin(tx, id);
      const before = present(ctx.actor, await requireAdmin(tx, id));
      if (domains) await tx.adminDomain.deleteMany({ where: { adminId: id } });
      const row = await tx.admin.update({ where: { id }, select: FIELDS, data: { role, passwordHash, domains } });
      const after = present(ctx.actor, row);
      if (passwordHash || after.role !== before.role) {
        await endSignIns(tx, id, { except: ctx.actor.session?.id });
      }
      const details = passwordHash ? { password_changed: true } : {};
      await ctx.audit({ resource: `admin:${id}`, before, after, details }, tx);
      return after;
    })
    .catch((error) => {
      throw explain(error);
    });
}

/** Sessions, keys and assignments go with an admin; what they did stays in the audit log. @throws NOT_FOUND, CONFLICT */
export async function deleteAdmin(ctx: MutationContext, { id }: { id: string }): Promise<{ message: string }> {
  await keepSuperAdmin(ctx.db, id);
  const before = present(ctx.actor, await requireAdmin(ctx.db, id));
  await ctx.audit({ resource: `admin:${id}`, before, after: null });
  await ctx.db.admin.delete({ where: { id }, select: { id: true } }).catch((error) => {
    throw explain(error);
  });
  return { message: `The admin ${before.email} is deleted.` };
}

/** For an admin who lost their second factor. Ends their sessions. @throws NOT_FOUND; CONFLICT where there is none */
export async function resetTotp(ctx: MutationContext, { id }: { id: string }): Promise<{ message: string }> {
  const { email } = await requireAdmin(ctx.db, id);
  await resetSecondFactor(ctx.db, id);
  await ctx.audit({ resource: `admin:${id}`, before: { totp_enabled: true }, after: { totp_enabled: false } });
  return { message: `${email} signs in without a second factor now.` };
}

/**
 * The last super_admin can be neither deleted nor demoted. Every row of one is locked, so that of two calls at once the
 * second sees what the first has left.
 */
async function keepSuperAdmin(tx: Tx, leavingId: string): Promise<void> {
  const superAdmins = await tx.$queryRaw<{ id: string }[]>`
    SELECT id FROM admin WHERE role = 'super_admin' ORDER BY id FOR UPDATE`;
  if (superAdmins.some(({ id }) => id !== leavingId) || superAdmins.length === 0) return;
  throw new AppError('CONFLICT', 'This is the last super_admin. Make another one first.');
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

/** Another call deleted the admin, or a domain, between our look and our change. */
function explain(error: unknown): unknown {
  if (isMissingRow(error)) return notFound('admin');
  if (isForeignKeyViolation(error)) return new AppError('DOMAIN_NOT_FOUND', 'One of these domains is gone.');
  return error;
}

const FIELDS = {
  id: true,
  email: true,
  role: true,
  totpEnabled: true,
  lastLoginAt: true,
  createdAt: true,
  domains: { select: { domainId: true }, orderBy: { domainId: 'asc' } },
} satisfies Prisma.AdminSelect;

type Row = Prisma.AdminGetPayload<{ select: typeof FIELDS }>;

function present(viewer: Actor, row: Row): Admin {
  const reachable = accessibleDomainIds(viewer);
  const domainIds = row.domains.map(({ domainId }) => domainId);
  return {
    id: row.id,
    email: row.email,
    role: row.role,
    totp_enabled: row.totpEnabled,
    last_login_at: row.lastLoginAt?.toISOString() ?? null,
    domain_ids: reachable ? domainIds.filter((id) => reachable.includes(id)) : domainIds,
    created_at: row.createdAt.toISOString(),
  };
}
