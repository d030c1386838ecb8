/** Repeats `work` until it handles less than a whole batch, so that no statement holds locks for long. */
export async function inBatches(work: (batchSize: number) => Promise<number>, batchSize = 1_000): Promise<void> {
  while ((await work(batchSize)) === batchSize);
}
