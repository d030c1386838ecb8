import { z } from 'zod';
import { type ApiList, MAX_TOTAL, type PageInput } from '@/lib/lists';
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

/** The property of rows for a field of the API, such as `createdAt` for `created_at`. */
type ColumnOf<Field extends string> = Field extends `${infer First}_${infer Others}`
  ? `${First}${Capitalize<ColumnOf<Others>>}`
  : Field;

/** The type `Given`, whose properties are optional if rows have an `id` and a property for the field. */
type UnlessIn<R, Field extends string, Given> = 'id' | ColumnOf<Field> extends keyof R ? Partial<Given> : Given;

type List<R, Item> = {
  fetch: (keyset: Keyset) => Promise<R[]>;
  /** Counts the rows that match the filters, up to `take`. */
  count: Count;
  present: (row: R) => Item;
};

/** @returns null if it would take too long */
type Count = (take: number) => Promise<number | null>;

/**
 * Keyset pagination: rows are ordered by the column of `input.sort` and then the id, so rows that are added or deleted
 * between two pages cause no skips or repeats. The column's values never change and are never null. A cursor is signed and
 * bound to the list, its filters and its order.
 * @throws INVALID_PAGINATION for an altered cursor, or one from another filter or order
 */
export async function paginate<Sort extends string, R extends Row, Item>(
  list: ApiList,
  input: PageInput<Sort>,
  {
    column = columnOf(input.sort) as keyof R & string,
    fetch,
    count,
    present,
  }: List<R, Item> & UnlessIn<R, Sort, { column: keyof R & string }>,
): Promise<Page<Item>> {
  const { limit, order } = input;
  return paginateFrom<Sort, R, Item>(list, input, {
    fetch: async (position) => ({
      rows: await fetch({
        where: position ? after(position, column, order) : {},
        orderBy: [{ [column]: order }, { id: order }],
        take: limit + 1,
      }),
    }),
    count,
    positionOf: positionBy(column),
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
  present: (row: R) => Item;
};

/**
 * The same for rows that don't come from a single query.
 * @throws INVALID_PAGINATION as above
 */
export async function paginateFrom<Sort extends string, R extends object, Item>(
  { path }: ApiList,
  input: PageInput<Sort>,
  {
    fetch,
    count,
    present,
    positionOf = positionBy(columnOf(input.sort)),
  }: Source<R, Item> & UnlessIn<R, Sort, { positionOf: (row: R) => Position<unknown> }>,
): Promise<Page<Item>> {
  const { cursor, limit, order, total: isCounted, ...filters } = input;
  const fingerprint = Buffer.from(sha256(JSON.stringify([path, order, filters])))
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

function columnOf(field: string): string {
  return field.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}

function positionBy(column: string) {
  return (row: object): Position<unknown> => {
    const { [column]: value, id } = row as Row & Record<string, unknown>;
    return { value, id };
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
