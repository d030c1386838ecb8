import { log } from '../log';

export type RepeatingTask = {
  /** At once, or once more after the run that is under way. */
  runNow: () => void;
  /** Once a run that is under way is done; none comes after it. */
  end: () => Promise<void>;
};

/** Runs a task at intervals, never twice at the same time in this process; what fails is tried on. */
export function repeat(name: string, intervalMs: number, task: () => Promise<unknown>): RepeatingTask {
  let underWay: Promise<void> | null = null;
  let isWanted = false;
  let hasFailed = false;
  let isEnded = false;
  const runOnce = async () => {
    try {
      await task();
      if (hasFailed) log.info({ task: name }, 'a repeated task works again');
      hasFailed = false;
    } catch (error) {
      // Told once, not at every turn.
      if (!hasFailed) log.error({ error, task: name }, 'a repeated task fails; trying on');
      hasFailed = true;
    }
  };
  const run = async () => {
    do {
      isWanted = false;
      await runOnce();
    } while (isWanted && !isEnded);
    underWay = null;
  };
  const timer = setInterval(() => {
    underWay ??= run();
  }, intervalMs).unref();
  return {
    runNow() {
      if (isEnded) return;
      isWanted = true;
      underWay ??= run();
    },
    async end() {
      isEnded = true;
      clearInterval(timer);
      await underWay;
    },
  };
}
