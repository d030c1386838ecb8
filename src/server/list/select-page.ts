import type { Position } from '../pagination';
import { Prisma } from '../prisma/client';

/** Rows of a list, in the order of one column and then the id. */
export type Selection = {
  /** With the ordered column under `by.name`, and `id`. */
  columns: Prisma.Sql;
  from: Prisma.Sql;
  conditions: Prisma.Sql[];
  by: { column: Prisma.Sql; id: Prisma.Sql; name: 'createdAt' | 'localPart' | 'sourceLocalPart' };
  order: 'asc' | 'desc';
  position: Position | null;
  /** Null for the rows of all domains. */
  domains: { column: Prisma.Sql; ids: string[] | null };
};

/** Each one takes time to plan. */
const MAX_DOMAINS = 50;

/**
 * The first rows of a selection, read in the order of an index: of all rows or of each domain's. One condition for several
 * domains would read other domains' rows until the page is full.
 */
export function selectPage(selection: Selection, take: number): Prisma.Sql {
  const { ids } = selection.domains;
  const ofDomains = (some: string[] | null) => inOrder(selection, fromDomains(selection, some), selection.by, take);
  if (ids === null || ids.length <= 1 || ids.length > MAX_DOMAINS) return ofDomains(ids);
  const pages = ids.map((id) => Prisma.sql`(${ofDomains([id])})`);
  return inOrder(
    selection,
    Prisma.sql`SELECT * FROM (${Prisma.join(pages, ' UNION ALL ')}) AS page`,
    listed(selection),
    take,
  );
}

/** The first rows of a selection, read by the index of its most selective condition and then sorted. */
export function selectSorted(selection: Selection, take: number): Prisma.Sql {
  return Prisma.sql`
    WITH found AS MATERIALIZED (${fromDomains(selection, selection.domains.ids)})
    ${inOrder(selection, Prisma.sql`SELECT * FROM found`, listed(selection), take)}`;
}

type Columns = Pick<Selection['by'], 'column' | 'id'>;

/** The columns of a query's result. */
export function listed({ by }: Selection): Columns {
  return { column: Prisma.raw(`"${by.name}"`), id: Prisma.sql`id` };
}

function fromDomains({ columns, from, conditions, by, order, position, domains }: Selection, ids: string[] | null) {
  const beyond = Prisma.raw(order === 'asc' ? '>' : '<');
  const type = Prisma.raw(by.name === 'createdAt' ? 'timestamptz' : 'text');
  const all = [...conditions];
  if (ids) all.push(inDomains(domains.column, ids));
  if (position) {
    const place = Prisma.sql`(${position.value}::${type}, ${position.id}::uuid)`;
    all.push(Prisma.sql`(${by.column}, ${by.id}) ${beyond} ${place}`);
  }
  return Prisma.sql`SELECT ${columns} FROM ${from} WHERE ${all.length > 0 ? Prisma.join(all, ' AND ') : Prisma.sql`true`}`;
}

// The index has one domain's rows in order. Postgres doesn't use that for a list, even of one domain.
function inDomains(column: Prisma.Sql, ids: string[]): Prisma.Sql {
  return ids.length === 1 ? Prisma.sql`${column} = ${ids[0]}::uuid` : Prisma.sql`${column} = ANY(${ids}::uuid[])`;
}

function inOrder({ order }: Selection, query: Prisma.Sql, { column, id }: Columns, take: number): Prisma.Sql {
  const direction = Prisma.raw(order);
  return Prisma.sql`${query} ORDER BY ${column} ${direction}, ${id} ${direction} LIMIT ${take}::int`;
}
