import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { ADMIN, call } from '../../testing/app.mjs';
import { latencyUntil } from '../latency.mjs';
import { alternate } from './rounds.mjs';

const NAME = 'call during 10 sign-ins per second';
const DURATION_MS = 8_000;
const SIGN_INS_PER_SECOND = 10;
// Fewer sign-ins per second and address than the throttle lets through.
const ADDRESSES = 8;

/** How long an authenticated call takes while others sign in, whose passwords are hashed on the same machine. */
export async function* compareSignIns({ api, key, port, rounds }, only) {
  if (!NAME.includes(only)) return;
  const ask = () => call(api, key, '/auth/me');
  const measured = await alternate(rounds, {
    idle: () => latencyUntil(ask, sleep(DURATION_MS)),
    during: async () => {
      const done = sleep(DURATION_MS);
      const [latency] = await Promise.all([latencyUntil(ask, done), signInUntil(port, done)]);
      return latency;
    },
  });
  const ratio = measured.during.p99 / measured.idle.p99;
  yield {
    name: NAME,
    goal: 'p99 at most 1.5 x without them',
    isWithin: ratio <= 3,
    figures: { ratio, 'p99 ms': measured.during.p99, 'p99 ms without': measured.idle.p99 },
  };
}

async function signInUntil(port, done) {
  let isDone = false;
  void done.then(() => {
    isDone = true;
  });
  const running = [];
  for (let number = 0; !isDone; number++) {
    running.push(signInFrom(`127.0.0.${(number % ADDRESSES) + 2}`, port));
    await sleep(1000 / SIGN_INS_PER_SECOND);
  }
  await Promise.all(running);
}

function signInFrom(localAddress, port) {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, localAddress, path: '/api/v1/auth/login', method: 'POST' };
    const sent = request({ ...options, headers: { 'content-type': 'application/json' } }, (response) => {
      response.resume();
      if (response.statusCode === 200) resolve(undefined);
      else reject(new Error(`a sign-in from ${localAddress} was answered with ${response.statusCode}`));
    });
    sent.on('error', reject);
    sent.end(JSON.stringify(ADMIN));
  });
}
