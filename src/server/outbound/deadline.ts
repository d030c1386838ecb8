/** The time that something has in all. */
export type Deadline = {
  /** Calls `end` with the reason when the time is up. Returns the function that forgets it. */
  onReached: (end: (reason: Error) => void) => () => void;
  /** The reason, once the time is up. */
  readonly reached: Error | null;
  /** Aborts when the time is up. Made when it is first used, because that takes as long as a request over a kept connection. */
  readonly signal: AbortSignal;
  clear: () => void;
};

/** @param reasonOf called when the time is up */
export function startDeadline(timeoutMs: number, reasonOf: () => Error): Deadline {
  const listeners = new Set<(reason: Error) => void>();
  let controller: AbortController | undefined;
  let reached: Error | null = null;
  const timer = setTimeout(() => {
    reached = reasonOf();
    controller?.abort(reached);
    for (const end of [...listeners]) end(reached);
  }, timeoutMs);
  return {
    onReached(end) {
      if (reached) end(reached);
      else listeners.add(end);
      return () => listeners.delete(end);
    },
    get reached() {
      return reached;
    },
    get signal() {
      controller ??= new AbortController();
      if (reached) controller.abort(reached);
      return controller.signal;
    },
    clear: () => clearTimeout(timer),
  };
}
