import { accessibleDomainIds } from '@/server/access/authorize';
import { addressSearches, hasAddress } from '@/server/list/address-searches';
import { countRows, readAll } from '@/server/list/count-rows';
import { findPage, type Search } from '@/server/list/find-page';
import type { Selection } from '@/server/list/select-page';
import type { Found, Position } from '@/server/pagination';
import { type Alias, Prisma } from '@/server/prisma/client';
import type { ActorContext } from '@/server/procedures/context';
import type { ListAliases } from './lists';
import { FINDINGS, type Finding, toWarning } from './warnings';

type Row = Omit<Alias, 'destinationKeys' | 'searchKey'>;
type ListedRow = Row & { domain: { name: string } };

const COLUMNS = Prisma.sql`
  a.id, a.domain_id AS "domainId", a.source_local_part AS "sourceLocalPart", a.destination, a.active,
  a.created_at AS "createdAt", a.updated_at AS "updatedAt", d.name AS "domainName"`;

const KEY = { table: 'alias', column: Prisma.sql`a.search_key` };

const SORTS = {
  created_at: { column: Prisma.sql`a.created_at`, id: Prisma.sql`a.id`, name: 'createdAt' },
  source_local_part: { column: Prisma.sql`a.source_local_part`, id: Prisma.sql`a.id`, name: 'sourceLocalPart' },
} as const;

/** An alias of a domain that the caller has access to, with its warnings, in one query. */
export async function findAlias({ actor, db }: ActorContext, id: string) {
  const domainIds = accessibleDomainIds(actor);
  const [row] = await db.$queryRaw<(Row & { domainName: string; findings: Finding[] })[]>`/* prepared */
    SELECT ${COLUMNS}, to_jsonb(ARRAY(
             SELECT jsonb_build_object('code', code, 'destination', destination)
               FROM (${FINDINGS}) AS finding ORDER BY position)) AS findings
      FROM alias a JOIN domain d ON d.id = a.domain_id
     WHERE a.id = ${id}::uuid AND (${domainIds}::uuid[] IS NULL OR a.domain_id = ANY (${domainIds}::uuid[]))`;
  return row && { row: withDomain(row), warnings: row.findings.map(toWarning) };
}

/** @param input with a domain_id that the caller has access to, if there is one */
export async function findAliases(
  ctx: ActorContext,
  input: ListAliases,
  position: Position | null,
): Promise<Found<ListedRow>> {
  const { rows, searchedTo } = await findPage<Row & { domainName: string }>(
    ctx.db,
    await searchesOf(ctx, input, position),
    {
      key: KEY,
      take: input.limit + 1,
    },
  );
  return { rows: rows.map(withDomain), searchedTo };
}

/** @returns null if it would take too long */
export async function countAliases(ctx: ActorContext, input: ListAliases): Promise<number | null> {
  return countRows(ctx.db, (await searchesOf(ctx, input, null)).map(readAll), KEY);
}

function searchesOf({ actor, db }: ActorContext, input: ListAliases, position: Position | null): Promise<Search[]> {
  const { domain_id: domainId, active, address, q, sort, order } = input;
  const conditions = [
    active !== undefined && Prisma.sql`a.active = ${active}`,
    address !== undefined && hasAddress(address, Prisma.sql`a.domain_id, a.source_local_part`),
  ].filter((each) => each instanceof Prisma.Sql);
  const selection: Selection = {
    columns: COLUMNS,
    from: Prisma.sql`alias a JOIN domain d ON d.id = a.domain_id`,
    conditions,
    by: SORTS[sort],
    order,
    position,
    domains: { column: Prisma.sql`a.domain_id`, ids: domainId ? [domainId] : accessibleDomainIds(actor) },
  };
  return addressSearches(db, q, selection);
}

function withDomain({ domainName: name, ...row }: Row & { domainName: string }): ListedRow {
  return { ...row, domain: { name } };
}
