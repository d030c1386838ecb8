import type { Position } from '../pagination';
import { Prisma } from '../prisma/client';

/** Rows of a list, in the order of one column and then the id. */
export type Selection = {
  /** With the ordered column under `by.name`, and `id`. */
  columns: Prisma.Sql;
  from: Prisma.Sql;
  /** Conditions that an index has together with the order. */
  conditions: Prisma.Sql[];
  /** Conditions that no index has with the order: rows are read until enough pass, up to a limit. */
  filters?: Prisma.Sql[];
  by: { column: Prisma.Sql; id: Prisma.Sql; name: 'createdAt' | 'localPart' | 'sourceLocalPart' | 'percentFull' };
  order: 'asc' | 'desc';
  position: Position | null;
  /** Null for the rows of all domains. */
  domains: { column: Prisma.Sql; ids: string[] | null };
  /** Columns that an index has after the domain and before the order, with the values that are wanted. */
  classes?: { column: Prisma.Sql; type: 'direction' | 'message_status' | 'text'; values: readonly string[] }[];
  /** Whether an index has the order and all conditions, so that only the rows of the page are looked up. */
  isIndexed?: boolean;
};

/** Each one takes time to plan. */
const MAX_PARTS = 50;

/**
 * The first rows of a selection, read in the order of an index: of all rows, or of each domain's and class's. One condition
 * for several of them would read other rows until the page is full.
 */
export function selectPage(selection: Selection, take: number): Prisma.Sql {
  if (selection.isIndexed) return selectIndexed(selection, take);
  const parts = partsOf(selection);
  const [first = []] = parts;
  if (parts.length <= 1) return inOrder(selection, selectRows(selection, first), selection.by, take);
  const pages = parts.map(
    (part) => Prisma.sql`(${inOrder(selection, selectRows(selection, part), selection.by, take)})`,
  );
  return inOrder(
    selection,
    Prisma.sql`SELECT * FROM (${Prisma.join(pages, ' UNION ALL ')}) AS page`,
    listed(selection),
    take,
  );
}

/**
 * Postgres takes conditions for independent, and would rather filter many rows of another index than fetch few scattered
 * ones. If it reads only what the index has, that index costs the least. LATERAL, because it would join by a scan.
 */
function selectIndexed({ isIndexed, ...selection }: Selection, take: number): Prisma.Sql {
  const { columns, from, by } = selection;
  const { column } = listed(selection);
  const keys = selectPage({ ...selection, columns: orderOf(selection) }, take);
  const rows = Prisma.sql`
    SELECT row.*, key.${column} AS "atValue", key.id AS "atId"
      FROM (${keys}) AS key, LATERAL (SELECT ${columns} FROM ${from} WHERE ${by.id} = key.id LIMIT 1) AS row`;
  return inOrder(selection, rows, { column: Prisma.sql`key.${column}`, id: Prisma.sql`key.id` }, take);
}

/** The first rows of a selection, read by the index of its most selective condition and then sorted. */
export function selectSorted(selection: Selection, take: number): Prisma.Sql {
  const { domains, classes = [], filters = [] } = selection;
  const conditions = [...(domains.ids ? [inDomains(domains.column, domains.ids)] : []), ...classes.map(inClass)];
  return Prisma.sql`
    WITH found AS MATERIALIZED (${selectRows(selection, [...conditions, ...filters])})
    ${inOrder(selection, Prisma.sql`SELECT * FROM found`, listed(selection), take)}`;
}

/** Some rows of a selection, in no order: one part after the other, until there are enough. */
export function selectAny(selection: Selection, take: number): Prisma.Sql {
  const parts = partsOf(selection).map((part) => Prisma.sql`(${selectRows(selection, part)})`);
  return Prisma.sql`SELECT * FROM (${Prisma.join(parts, ' UNION ALL ')}) AS any_row LIMIT ${take}::int`;
}

type Columns = Pick<Selection['by'], 'column' | 'id'>;

/** Returns SQL that selects the columns by which rows are ordered, named as in the result. */
export function orderOf(selection: Selection): Prisma.Sql {
  const { column, id } = listed(selection);
  return Prisma.sql`${selection.by.column} AS ${column}, ${selection.by.id} AS ${id}`;
}

/** The columns of a query's result. */
export function listed({ by }: Selection): Columns {
  return { column: Prisma.raw(`"${by.name}"`), id: Prisma.sql`id` };
}

/** The conditions of each part that an index has in order. Too many domains are one part, and so are their classes. */
function partsOf({ domains: { column, ids }, classes = [] }: Selection): Prisma.Sql[][] {
  const ofDomains = ids === null ? [[]] : ids.map((id) => [inDomains(column, [id])]);
  if (ids !== null && (ids.length === 0 || ids.length > MAX_PARTS)) {
    return [[inDomains(column, ids), ...classes.map(inClass)]];
  }
  const classCount = classes.reduce((count, { values }) => count * values.length, 1);
  if (ofDomains.length * classCount > MAX_PARTS) return ofDomains.map((part) => [...part, ...classes.map(inClass)]);
  return classes.reduce<Prisma.Sql[][]>(
    (parts, each) =>
      parts.flatMap((part) => each.values.map((value) => [...part, inClass({ ...each, values: [value] })])),
    ofDomains,
  );
}

const TYPES: Record<Selection['by']['name'], Prisma.Sql> = {
  createdAt: Prisma.sql`timestamptz`,
  localPart: Prisma.sql`text`,
  sourceLocalPart: Prisma.sql`text`,
  // By way of text, which a position's value is after it was in a cursor.
  percentFull: Prisma.sql`text::int`,
};

function selectRows({ columns, from, conditions, by, order, position }: Selection, part: Prisma.Sql[]): Prisma.Sql {
  const beyond = Prisma.raw(order === 'asc' ? '>' : '<');
  const all = [...conditions, ...part];
  if (position) {
    const place = Prisma.sql`(${position.value}::${TYPES[by.name]}, ${position.id}::uuid)`;
    all.push(Prisma.sql`(${by.column}, ${by.id}) ${beyond} ${place}`);
  }
  return Prisma.sql`SELECT ${columns} FROM ${from} WHERE ${all.length > 0 ? Prisma.join(all, ' AND ') : Prisma.sql`true`}`;
}

// The index has one domain's rows in order. Postgres doesn't use that for a list, even of one domain.
function inDomains(column: Prisma.Sql, ids: string[]): Prisma.Sql {
  return ids.length === 1 ? Prisma.sql`${column} = ${ids[0]}::uuid` : Prisma.sql`${column} = ANY(${ids}::uuid[])`;
}

function inClass({ column, type, values }: NonNullable<Selection['classes']>[number]): Prisma.Sql {
  const list = values.map((value) => Prisma.sql`${value}::${Prisma.raw(type)}`);
  return list.length === 1 ? Prisma.sql`${column} = ${list[0]}` : Prisma.sql`${column} IN (${Prisma.join(list)})`;
}

function inOrder({ order }: Selection, query: Prisma.Sql, { column, id }: Columns, take: number): Prisma.Sql {
  const direction = Prisma.raw(order);
  return Prisma.sql`${query} ORDER BY ${column} ${direction}, ${id} ${direction} LIMIT ${take}::int`;
}
