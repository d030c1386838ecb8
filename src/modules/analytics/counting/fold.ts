import { inBatches } from '@/server/background/in-batches';
import type { Database } from '@/server/database/db';

const BATCH_SIZE = 5_000;

/** Adds changes to the counts that are read. Instances take turns; what isn't added yet is read from the changes. */
export async function foldAnalytics(db: Database): Promise<void> {
  await inBatches(async (size) => {
    const [result] = await db.$queryRaw<{ count: number }[]>`SELECT fold_analytics(${size}::int) AS count`;
    return result?.count ?? 0;
  }, BATCH_SIZE);
}
