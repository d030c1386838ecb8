import { readFileSync } from 'node:fs';

/** Milliseconds since some moment: by the clock, and of the processors for a process. */
export type Times = { clock: number; processors: number };

/** The times of this process with all its threads. */
export function timesOfProcess(): Times {
  const { user, system } = process.cpuUsage();
  return { clock: performance.now(), processors: (user + system) / 1_000 };
}

/** The times of another process, of its first thread. Without the counters of Linux, the processors work all the time. */
export function timesOfOther(processId: number | undefined): Times {
  const clock = performance.now();
  try {
    const [nanoseconds] = readFileSync(`/proc/${processId}/schedstat`, 'utf8').split(' ');
    return { clock, processors: Number(nanoseconds) / 1e6 };
  } catch {
    return { clock, processors: clock };
  }
}

/**
 * Measures how long work in a process can have run: while other programs have the processors, time passes by the clock alone.
 * So a limit of this time ends what works too long, not what a busy machine lets wait.
 * @returns milliseconds since the call
 */
export function measureWork(now: () => Times = timesOfProcess): () => number {
  const start = now();
  return () => {
    const { clock, processors } = now();
    return Math.min(clock - start.clock, processors - start.processors);
  };
}
