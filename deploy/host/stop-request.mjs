import { setImmediate } from 'node:timers/promises';

const SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM']);

/**
 * Keeps signals from ending this process in the middle of something.
 * @returns {() => Promise<string | null>} the first signal that has arrived; null without one
 */
export function deferSignals() {
  /** @type {string | null} */
  let first = null;
  for (const signal of SIGNALS)
    process.on(signal, () => {
      first ??= signal;
    });
  return async () => {
    // Signals that arrived while a program was waited for are handled in the next turns of the event loop.
    for (const _ of SIGNALS) await setImmediate();
    return first;
  };
}
