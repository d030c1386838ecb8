import { uuidv7 } from '@/lib/uuid';
import { accessibleDomainIds, authorizeDomain } from '@/server/access/authorize';
import { matching, searchKey, wordsOf } from '@/server/list/search-key';
import { Prisma } from '@/server/prisma/client';
import type { ActorContext } from '@/server/procedures/context';
import type { MutationContext } from '@/server/procedures/mutation';
import { type DeletedSuppressions, type DeleteSuppressions, MAX_DELETED } from './schema';

const MANY_ROWS = { timeoutMs: 60_000 };

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
  const groups = await ctx.db.$queryRaw<{ domain_id: string | null; total: number }[]>`
    SELECT domain_id, count(*)::int AS total FROM (SELECT s.domain_id ${selected}) AS matched GROUP BY domain_id`;
  const entryOf = (result: DeletedSuppressions) => {
    return { resource: 'suppression', domainId, details: { dry_run: isDryRun, filters, total: result.total } };
  };
  if (isDryRun) {
    const result = { dry_run: true, total: groups.reduce((sum, { total }) => sum + total, 0), restorable: [] };
    await ctx.auditAlone(entryOf(result));
    return result;
  }
  const { id: adminId, email: adminEmail } = ctx.actor.admin;
  const given = JSON.stringify(groups.map((group) => ({ id: uuidv7(), domain_id: group.domain_id })));
  return ctx.transaction(async ({ tx, audit }) => {
    const records = await tx.$queryRaw<{ id: string; name: string; domain_id: string | null; total: number }[]>`
      WITH given AS (SELECT * FROM jsonb_to_recordset(${given}::jsonb) AS given(id uuid, domain_id uuid)),
      matched AS MATERIALIZED (SELECT s.id, s.domain_id, s.email ${selected} FOR UPDATE OF s),
      records AS (
        INSERT INTO deleted_record (id, kind, name, domain_id, deleted_at, deleted_by_id, deleted_by_email)
        SELECT given.id, 'suppression', CASE count(DISTINCT email) WHEN 1 THEN min(email) ELSE count(DISTINCT email) || ' addresses' END,
               given.domain_id, ${ctx.clock.now()}, ${adminId}::uuid, ${adminEmail}
          FROM given JOIN matched ON matched.domain_id IS NOT DISTINCT FROM given.domain_id
         GROUP BY given.id, given.domain_id
        RETURNING id, name, domain_id
      ),
      gone AS (
        DELETE FROM suppression s USING matched, records
         WHERE s.id = matched.id AND records.domain_id IS NOT DISTINCT FROM matched.domain_id
        RETURNING records.id AS record_id, to_jsonb(s) AS "row"
      ),
      kept AS (
        INSERT INTO deleted_row (record_id, position, "table", "row")
        SELECT record_id, row_number() OVER (PARTITION BY record_id), 'suppression', "row" FROM gone
        RETURNING record_id
      )
      SELECT id, name, domain_id, (SELECT count(*)::int FROM kept WHERE record_id = records.id) AS total
        FROM records ORDER BY id`;
    const result = {
      dry_run: false,
      total: records.reduce((sum, { total }) => sum + total, 0),
      restorable: records.map(({ total: _, ...record }) => record),
    };
    await audit(entryOf(result));
    return result;
  }, MANY_ROWS);
}

type Filters = Omit<DeleteSuppressions, 'dry_run'>;

async function selectionOf({ actor, db }: ActorContext, filters: Filters): Promise<Prisma.Sql> {
  const { domain_id: domainId, reason, since, until, q } = filters;
  const ids = domainId ? [domainId] : accessibleDomainIds(actor);
  const words = q === undefined ? undefined : wordsOf(await searchKey(db, q));
  const conditions = [
    ids && Prisma.sql`s.domain_id = ANY(${ids}::uuid[])`,
    reason && Prisma.sql`s.reason = ${reason}::suppression_reason`,
    since && Prisma.sql`s.created_at >= ${since}::timestamptz`,
    until && Prisma.sql`s.created_at < ${until}::timestamptz`,
    ...(words === null ? [Prisma.sql`false`] : []),
    ...(words ? matching(words, Prisma.sql`s.search_key`) : []),
  ].filter((condition) => condition instanceof Prisma.Sql);
  return Prisma.sql`FROM suppression s WHERE ${Prisma.join(conditions, ' AND ')} LIMIT ${MAX_DELETED}::int`;
}
