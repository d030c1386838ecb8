import { MAX_TOTAL } from '@/lib/lists';
import { countRows } from '@/server/list/count-rows';
import { findPage } from '@/server/list/find-page';
import type { Found, Position } from '@/server/pagination';
import { Prisma } from '@/server/prisma/client';
import type { ActorContext } from '@/server/procedures/context';
import { exactMeanings, type Meaning, partMeanings } from './meanings';
import { COUNTED, type CountedRow, type Filters, SUMMARY, type SummaryRow, searchOf } from './selection';

/** @param take how many at most */
export function findMessages(
  ctx: ActorContext,
  input: Filters,
  page: { position: Position | null; take: number },
): Promise<Found<SummaryRow>> {
  return find(ctx, input, { ...page, columns: SUMMARY });
}

/** The newest messages that a list has, at most 10,000: enough to count them, at a bounded cost. */
export async function findCounted(
  ctx: ActorContext,
  input: Omit<Filters, 'order'>,
): Promise<{ rows: CountedRow[]; isComplete: boolean }> {
  const newest = { ...input, order: 'desc' } as const;
  const found = await find<CountedRow>(ctx, newest, { position: null, take: MAX_TOTAL + 1, columns: COUNTED });
  const isComplete = found.rows.length <= MAX_TOTAL && found.searchedTo === undefined;
  return { rows: found.rows.slice(0, MAX_TOTAL), isComplete };
}

type Wanted = { position: Position | null; take: number; columns: Prisma.Sql };

/**
 * A text that is a whole address, Message-ID or queue id of messages finds these, by the indexes of exact values, so that
 * a common part never hides them behind newer messages. Any other text finds the messages that contain it.
 */
async function find<R extends CountedRow>(ctx: ActorContext, input: Filters, wanted: Wanted): Promise<Found<R>> {
  if (input.q === undefined) return findAny(ctx, input, wanted, [{}]);
  const exact = exactMeanings(input.q);
  if (exact.length > 0) {
    const found = await findAny<R>(ctx, input, wanted, exact);
    // Or it is the end of the exact matches, which a page before had.
    if (hasMatches(found) || (wanted.position && (await isExact(ctx, input, exact)))) return found;
  }
  return findAny(ctx, input, wanted, await partMeanings(ctx.db, input.q));
}

/** @returns null if it would take too long */
export async function countMessages(ctx: ActorContext, { q, ...input }: Filters): Promise<number | null> {
  const count = (meanings: Meaning[]) =>
    countRows(
      ctx.db,
      meanings.map((meaning) => searchOf(ctx, input, { position: null, columns: COUNTED }, meaning)),
      KEY,
    );
  if (q === undefined) return count([{}]);
  const exact = exactMeanings(q);
  return count((await isExact(ctx, input, exact)) ? exact : await partMeanings(ctx.db, q));
}

/** Whether any message has the whole text. */
async function isExact(ctx: ActorContext, input: Filters, exact: Meaning[]): Promise<boolean> {
  if (exact.length === 0) return false;
  return hasMatches(await findAny(ctx, input, { position: null, take: 1, columns: COUNTED }, exact));
}

function findAny<R extends CountedRow>(
  ctx: ActorContext,
  input: Filters,
  { take, ...page }: Wanted,
  meanings: Meaning[],
): Promise<Found<R>> {
  const searches = meanings.map((meaning) => searchOf(ctx, input, page, meaning));
  return findPage(ctx.db, searches, { key: KEY, take });
}

function hasMatches({ rows, searchedTo }: Found<CountedRow>): boolean {
  return rows.length > 0 || searchedTo !== undefined;
}

const KEY = { table: 'message', column: Prisma.sql`m.search_key` };
