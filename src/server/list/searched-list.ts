import { accessibleDomainIds } from '../access/authorize';
import type { Tx } from '../database/db';
import type { Found, Position } from '../pagination';
import type { Prisma } from '../prisma/client';
import type { ActorContext } from '../procedures/context';
import { countRows, readAll } from './count-rows';
import { findPage, type Search } from './find-page';
import { type KeyColumn, searchKey, wordsOf } from './search-key';
import type { Selection } from './select-page';

/** The input of such a list. The caller has access to the domain, if there is one. */
type Input = { domain_id?: string; q?: string; order: 'asc' | 'desc'; limit: number };

type SearchedList<I extends Input> = {
  key: KeyColumn;
  /** The column with the domain of a row. */
  domain: Prisma.Sql;
  select: (input: I) => Omit<Selection, 'order' | 'position' | 'domains'>;
  search: (db: Tx, text: string | undefined, selection: Selection) => Promise<Search[]>;
};

/** Finds and counts the rows of a list of a large table, in the domains that the caller has access to. */
export function searchedList<Row extends { id: string }, I extends Input>({
  key,
  domain,
  select,
  search,
}: SearchedList<I>) {
  const searchesOf = ({ actor, db }: ActorContext, input: I, position: Position | null) => {
    const { domain_id: domainId, order, q } = input;
    const ids = domainId ? [domainId] : accessibleDomainIds(actor);
    return search(db, q, { ...select(input), order, position, domains: { column: domain, ids } });
  };
  return {
    async find(ctx: ActorContext, input: I, position: Position | null): Promise<Found<Row>> {
      return findPage<Row>(ctx.db, await searchesOf(ctx, input, position), { key, take: input.limit + 1 });
    },
    /** @returns null if it would take too long */
    async count(ctx: ActorContext, input: I): Promise<number | null> {
      return countRows(ctx.db, (await searchesOf(ctx, input, null)).map(readAll), key);
    },
  };
}

/** The search for a part of the search key. */
export async function keySearches(db: Tx, text: string | undefined, selection: Selection): Promise<Search[]> {
  if (!text) return [{ selection }];
  const words = wordsOf(await searchKey(db, text));
  return words ? [{ selection, words }] : [];
}
