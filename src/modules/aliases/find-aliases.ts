import { accessibleDomainIds } from '@/server/access/authorize';
import { addressSearches } from '@/server/list/address-searches';
import { findPage } from '@/server/list/find-page';
import type { Selection } from '@/server/list/select-page';
import type { Found, Position } from '@/server/pagination';
import { type Alias, Prisma } from '@/server/prisma/client';
import type { ActorContext } from '@/server/procedures/context';
import type { ListAliases } from './schema';

type Row = Omit<Alias, 'destinationKeys' | 'searchKey'>;
type ListedRow = Row & { domain: { name: string } };

const COLUMNS = Prisma.sql`
  a.id, a.domain_id AS "domainId", a.source_local_part AS "sourceLocalPart", a.destination, a.active,
  a.created_at AS "createdAt", a.updated_at AS "updatedAt", d.name AS "domainName"`;

const SORTS = {
  created_at: { column: Prisma.sql`a.created_at`, id: Prisma.sql`a.id`, name: 'createdAt' },
  source_local_part: { column: Prisma.sql`a.source_local_part`, id: Prisma.sql`a.id`, name: 'sourceLocalPart' },
} as const;

/** @param input with a domain_id that the caller has access to, if there is one */
export async function findAliases(
  { actor, db }: ActorContext,
  input: ListAliases,
  position: Position | null,
): Promise<Found<ListedRow>> {
  const { domain_id: domainId, active, q, sort, order, limit } = input;
  const selection: Selection = {
    columns: COLUMNS,
    from: Prisma.sql`alias a JOIN domain d ON d.id = a.domain_id`,
    conditions: active === undefined ? [] : [Prisma.sql`a.active = ${active}`],
    by: SORTS[sort],
    order,
    position,
    domains: { column: Prisma.sql`a.domain_id`, ids: domainId ? [domainId] : accessibleDomainIds(actor) },
  };
  const searches = await addressSearches(db, q, selection);
  const { rows, searchedTo } = await findPage<Row & { domainName: string }>(db, searches, {
    key: Prisma.sql`a.search_key`,
    take: limit + 1,
  });
  return { rows: rows.map(({ domainName: name, ...row }) => ({ ...row, domain: { name } })), searchedTo };
}
