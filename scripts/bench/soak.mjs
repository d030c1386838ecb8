import { setTimeout as sleep } from 'node:timers/promises';
import { call } from '../testing/app.mjs';

const READS_PER_SECOND = 40;
const SENDS_PER_SECOND = 20;
const SAMPLE_MS = 1_000;
/** Until caches, pools and prepared statements have their size. */
const WARM_UP_MINUTES = 2;
const WINDOW_MINUTES = 1;

/**
 * Sends and reads at about half of what a small machine can do, and how much memory the app has afterwards.
 * @returns {Promise<{ before: number, after: number, calls: number }>} bytes, each the median of a minute
 */
export async function soak({ api, key, domain, memoryBytes }, { minutes, onMinute }) {
  const message = {
    from: { email: `orders@${domain}` },
    to: [{ email: 'ann@far.example' }],
    subject: 'Your order',
    text_body: 'It is on its way.\n'.repeat(284),
  };
  const state = { isDone: false, calls: 0 };
  const lanes = [
    repeat(READS_PER_SECOND, state, () => call(api, key, '/messages?limit=50')),
    repeat(SENDS_PER_SECOND, state, () => call(api, key, '/send', message)),
  ];
  const samples = [];
  const perMinute = 60_000 / SAMPLE_MS;
  while (samples.length < (WARM_UP_MINUTES + minutes) * perMinute) {
    await sleep(SAMPLE_MS);
    samples.push(memoryBytes());
    if (samples.length % perMinute === 0) onMinute(samples.length / perMinute, median(samples.slice(-perMinute)));
  }
  state.isDone = true;
  await Promise.all(lanes);
  const window = WINDOW_MINUTES * perMinute;
  const start = WARM_UP_MINUTES * perMinute;
  return {
    before: median(samples.slice(start, start + window)),
    after: median(samples.slice(-window)),
    calls: state.calls,
  };
}

/** At a fixed rate, whatever the answers take, up to a number that waits. */
async function repeat(perSecond, state, run) {
  const running = new Set();
  const failures = [];
  while (!state.isDone) {
    if (running.size < perSecond) {
      const one = run()
        .then(() => {
          state.calls += 1;
        })
        .catch((error) => failures.push(error))
        .finally(() => running.delete(one));
      running.add(one);
    }
    await sleep(1000 / perSecond);
  }
  await Promise.all(running);
  if (failures.length > 0) throw failures[0];
}

function median(values) {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)];
}
