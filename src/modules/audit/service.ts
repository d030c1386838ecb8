import type { Finding } from '@/lib/health/finding';
import { authorizeDomain } from '@/server/access/authorize';
import type { Tx } from '@/server/database/db';
import { type Page, paginateFrom } from '@/server/pagination';
import type { ActorContext } from '@/server/procedures/context';
import { acceptHead } from './anchor/accept';
import { auditAnchor } from './anchor/anchor';
import { countEntries, findEntries, type Row } from './find-entries';
import { auditList, type ListAudit } from './lists';
import { currentNames, recordedName, referredBy } from './resource-names';
import type { AuditEntry } from './schema';
import { type Query, signAgain } from './sign-again';

/** Whether the log continues what this instance knows of it, and whether that can be kept. */
export function checkAuditAnchor(): Finding[] {
  return auditAnchor()?.check() ?? [];
}

/**
 * Signs what a restore put in the place of the log with the present key, and accepts its end, so that instances which know
 * another one follow it.
 */
export async function acceptRestoredLog(query: Query, formerKeys: readonly string[]): Promise<void> {
  await signAgain(query, formerKeys);
  await acceptHead(query, new Date());
}

/** A domain_admin sees only entries of assigned domains. @throws the errors of authorizeDomain */
export async function listAudit(ctx: ActorContext, input: ListAudit): Promise<Page<AuditEntry>> {
  if (input.domain_id) await authorizeDomain(ctx, { id: input.domain_id }, { allowInactive: true });
  const found = await paginateFrom(auditList, input, {
    fetch: (position) => findEntries(ctx, input, position),
    count: () => countEntries(ctx, input),
    present: (row: Row) => row,
  });
  return { ...found, items: await presentAll(ctx.db, found.items, ctx.actor) };
}

/** Presents the id of a deleted admin as null. @param actor who has access to the names; null for everybody's */
export async function presentAll(db: Tx, rows: Row[], actor: ActorContext['actor'] | null): Promise<AuditEntry[]> {
  const ids = [...new Set(rows.flatMap(({ adminId }) => adminId ?? []))];
  const named = rows.flatMap((row) => [
    ...(recordedName(row) === null ? [row.resource] : []),
    ...(row.apiKeyId === null ? [] : [`api_key:${row.apiKeyId}`]),
    ...referredBy(row),
  ]);
  const [admins, names] = await Promise.all([
    db.admin.findMany({ where: { id: { in: ids } }, select: { id: true } }),
    currentNames(db, actor, named),
  ]);
  const present = new Set(admins.map(({ id }) => id));
  return rows.map((row) => ({
    ...presentEntry(row),
    admin_id: row.adminId !== null && present.has(row.adminId) ? row.adminId : null,
    api_key_name: names.get(`api_key:${row.apiKeyId}`) ?? null,
    resource_name: recordedName(row) ?? names.get(row.resource) ?? null,
    names: Object.fromEntries(
      referredBy(row).flatMap((resource) => {
        const name = names.get(resource);
        return name === undefined ? [] : [[resource.slice(resource.indexOf(':') + 1), name]];
      }),
    ),
  }));
}

function presentEntry(row: Row): Omit<AuditEntry, 'admin_id' | 'api_key_name' | 'resource_name' | 'names'> {
  return {
    id: row.id,
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
