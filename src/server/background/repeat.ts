import { countTask } from '../metrics/metrics';
import { failureLog } from './failures';

export type RepeatingTask = {
  /** Runs now, or once more after the current run. */
  runNow: () => void;
  /** Resolves after the current run; no run follows. */
  end: () => Promise<void>;
};

/**
 * Runs a task at intervals, one run at a time in this process, and keeps going after failures.
 * @param name one of a fixed number of names, because it labels metrics
 */
export function repeat(name: string, intervalMs: number, task: () => Promise<unknown>): RepeatingTask {
  const failures = failureLog(name);
  let underWay: Promise<void> | null = null;
  let isWanted = false;
  let isEnded = false;
  const runOnce = async () => {
    try {
      await countTask(name, task);
      failures.succeeded();
    } catch (error) {
      failures.failed(error);
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
