import { accessibleDomainIds } from '@/server/access/authorize';
import { countRows } from '@/server/list/count-rows';
import { findPage, type Search } from '@/server/list/find-page';
import { searchKey, wordsOf } from '@/server/list/search-key';
import type { Selection } from '@/server/list/select-page';
import type { Found, Position } from '@/server/pagination';
import { Prisma, type Suppression } from '@/server/prisma/client';
import type { ActorContext } from '@/server/procedures/context';
import type { ListSuppressions } from './lists';

export type Row = Omit<Suppression, 'searchKey'> & { domain: string | null };

const COLUMNS = Prisma.sql`
  s.id, s.email, s.domain_id AS "domainId", d.name AS domain, s.reason::text AS reason, s.list,
  s.source_message_id AS "sourceMessageId", s.detail, s.created_by AS "createdBy", s.created_at AS "createdAt",
  s.expires_at AS "expiresAt"`;

const KEY = { table: 'suppression', column: Prisma.sql`s.search_key` };

/** @param input with a domain_id that the caller has access to, if there is one */
export async function findSuppressions(
  ctx: ActorContext,
  input: ListSuppressions,
  position: Position | null,
): Promise<Found<Row>> {
  return findPage(ctx.db, await searchesOf(ctx, input, position), { key: KEY, take: input.limit + 1 });
}

/** @returns null if it would take too long */
export async function countSuppressions(ctx: ActorContext, input: ListSuppressions): Promise<number | null> {
  return countRows(ctx.db, await searchesOf(ctx, input, null), KEY);
}

async function searchesOf(
  { actor, db }: ActorContext,
  { domain_id: domainId, reason, q, order }: ListSuppressions,
  position: Position | null,
): Promise<Search[]> {
  const selection: Selection = {
    columns: COLUMNS,
    from: Prisma.sql`suppression s LEFT JOIN domain d ON d.id = s.domain_id`,
    conditions: [],
    filters: reason ? [Prisma.sql`s.reason = ${reason}::suppression_reason`] : [],
    by: { column: Prisma.sql`s.created_at`, id: Prisma.sql`s.id`, name: 'createdAt' },
    order,
    position,
    domains: { column: Prisma.sql`s.domain_id`, ids: domainId ? [domainId] : accessibleDomainIds(actor) },
  };
  if (!q) return [{ selection }];
  const words = wordsOf(await searchKey(db, q));
  return words ? [{ selection, words }] : [];
}
