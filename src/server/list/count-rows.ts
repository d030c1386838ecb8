import { MAX_TOTAL } from '@/lib/lists';
import type { Tx } from '../database/db';
import { Prisma } from '../prisma/client';
import type { Search } from './find-page';
import { type KeyColumn, matching } from './search-key';
import { orderOf, type Selection, selectAny } from './select-page';

/**
 * How many rows a list has, up to MAX_TOTAL. Where no index has all its conditions, that many rows are read.
 * @returns null if there are more to read, or if the text has several meanings, which may be those of one row
 */
export async function countRows(db: Tx, searches: Search[], { column }: KeyColumn): Promise<number | null> {
  const [search, ...others] = searches;
  if (!search) return 0;
  if (others.length > 0) return null;
  const { selection, alternatives = [], words } = search;
  const matches = words ? matching(words, column) : [];
  for (const each of [selection, ...alternatives]) {
    const total = await countSelected(db, each, [...(each.filters ?? []), ...matches]);
    if (total !== null) return total;
  }
  return null;
}

/** A search whose conditions no index has: each row is read for them. */
export function readAll(search: Search): Search {
  const { conditions, filters = [] } = search.selection;
  return { ...search, selection: { ...search.selection, conditions: [], filters: [...filters, ...conditions] } };
}

async function countSelected(db: Tx, selection: Selection, filters: Prisma.Sql[]): Promise<number | null> {
  const keys = selectAny({ ...selection, columns: orderOf(selection) }, MAX_TOTAL);
  if (filters.length === 0) {
    const [counted] = await db.$queryRaw<Counted[]>`SELECT count(*)::int AS total FROM (${keys}) AS key`;
    return counted?.total ?? 0;
  }
  const { from, by } = selection;
  // LATERAL, because Postgres would join by a scan.
  const [counted] = await db.$queryRaw<(Counted & { read: number })[]>`
    SELECT count(*)::int AS read, (count(*) FILTER (WHERE passes))::int AS total
      FROM (${keys}) AS key,
           LATERAL (SELECT (${Prisma.join(filters, ' AND ')}) AS passes FROM ${from} WHERE ${by.id} = key.id LIMIT 1) AS row`;
  const { read, total } = counted as Counted & { read: number };
  return read < MAX_TOTAL || total === MAX_TOTAL ? total : null;
}

type Counted = { total: number };
