import { hasRole } from '@/lib/access/roles';
import { restoreAlias } from '@/modules/aliases/service';
import { restoreDomain } from '@/modules/domains/service';
import { restoreMailbox } from '@/modules/mailboxes/service';
import { restoreSieveFilter } from '@/modules/sieve-filters/service';
import { restoreSuppressions } from '@/modules/suppressions/service';
import { restoreTemplate } from '@/modules/templates/service';
import { restoreWebhook } from '@/modules/webhooks/service';
import { domainFilter, isScoped } from '@/server/access/authorize';
import { type Tx, violatedConstraint } from '@/server/database/db';
import type { DeletedRecord as Row } from '@/server/deleted-records/restore';
import { AppError, notFound } from '@/server/errors';
import { escapeLike } from '@/server/list/search-key';
import { type Page, paginate } from '@/server/pagination';
import type { Prisma } from '@/server/prisma/client';
import type { ActorContext } from '@/server/procedures/context';
import type { MutationContext } from '@/server/procedures/mutation';
import { deletedRecordList, type ListDeletedRecords } from './lists';
import type { DeletedRecord } from './schema';

const KEPT_MS = 30 * 24 * 60 * 60 * 1000;

export function listDeletedRecords(ctx: ActorContext, input: ListDeletedRecords): Promise<Page<DeletedRecord>> {
  const { kind, domain_id: domainId, deleted_by: deletedById, since, until, q } = input;
  const name = q ? { contains: escapeLike(q), mode: 'insensitive' as const } : undefined;
  const deletedAt = { gte: since, lt: until };
  const filters = { AND: [visibleTo(ctx), { kind, domainId, deletedById, deletedAt, name }] };
  return paginate(deletedRecordList, input, {
    fetch: ({ where, ...page }) => ctx.db.deletedRecord.findMany({ ...page, where: { AND: [where, filters] } }),
    count: (take) => ctx.db.deletedRecord.count({ where: filters, take }),
    present,
  });
}

type Restore = (ctx: MutationContext, record: Row) => Promise<void>;

const RESTORED_BY: Record<Row['kind'], { noun: string; restore: Restore }> = {
  alias: { noun: 'Alias', restore: restoreAlias },
  domain: { noun: 'Domain', restore: restoreDomain },
  mailbox: { noun: 'Mailbox', restore: restoreMailbox },
  sieve_filter: { noun: 'Filter', restore: restoreSieveFilter },
  suppression: { noun: 'Suppression of', restore: restoreSuppressions },
  template: { noun: 'Template', restore: restoreTemplate },
  webhook: { noun: 'Webhook', restore: restoreWebhook },
};

/** @throws NOT_FOUND; CONFLICT if its domain was deleted, too, or its name is in use; the errors of creating such a record */
export async function restoreDeletedRecord(ctx: MutationContext, { id }: { id: string }): Promise<{ message: string }> {
  const record = await ctx.db.deletedRecord.findFirst({ where: { AND: [{ id }, visibleTo(ctx)] } });
  if (!record) throw notFound('deleted record');
  if (record.kind !== 'domain' && record.domainId) await requireDomain(ctx.db, record.name, record.domainId);
  const { noun, restore } = RESTORED_BY[record.kind];
  await restore(ctx, record).catch((error) => {
    if (violatedConstraint(error) === null) throw error;
    // A backup that was restored meanwhile has brought it back.
    throw new AppError('CONFLICT', `${noun} ${record.name} exists already, so there is nothing to restore.`);
  });
  return { message: `${noun} ${record.name} restored.` };
}

export async function forgetDeletedRecords(db: Tx, now: Date): Promise<void> {
  await db.deletedRecord.deleteMany({ where: { deletedAt: { lte: new Date(now.getTime() - KEPT_MS) } } });
}

async function requireDomain(db: Tx, name: string, id: string): Promise<void> {
  if ((await db.domain.count({ where: { id } })) > 0) return;
  throw new AppError('CONFLICT', `The domain of ${name} was deleted. Restore the domain first.`);
}

/** The records that the caller could also create. What was deleted 30 days ago can't be restored, although a task deletes it later. */
function visibleTo({ actor, clock }: ActorContext): Prisma.DeletedRecordWhereInput {
  const isAdmin = hasRole(actor.admin.role, 'admin');
  const hidden: Row['kind'][] = [
    ...(isAdmin ? [] : (['webhook'] as const)),
    ...(isAdmin && !isScoped(actor) ? [] : (['domain'] as const)),
  ];
  const since = new Date(clock.now().getTime() - KEPT_MS);
  return { AND: [domainFilter(actor), { kind: { notIn: hidden }, deletedAt: { gt: since } }] };
}

function present(row: Row): DeletedRecord {
  return {
    id: row.id,
    kind: row.kind,
    name: row.name,
    domain_id: row.domainId,
    deleted_at: row.deletedAt.toISOString(),
    deleted_by: { id: row.deletedById, email: row.deletedByEmail },
    restorable_until: new Date(row.deletedAt.getTime() + KEPT_MS).toISOString(),
  };
}
