import type { Database } from '@/server/db';

const BATCH_SIZE = 2_000;

/**
 * Gives each committed event its place in the feed, in one order for all readers. Events are written without one, as
 * two transactions commit in another order than they began: a reader could pass a place that is filled later.
 */
export async function sequenceEvents(db: Database): Promise<void> {
  for (let placed = BATCH_SIZE; placed === BATCH_SIZE; ) {
    const [result] = await db.$queryRaw<{ placed: number }[]>`SELECT sequence_events(${BATCH_SIZE}::int) AS placed`;
    placed = result?.placed ?? 0;
  }
}
