import type { Database } from '@/server/database/db';

const BATCH_SIZE = 2_000;

/**
 * Numbers committed events for the feed. Numbers assigned on insert would become visible out of order, since transactions
 * commit in another order than they start, and a reader could miss one.
 */
export async function sequenceEvents(db: Database): Promise<void> {
  for (let count = BATCH_SIZE; count === BATCH_SIZE; ) {
    const [result] = await db.$queryRaw<{ count: number }[]>`SELECT sequence_events(${BATCH_SIZE}::int) AS count`;
    count = result?.count ?? 0;
  }
}
