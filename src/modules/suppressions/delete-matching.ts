import { accessibleDomainIds, authorizeDomain } from '@/server/access/authorize';
import { matching, searchKey, wordsOf } from '@/server/list/search-key';
import { Prisma } from '@/server/prisma/client';
import type { ActorContext } from '@/server/procedures/context';
import type { MutationContext } from '@/server/procedures/mutation';
import { conditionsOf } from './find-suppressions';
import { type DeletedSuppressions, type DeleteSuppressions, MAX_DELETED, type SuppressionFilters } from './schema';

const MANY_ROWS = { timeoutMs: 60_000 };
/** Stands for the domain of suppressions of all mail, so that the rows can be joined by a hash. */
const NO_DOMAIN = '00000000-0000-0000-0000-000000000000';

/**
 * Deletes the suppressions that match the filters of the list. Those of each domain are kept as one deleted record, by which they
 * can be restored. @throws the errors of authorizeDomain, if `domain_id` is given
 */
export async function deleteMatchingSuppressions(
  ctx: MutationContext,
  { dry_run: isDryRun, ...filters }: DeleteSuppressions,
): Promise<DeletedSuppressions> {
  const { domain_id: domainId = null } = filters;
  if (domainId) await authorizeDomain(ctx, { id: domainId }, { allowInactive: true });
  const selected = await selectionOf(ctx, filters);
  const ofAll = { resource: 'suppression', details: { dry_run: isDryRun, filters } };
  if (isDryRun) {
    const [{ total }] = await ctx.db.$queryRaw<[{ total: number }]>`
      SELECT count(*)::int AS total FROM (SELECT s.id ${selected}) AS matched`;
    await ctx.auditAlone({ ...ofAll, domainId, details: { ...ofAll.details, total } });
    return { dry_run: true, total, is_complete: total < MAX_DELETED, restorable: [] };
  }
  const { id: adminId, email: adminEmail } = ctx.actor.admin;
  return ctx.transaction(async ({ tx, audit }) => {
    const records = await tx.$queryRaw<Record[]>`
      WITH matched AS MATERIALIZED (SELECT s.id, s.domain_id, s.email ${selected} FOR UPDATE OF s),
      records AS (
        INSERT INTO deleted_record (id, kind, name, domain_id, deleted_at, deleted_by_id, deleted_by_email)
        SELECT uuid_v7(), 'suppression', CASE count(DISTINCT email) WHEN 1 THEN min(email) ELSE count(DISTINCT email) || ' addresses' END,
               domain_id, ${ctx.clock.now()}, ${adminId}::uuid, ${adminEmail}
          FROM matched GROUP BY domain_id
        RETURNING id, name, domain_id
      ),
      placed AS (
        SELECT matched.id, records.id AS record_id FROM matched
          JOIN records ON coalesce(records.domain_id, ${NO_DOMAIN}::uuid) = coalesce(matched.domain_id, ${NO_DOMAIN}::uuid)
      ),
      gone AS (
        DELETE FROM suppression s USING placed WHERE s.id = placed.id RETURNING placed.record_id, to_jsonb(s) AS "row"
      ),
      kept AS (
        INSERT INTO deleted_row (record_id, position, "table", "row")
        SELECT record_id, row_number() OVER (PARTITION BY record_id), 'suppression', "row" FROM gone
        RETURNING record_id
      ),
      counted AS (SELECT record_id, count(*)::int AS total FROM kept GROUP BY record_id)
      SELECT id, name, domain_id, total FROM records JOIN counted ON counted.record_id = records.id ORDER BY id`;
    const total = records.reduce((sum, record) => sum + record.total, 0);
    // Each domain's admins see their part.
    for (const record of records) {
      const details = { ...ofAll.details, total: record.total, deleted_record_id: record.id };
      await audit({ ...ofAll, domainId: record.domain_id, details });
    }
    if (records.length === 0) await audit({ ...ofAll, domainId, details: { ...ofAll.details, total } });
    const restorable = records.map(({ total: _, ...record }) => record);
    return { dry_run: false, total, is_complete: total < MAX_DELETED, restorable };
  }, MANY_ROWS);
}

type Record = { id: string; name: string; domain_id: string | null; total: number };
async function selectionOf({ actor, db }: ActorContext, input: SuppressionFilters): Promise<Prisma.Sql> {
  const { domain_id: domainId, q } = input;
  const { conditions, filters } = conditionsOf(input);
  const ids = domainId ? [domainId] : accessibleDomainIds(actor);
  const words = q ? wordsOf(await searchKey(db, q)) : undefined;
  const all = [
    ...conditions,
    ...filters,
    ...(ids ? [Prisma.sql`s.domain_id = ANY(${ids}::uuid[])`] : []),
    ...(words === null ? [Prisma.sql`false`] : []),
    ...(words ? matching(words, Prisma.sql`s.search_key`) : []),
  ];
  return Prisma.sql`FROM suppression s WHERE ${Prisma.join(all, ' AND ')} ORDER BY s.created_at, s.id LIMIT ${MAX_DELETED}::int`;
}
