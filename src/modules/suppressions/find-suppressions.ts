import { keySearches, searchedList } from '@/server/list/searched-list';
import { Prisma, type Suppression } from '@/server/prisma/client';
import type { ListSuppressions } from './lists';
import type { SuppressionFilters } from './schema';

export type Row = Omit<Suppression, 'searchKey'> & { domain: string | null };

const COLUMNS = Prisma.sql`
  s.id, s.email, s.domain_id AS "domainId", d.name AS domain, s.reason::text AS reason, s.list,
  s.source_message_id AS "sourceMessageId", s.detail, s.created_by AS "createdBy", s.created_at AS "createdAt",
  s.expires_at AS "expiresAt"`;

export const { find: findSuppressions, count: countSuppressions } = searchedList<Row, ListSuppressions>({
  key: { table: 'suppression', column: Prisma.sql`s.search_key` },
  domain: Prisma.sql`s.domain_id`,
  select: (input) => ({
    columns: COLUMNS,
    from: Prisma.sql`suppression s LEFT JOIN domain d ON d.id = s.domain_id`,
    ...conditionsOf(input),
    by: { column: Prisma.sql`s.created_at`, id: Prisma.sql`s.id`, name: 'createdAt' },
  }),
  search: keySearches,
});

/** The filters as conditions on a suppression `s`, without the domain and the search text. Only the period is indexed with the order. */
export function conditionsOf({ reason, since, until }: SuppressionFilters) {
  return {
    conditions: [
      since && Prisma.sql`s.created_at >= ${since}::timestamptz`,
      until && Prisma.sql`s.created_at < ${until}::timestamptz`,
    ].filter((condition) => condition instanceof Prisma.Sql),
    filters: reason ? [Prisma.sql`s.reason = ${reason}::suppression_reason`] : [],
  };
}
