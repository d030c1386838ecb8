import { accessibleDomainIds } from '@/server/access/authorize';
import { addressSearches, hasAddress, withDomain } from '@/server/list/address-searches';
import { searchedList } from '@/server/list/searched-list';
import type { Found, Position } from '@/server/pagination';
import { type Alias, Prisma } from '@/server/prisma/client';
import type { ActorContext } from '@/server/procedures/context';
import type { ListAliases } from './lists';
import { FINDINGS, type Finding, toWarning } from './warnings';

type Row = Omit<Alias, 'destinationKeys' | 'searchKey'> & { domainName: string };
type ListedRow = Omit<Row, 'domainName'> & { domain: { name: string } };

const COLUMNS = Prisma.sql`
  a.id, a.domain_id AS "domainId", a.source_local_part AS "sourceLocalPart", a.destination, a.active,
  a.created_at AS "createdAt", a.updated_at AS "updatedAt", d.name AS "domainName"`;

const SORTS = {
  created_at: { column: Prisma.sql`a.created_at`, id: Prisma.sql`a.id`, name: 'createdAt' },
  source_local_part: { column: Prisma.sql`a.source_local_part`, id: Prisma.sql`a.id`, name: 'sourceLocalPart' },
} as const;

/** An alias of a domain that the caller has access to, with its warnings, in one query. */
export async function findAlias({ actor, db }: ActorContext, id: string) {
  const domainIds = accessibleDomainIds(actor);
  const [row] = await db.$queryRaw<(Row & { findings: Finding[] })[]>`/* prepared */
    SELECT ${COLUMNS}, to_jsonb(ARRAY(
             SELECT jsonb_build_object('code', code, 'destination', destination)
               FROM (${FINDINGS}) AS finding ORDER BY position)) AS findings
      FROM alias a JOIN domain d ON d.id = a.domain_id
     WHERE a.id = ${id}::uuid AND (${domainIds}::uuid[] IS NULL OR a.domain_id = ANY (${domainIds}::uuid[]))`;
  return row && { row: withDomain(row), warnings: row.findings.map(toWarning) };
}

const list = searchedList<Row, ListAliases>({
  key: { table: 'alias', column: Prisma.sql`a.search_key` },
  domain: Prisma.sql`a.domain_id`,
  select: ({ active, address, sort }) => ({
    columns: COLUMNS,
    from: Prisma.sql`alias a JOIN domain d ON d.id = a.domain_id`,
    conditions: [
      active !== undefined && Prisma.sql`a.active = ${active}`,
      address !== undefined && hasAddress(address, Prisma.sql`a.domain_id, a.source_local_part`),
    ].filter((each) => each instanceof Prisma.Sql),
    by: SORTS[sort],
  }),
  search: addressSearches,
});

export async function findAliases(
  ctx: ActorContext,
  input: ListAliases,
  position: Position | null,
): Promise<Found<ListedRow>> {
  const { rows, searchedTo } = await list.find(ctx, input, position);
  return { rows: rows.map(withDomain), searchedTo };
}

export const countAliases = list.count;
