/** Milliseconds since some moment: by the clock, and of the processors for this process with all its threads. */
export type Times = { clock: number; processors: number };

export function timesOfProcess(): Times {
  const { user, system } = process.cpuUsage();
  return { clock: performance.now(), processors: (user + system) / 1_000 };
}

/**
 * Measures how long work in this process can have run: while other programs have the processors, time passes by the clock alone.
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
