/**
 * Does work with a signal that aborts with the given one, or once the time is up. Not `AbortSignal.any` with `AbortSignal.timeout`,
 * which Node.js 20 forgets at the next garbage collection, so that it never aborts.
 */
export async function withinTime<Result>(
  signal: AbortSignal,
  timeoutMs: number,
  work: (ending: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const end = () => controller.abort(signal.reason);
  const timer = setTimeout(() => controller.abort(new DOMException('The time is up.', 'TimeoutError')), timeoutMs);
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  }
}
