import { z } from 'zod';
import { MAX_TOTAL, type PageInput } from '@/lib/lists';
import { AppError } from './errors';
import { sha256, sign, unsign } from './secrets/crypto';

export type Page<Item> = {
  items: Item[];
  pagination: { next_cursor: string; has_more: boolean; total?: number | null };
};

/** Condition that a list query adds to its WHERE clause to continue after the cursor. */
type Keyset = {
  where: object;
  orderBy: Record<string, 'asc' | 'desc'>[];
  take: number;
};

type Row = { id: string };

type List<R, Item> = {
  /** The row's property for `input.sort`; its values never change and are never null. */
  column: keyof R & string;
  fetch: (keyset: Keyset) => Promise<R[]>;
  /** Counts the rows that match the filters, up to `take`. */
  count: Count;
  present: (row: R) => Item;
};

/** @returns null if it would take too long */
type Count = (take: number) => Promise<number | null>;

/**
 * Keyset pagination: rows are ordered by the sort column and then the id, so rows that are added or deleted between two
 * pages cause no skips or repeats. A cursor is signed and bound to the list, its filters and its order.
 * @throws INVALID_PAGINATION for an altered cursor, or one from another filter or order
 */
export async function paginate<R extends Row, Item>(
  list: string,
  input: PageInput,
  { column, fetch, count, present }: List<R, Item>,
): Promise<Page<Item>> {
  const { limit, order } = input;
  return paginateFrom(list, input, {
    fetch: async (position) => ({
      rows: await fetch({
        where: position ? after(position, column, order) : {},
        orderBy: [{ [column]: order }, { id: order }],
        take: limit + 1,
      }),
    }),
    count,
    positionOf: (row) => ({ value: row[column], id: row.id }),
    present,
  });
}

/** Position where a page ended: the sort column's value and the id. */
export type Position<Value = string | Date> = { value: Value; id: string };

export type Found<R> = {
  rows: R[];
  /** Where a search stopped before it had read everything. The next page continues there. */
  searchedTo?: Position;
};

type Source<R, Item> = {
  /** Returns the rows after the position, one more than `input.limit`, to tell whether there is another page. */
  fetch: (position: Position | null) => Promise<Found<R>>;
  /** Without it, the total isn't known. */
  count?: Count;
  positionOf: (row: R) => Position<unknown>;
  present: (row: R) => Item;
};

/**
 * The same for rows that don't come from a single query.
 * @throws INVALID_PAGINATION as above
 */
export async function paginateFrom<R, Item>(
  list: string,
  input: PageInput,
  { fetch, count, positionOf, present }: Source<R, Item>,
): Promise<Page<Item>> {
  const { cursor, limit, order, total: isCounted, ...filters } = input;
  const fingerprint = Buffer.from(sha256(JSON.stringify([list, order, filters])))
    .toString('base64url')
    .slice(0, 16);
  const position = cursor === undefined ? null : readCursor(cursor, fingerprint);
  const [{ rows, searchedTo }, total = null] = await Promise.all([
    fetch(position),
    isCounted ? count?.(MAX_TOTAL) : undefined,
  ]);
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const end = rows.length > limit && last ? positionOf(last) : searchedTo;
  return {
    items: page.map(present),
    pagination: {
      next_cursor: end ? writeCursor(fingerprint, end) : '',
      has_more: end !== undefined,
      ...(isCounted && { total }),
    },
  };
}

const CursorContent = z.tuple([z.string(), z.enum(['date', 'text']), z.string(), z.string()]);

/** The condition for the rows after a position. */
export function after({ value, id }: Position, column: string, order: 'asc' | 'desc'): object {
  const beyond = order === 'asc' ? 'gt' : 'lt';
  // The outer bound lets Postgres start at the cursor in the index; OR alone would read from the first row.
  return {
    [column]: { [`${beyond}e`]: value },
    OR: [{ [column]: { [beyond]: value } }, { [column]: value, id: { [beyond]: id } }],
  };
}

function writeCursor(fingerprint: string, { value, id }: Position<unknown>): string {
  const content = value instanceof Date ? ['date', value.toISOString()] : ['text', String(value)];
  return sign('cursor', Buffer.from(JSON.stringify([fingerprint, ...content, id])).toString('base64url'));
}

function readCursor(cursor: string, fingerprint: string): Position {
  const signed = unsign('cursor', cursor);
  const content = signed && CursorContent.safeParse(JSON.parse(Buffer.from(signed, 'base64url').toString('utf8'))).data;
  if (!content || content[0] !== fingerprint) {
    throw new AppError('INVALID_PAGINATION', 'The cursor doesn’t belong to this list, filters and order.', {
      details: { fields: [{ path: 'cursor', message: 'Use next_cursor with the same filters and order.' }] },
    });
  }
  const [, kind, value, id] = content;
  return { value: kind === 'date' ? new Date(value) : value, id };
}
