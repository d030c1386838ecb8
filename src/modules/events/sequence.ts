import type { Database } from '@/server/db';

const AT_ONCE = 2_000;

/**
 * Gives each committed event its place in the feed, in one order for all readers. Events are written without one, as
 * two transactions commit in another order than they began: a reader could pass a place that is filled later.
 */
export async function sequenceEvents(db: Database): Promise<void> {
  for (let placed = AT_ONCE; placed === AT_ONCE; ) {
    const [result] = await db.$queryRaw<{ placed: number }[]>`SELECT sequence_events(${AT_ONCE}::int) AS placed`;
    placed = result?.placed ?? 0;
  }
}
