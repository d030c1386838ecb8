import { setTimeout as sleep } from 'node:timers/promises';

const REQUESTS_PER_SECOND = 50;

/** @typedef {{ median: number, p99: number, count: number }} Latency in milliseconds */

/**
 * Requests at a fixed rate, so that a slow answer doesn't slow the questions down.
 * @param {() => Promise<unknown>} ask
 * @param {Promise<unknown>} done
 * @param {number} [perSecond]
 * @returns {Promise<Latency>}
 */
export async function latencyUntil(ask, done, perSecond = REQUESTS_PER_SECOND) {
  let isDone = false;
  const settled = done.finally(() => {
    isDone = true;
  });
  const times = [];
  const failures = [];
  const running = new Set();
  while (!isDone) {
    const startedAt = performance.now();
    const request = ask()
      .then(() => times.push(performance.now() - startedAt))
      .catch((error) => failures.push(error))
      .finally(() => running.delete(request));
    running.add(request);
    await sleep(1000 / perSecond);
  }
  await Promise.all([settled, ...running]);
  if (failures.length > 0) throw failures[0];
  times.sort((one, other) => one - other);
  const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))];
  return { median: at(0.5), p99: at(0.99), count: times.length };
}
