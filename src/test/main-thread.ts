import { existsSync, readFileSync } from 'node:fs';

// What the kernel counted for the main thread, whose id is that of the process. Another busy process adds nothing to it.
const SCHEDULE = `/proc/${process.pid}/task/${process.pid}/schedstat`;

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
