import { expect, it, onTestFinished, vi } from 'vitest';
import { inPacedBatches } from './in-batches';

const BATCH_MS = 40;
/** Timers may end up to a millisecond early. */
const EARLY_MS = 1;

it('pauses at least as long as each batch took, and stops after one that is not whole', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const startedAt: number[] = [];
  await inPacedBatches(async (size) => {
    startedAt.push(Date.now());
    vi.advanceTimersByTime(BATCH_MS);
    return startedAt.length < 3 ? size : size - 1;
  });
  const [first = 0, second = 0, third = 0, ...more] = startedAt;
  expect(more).toEqual([]);
  expect(Math.min(second - first, third - second)).toBeGreaterThanOrEqual(BATCH_MS - EARLY_MS);
});
