import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'vitest';

const MAX_TURN_MS = 100;
const TRIES = 5;

// The kernel's counters of the thread that reads them, which runs the event loop. Another busy thread adds nothing to them.
const SCHEDULE = '/proc/thread-self/schedstat';

/**
 * Fails if `work` holds the main thread for more than 100 ms in each of several tries. What compiling code, collecting garbage and
 * sharing a core with another program add to one of them isn't due to the work.
 */
export async function expectShortTurns(work: () => Promise<unknown>): Promise<void> {
  let shortest = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < TRIES && shortest >= MAX_TURN_MS; tries++) {
    shortest = Math.min(shortest, await longestTurnMs(work));
  }
  expect(shortest).toBeLessThan(MAX_TURN_MS);
}

/** Returns the milliseconds of CPU time that this thread takes for `work`, however busy other programs are. */
export async function cpuMsOf(work: () => unknown): Promise<number> {
  const startedAt = cpuMs();
  await work();
  return cpuMs() - startedAt;
}

/** The most milliseconds of CPU time that the main thread took without a turn of its event loop while `work` ran. */
export async function longestTurnMs(work: () => Promise<unknown>): Promise<number> {
  let [longest, startedAt, isOver] = [0, cpuMs(), false];
  const next = () => {
    const now = cpuMs();
    longest = Math.max(longest, now - startedAt);
    startedAt = now;
    if (!isOver) setImmediate(next);
  };
  const watching = setImmediate(next);
  await work().finally(() => {
    isOver = true;
    clearImmediate(watching);
  });
  next();
  return longest;
}

function cpuMs(): number {
  if (!existsSync(SCHEDULE)) return performance.now();
  return Number(readFileSync(SCHEDULE, 'utf8').split(' ')[0]) / 1e6;
}
