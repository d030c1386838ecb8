import type { Tx } from '../database/db';
import type { Found, Position } from '../pagination';
import { findFiltered } from './find-filtered';
import { findWords } from './find-words';
import type { KeyColumn, Words } from './search-key';
import { type Selection, selectPage } from './select-page';

/** One meaning of a search text: rows, which contain words if there are any. */
export type Search = {
  selection: Selection;
  /** The same rows, read by another index: for filters that pass few rows of the first one. */
  alternatives?: Selection[];
  words?: Words;
  searchAtMost?: number;
};

/** Rows that are read one by one in a search for words. */
const SEARCHED_COUNT = 2_500;

type Row = { id: string };

/**
 * The first rows of all searches of one list. One query per search, each on its own index: combined with OR they would
 * scan the table.
 */
export async function findPage<R extends Row>(
  db: Tx,
  searches: Search[],
  { key, take }: { key: KeyColumn; take: number },
): Promise<Found<R>> {
  const [first, ...others] = searches;
  if (!first) return { rows: [] };
  if (others.length === 0) return findOne(db, first, key, take);
  const pages = await Promise.all(searches.map((search) => findOne<R>(db, search, key, take)));
  const ends = pages.flatMap((page) => page.searchedTo ?? []);
  const rows = new Map(pages.flatMap((page) => page.rows).map((row) => [row.id, row]));
  const placed = [...rows.values()].map((row) => ({ row, ...positionOf(row, first.selection) }));
  const distance = await distanceIn(db, first.selection, [...ends, ...placed]);
  const [searchedTo] = ends.sort(distance);
  // Rows beyond the end of a search are left for the next page, which finds them again.
  const reached = placed.filter((each) => !searchedTo || distance(each, searchedTo) <= 0).sort(distance);
  return { rows: reached.slice(0, take).map(({ row }) => row), searchedTo };
}

/** At most `take` rows, in order, none beyond the place where the search ended. */
async function findOne<R extends Row>(db: Tx, search: Search, key: KeyColumn, take: number): Promise<Found<R>> {
  const { selection, words, searchAtMost = SEARCHED_COUNT } = search;
  if (words) return findWords(db, selection, { key, words, take, searchAtMost });
  if (selection.filters?.length) return findByAny(db, search, take);
  return { rows: await db.$queryRaw<R[]>(selectPage(selection, take)) };
}

/** Tries one index after the other until a page is full or complete, and else returns the page that goes furthest. */
async function findByAny<R extends Row>(
  db: Tx,
  { selection, alternatives = [] }: Search,
  take: number,
): Promise<Found<R>> {
  const pages: (Found<R> & { searchedTo: Position })[] = [];
  for (const each of [selection, ...alternatives]) {
    const { rows, searchedTo } = await findFiltered<R>(db, each, take);
    if (!searchedTo) return { rows };
    pages.push({ rows, searchedTo });
  }
  const distance = await distanceIn(
    db,
    selection,
    pages.map((page) => page.searchedTo),
  );
  return pages.sort((one, other) => distance(other.searchedTo, one.searchedTo))[0] as Found<R>;
}

function positionOf(row: Row, { by }: Selection): Position {
  return { value: (row as Row & Record<string, Position['value']>)[by.name] ?? '', id: row.id };
}

/** Compares positions in the order of the database, whose collation JavaScript doesn't know. */
async function distanceIn(
  db: Tx,
  { by, order }: Selection,
  positions: Position[],
): Promise<(one: Position, other: Position) => number> {
  const isText = by.name === 'localPart' || by.name === 'sourceLocalPart';
  const ranks = isText ? await ranksOf(db, positions) : new Map<Position['value'], number>();
  const placeOf = ({ value }: Position) =>
    ranks.get(value) ?? (by.name === 'percentFull' ? Number(value) : new Date(value).getTime());
  const direction = order === 'asc' ? 1 : -1;
  return (one, other) => direction * (compare(placeOf(one), placeOf(other)) || compare(one.id, other.id));
}

async function ranksOf(db: Tx, positions: Position[]): Promise<Map<Position['value'], number>> {
  const texts = positions.map(({ value }) => String(value));
  const sorted = await db.$queryRaw<
    { text: string }[]
  >`SELECT text FROM unnest(${texts}::text[]) AS text ORDER BY text`;
  return new Map(sorted.map(({ text }, rank) => [text, rank]));
}

function compare<Value extends string | number>(one: Value, other: Value): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
