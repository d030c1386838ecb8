type Running = { current: Promise<void>; next: Promise<void> | null };

/**
 * Runs one piece of work at a time for each id. Calls that come while it runs share one more run, which begins after all of
 * them.
 */
export function shareRuns(): (id: string, work: () => Promise<void>) => Promise<void> {
  const running = new Map<string, Running>();

  function start(id: string, work: () => Promise<void>): Promise<void> {
    const run: Running = { current: Promise.resolve(), next: null };
    run.current = work().finally(() => {
      if (run.next === null) running.delete(id);
    });
    running.set(id, run);
    return run.current;
  }

  return (id, work) => {
    const run = running.get(id);
    if (!run) return start(id, work);
    run.next ??= run.current.then(
      () => start(id, work),
      () => start(id, work),
    );
    return run.next;
  };
}
