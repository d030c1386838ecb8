import { authorizeDomain, domainFilter } from '@/server/access/authorize';
import type { Tx } from '@/server/db';
import { type Page, paginate } from '@/server/pagination';
import type { Prisma } from '@/server/prisma/client';
import type { ActorContext } from '@/server/procedures/context';
import type { AuditEntry, ListAudit } from './schema';

/** Filters match exact values. A domain_admin sees only entries of assigned domains. @throws the errors of authorizeDomain */
export async function listAudit(ctx: ActorContext, input: ListAudit): Promise<Page<AuditEntry>> {
  const { domain_id: domainId, since, until } = input;
  if (domainId) await authorizeDomain(ctx, { id: domainId }, { allowInactive: true });
  const filters: Prisma.AuditEntryWhereInput = {
    adminId: input.admin_id,
    adminEmail: input.admin_email,
    apiKeyId: input.api_key_id,
    action: input.action,
    resource: input.resource,
    domainId,
    ipAddress: input.ip_address,
    requestId: input.request_id,
    outcome: input.outcome,
    createdAt: since || until ? { gte: since, lt: until } : undefined,
  };
  const found = await paginate(
    'audit',
    input,
    'createdAt',
    ({ where, ...page }) =>
      ctx.db.auditEntry.findMany({
        ...page,
        select: FIELDS,
        where: { AND: [where, domainFilter(ctx.actor), filters] },
      }),
    (row: Row) => row,
  );
  return { ...found, items: await presentAll(ctx.db, found.items) };
}

/** Presents the id of a deleted admin as null. */
export async function presentAll(db: Tx, rows: Row[]): Promise<AuditEntry[]> {
  const ids = [...new Set(rows.flatMap(({ adminId }) => adminId ?? []))];
  const admins = await db.admin.findMany({ where: { id: { in: ids } }, select: { id: true } });
  const present = new Set(admins.map(({ id }) => id));
  return rows.map((row) => presentEntry(row, row.adminId !== null && present.has(row.adminId) ? row.adminId : null));
}

export const FIELDS = {
  id: true,
  adminId: true,
  adminEmail: true,
  apiKeyId: true,
  action: true,
  resource: true,
  domainId: true,
  ipAddress: true,
  userAgent: true,
  requestId: true,
  outcome: true,
  details: true,
  createdAt: true,
  hash: true,
  prevHash: true,
} satisfies Prisma.AuditEntrySelect;

type Row = Prisma.AuditEntryGetPayload<{ select: typeof FIELDS }>;

function presentEntry(row: Row, adminId: string | null): AuditEntry {
  return {
    id: row.id,
    admin_id: adminId,
    admin_email: row.adminEmail,
    api_key_id: row.apiKeyId,
    action: row.action,
    resource: row.resource,
    domain_id: row.domainId,
    ip_address: row.ipAddress,
    user_agent: row.userAgent,
    request_id: row.requestId,
    outcome: row.outcome,
    details: row.details as Record<string, unknown>,
    created_at: row.createdAt.toISOString(),
    hash: row.hash && Buffer.from(row.hash).toString('hex'),
    prev_hash: row.prevHash && Buffer.from(row.prevHash).toString('hex'),
  };
}
