import { setTimeout as sleep } from 'node:timers/promises';

type Work = (batchSize: number) => Promise<number>;

const BATCH_SIZE = 1_000;
const MAX_PAUSE_MS = 10_000;

/** Repeats `work` until it handles less than a whole batch, so that no statement holds locks for long. */
export async function inBatches(work: Work, batchSize = BATCH_SIZE): Promise<void> {
  while ((await work(batchSize)) === batchSize);
}

/** The same for work that can wait: it pauses as long as each batch took, and leaves that time of the database to others. */
export async function inPacedBatches(work: Work, batchSize = BATCH_SIZE): Promise<void> {
  await inBatches(async (size) => {
    const startedAt = performance.now();
    const count = await work(size);
    if (count === size) await sleep(Math.min(performance.now() - startedAt, MAX_PAUSE_MS));
    return count;
  }, batchSize);
}
