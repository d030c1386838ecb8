import type { Tx } from '../database/db';
import type { Found } from '../pagination';
import { Prisma } from '../prisma/client';
import { listed, orderOf, type Selection, selectPage } from './select-page';

type Row = { id: string };
type End = { endValue: string | Date; endId: string } | { endValue: null; endId: null };

/** Rows that are read one by one for filters that no index has. */
const FILTERED_COUNT = 1_000;

/**
 * The first rows of a selection that pass its filters. One query, so that the page and the place where it ends are of the
 * same moment; it looks for the end only if the page isn't full.
 * @returns `searchedTo` if there may be more rows beyond the ones that were read
 */
export async function findFiltered<R extends Row>(db: Tx, selection: Selection, take: number): Promise<Found<R>> {
  const order = Prisma.raw(selection.order);
  const { filters = [], columns, by, isIndexed } = selection;
  const passes = Prisma.sql`(${Prisma.join(filters, ' AND ')}) AS "passes"`;
  // Postgres stops reading at the end of the page because it knows the order of these.
  const place = Prisma.sql`${by.column} AS "atValue", ${by.id} AS "atId"`;
  const read = { ...selection, columns: Prisma.join([columns, passes, ...(isIndexed ? [] : [place])]) };
  const end = selectPage({ ...selection, isIndexed: false, columns: orderOf(selection) }, FILTERED_COUNT);
  const { column: endValue, id: endId } = listed(selection);
  const found = await db.$queryRaw<((R | { id: null }) & End)[]>`
    WITH page AS MATERIALIZED (
      SELECT * FROM (${selectPage(read, FILTERED_COUNT)}) AS searched
       WHERE passes ORDER BY "atValue" ${order}, "atId" ${order} LIMIT ${take}::int
    )
    SELECT page.*, last.* FROM (SELECT) AS one
      LEFT JOIN page ON true
      LEFT JOIN (SELECT ${endValue} AS "endValue", ${endId} AS "endId" FROM (${end}) AS searched
                  WHERE (SELECT count(*) FROM page) < ${take}::int
                  ORDER BY ${endValue} ${order}, ${endId} ${order} OFFSET ${FILTERED_COUNT - 1}::int LIMIT 1) AS last ON true
     ORDER BY "atValue" ${order}, "atId" ${order}`;
  const last = found[0] as End;
  const rows = found.filter((row): row is R & End => row.id !== null);
  return { rows, searchedTo: last.endId === null ? undefined : { value: last.endValue, id: last.endId } };
}
