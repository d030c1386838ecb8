import { log } from './log';

/**
 * Runs a task at intervals, never twice at the same time in this process; what fails is tried on.
 * @returns what ends it, once a run that is under way is done
 */
export function repeat(name: string, intervalMs: number, task: () => Promise<unknown>): () => Promise<void> {
  let underWay: Promise<void> | null = null;
  let hasFailed = false;
  const run = async () => {
    try {
      await task();
      if (hasFailed) log.info({ task: name }, 'a repeated task works again');
      hasFailed = false;
    } catch (error) {
      // Told once, not at every turn.
      if (!hasFailed) log.error({ error, task: name }, 'a repeated task fails; trying on');
      hasFailed = true;
    }
    underWay = null;
  };
  const timer = setInterval(() => {
    underWay ??= run();
  }, intervalMs).unref();
  return async () => {
    clearInterval(timer);
    await underWay;
  };
}
