import type { Tx } from '../database/db';
import type { Found } from '../pagination';
import { Prisma } from '../prisma/client';
import { type KeyColumn, matching, type Words } from './search-key';
import { listed, type Selection, selectPage, selectSorted } from './select-page';

const SAMPLE_SIZE = 1_000;
/** Candidates of the index, each of which must be read. */
const MAX_CANDIDATES = 10_000;
/** In the sample. It can't tell how rare a text with fewer is. */
const COMMON_COUNT = 3;

type Row = { id: string };
type Searched = {
  searchedCount: number;
  candidateCount: number;
  /** As the last ANALYZE saw it; -1 before the first one. */
  tableSize: number;
  endValue: string | Date;
  endId: string;
};

/**
 * Searches the first rows of a selection one by one, which finds common words. If they don't fill the page, it asks the index
 * for all others. In a large table, a text without a match whose trigrams are common would take the index as long as reading
 * everything: this ends where the first rows end.
 */
export async function findWords<R extends Row>(
  db: Tx,
  selection: Selection,
  { key, words, take, searchAtMost }: { key: KeyColumn; words: Words; take: number; searchAtMost: number },
): Promise<Found<R>> {
  const { patterns, trigrams } = words;
  const { table, column } = key;
  const { column: value } = listed(selection);
  const order = Prisma.raw(selection.order);
  const reverse = Prisma.raw(selection.order === 'asc' ? 'desc' : 'asc');
  const passes = Prisma.join([Prisma.sql`true`, ...(selection.filters ?? [])], ' AND ');
  const withKey = {
    ...selection,
    columns: Prisma.sql`${selection.columns}, ${column} AS "key", (${passes}) AS "passes"`,
  };
  const found = await db.$queryRaw<((R | { id: null }) & Searched)[]>`
    WITH searched AS MATERIALIZED (${selectPage(withKey, searchAtMost)})
    SELECT total.*, last.*, matching.*
      FROM (SELECT count(*)::int AS "searchedCount",
                   (SELECT count(*)::int FROM (SELECT key FROM searched LIMIT ${SAMPLE_SIZE}::int) AS sample
                     WHERE key LIKE ALL (${trigrams.map((trigram) => `%${trigram}%`)}::text[])) AS "candidateCount",
                   (SELECT reltuples FROM pg_class WHERE oid = ${table}::regclass) AS "tableSize"
              FROM searched) AS total
      LEFT JOIN (SELECT ${value} AS "endValue", id AS "endId" FROM searched
                  ORDER BY ${value} ${reverse}, id ${reverse} LIMIT 1) AS last ON true
      LEFT JOIN (SELECT * FROM searched WHERE passes AND key LIKE ALL (${patterns}::text[])
                  ORDER BY ${value} ${order}, id ${order} LIMIT ${take}::int) AS matching ON true
     ORDER BY matching.${value} ${order}, matching.id ${order}`;
  const { searchedCount, candidateCount, tableSize, endValue, endId } = found[0] as Searched;
  const rows = found.filter((row): row is R & Searched => row.id !== null);
  if (rows.length === take || searchedCount < searchAtMost) return { rows };
  const isCommon = candidateCount >= COMMON_COUNT && (candidateCount / SAMPLE_SIZE) * tableSize > MAX_CANDIDATES;
  if (isCommon) return { rows, searchedTo: { value: endValue, id: endId } };
  const conditions = [...selection.conditions, ...matching(words, column)];
  return { rows: await db.$queryRaw<R[]>(selectSorted({ ...selection, conditions }, take)) };
}
