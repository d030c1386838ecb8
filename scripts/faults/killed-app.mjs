import { setTimeout as sleep } from 'node:timers/promises';
import { call, createKey } from '../testing/app.mjs';
import { until } from '../testing/trial.mjs';
import { callCron, hasCronAnswered, isAllDelivered, leases, watchLeases } from './deliveries.mjs';
import { figures, percentile } from './figures.mjs';
import { openDatabase, startInstances } from './instances.mjs';
import { startReceivers } from './receivers.mjs';
import { sendUntilAcknowledged } from './senders.mjs';
import { trusting } from './trusting.mjs';

const DOMAIN = 'faults.example';
const INSTANCES = 2;
const MEAN_PAUSE_MS = 4_000;
const SETTLE_TIMEOUT_MS = 240_000;
const FAILING_SHARE = 0.005;

/**
 * Two instances deliver while one of them is killed at random moments and a scheduler calls the cron route of both. Every
 * event must reach every endpoint under one id, with no more repeats than interrupted or failed attempts.
 */
export async function testKilledApp({ root, env, adminUrl, lifetime, random, options, check }) {
  const receivers = await startReceivers(() => (random() < FAILING_SHARE ? 503 : 200));
  lifetime.atEnd(receivers.close);
  const db = openDatabase(adminUrl, lifetime);
  const instances = await startInstances(INSTANCES, { root, env: trusting(env, receivers.cert), lifetime });
  const key = await createKey(instances[0].port);
  const { api } = instances[0];
  await call(api, key, '/domains', { name: DOMAIN });
  await call(api, key, '/abuse/thresholds', { mailbox_hourly: 1_000_000, domain_hourly: 1_000_000 }, 'PATCH');
  const webhooks = [];
  for (let number = 0; number < options.endpoints; number++) {
    webhooks.push(await call(api, key, '/webhooks', { url: `${receivers.url}/${number}`, events: ['mail.sent'] }));
  }

  const state = { isDone: false, kills: 0, cutOff: 0, orphaned: 0, watches: [], cronStatuses: new Set() };
  const sweeping = callCron(instances, env.CRON_SECRET, state);
  const killing = killAtRandom(instances, db, random, options.kills, state);
  const acknowledged = await sendUntilAcknowledged({ instances, key, domain: DOMAIN, count: options.events });
  await killing;
  const isSettled = await until(() => isAllDelivered(db), SETTLE_TIMEOUT_MS);
  state.isDone = true;
  await Promise.all([sweeping, ...state.watches]);

  await examine({ db, instances, receivers, webhooks, acknowledged, isSettled, state, options, check });
}

async function examine({ db, instances, receivers, webhooks, acknowledged, isSettled, state, options, check }) {
  const events = (await db.query(`SELECT body::jsonb->>'id' AS id FROM event WHERE type = 'mail.sent'`)).rows;
  const ids = new Set(events.map(({ id }) => id));
  const byPair = new Map();
  for (const request of receivers.requests) {
    const pair = `${request.path} ${request.event}`;
    byPair.set(pair, [...(byPair.get(pair) ?? []), request]);
  }
  const pairs = webhooks.flatMap((_, path) => [...ids].map((id) => `${path} ${id}`));
  const missing = pairs.filter((pair) => !byPair.get(pair)?.some(({ status }) => status === 200));
  const unstable = pairs.filter((pair) => new Set(byPair.get(pair)?.map(({ delivery }) => delivery)).size !== 1);
  const deliveryIds = new Set(receivers.requests.map(({ delivery }) => delivery));
  const answeredWithError = receivers.requests.filter(({ status }) => status !== 200).length;
  const repeats = receivers.requests.length - pairs.length - answeredWithError;
  const unsigned = receivers.requests.filter(({ path, isSignedBy }) => !isSignedBy(webhooks[Number(path)].secret));

  check('every delivery finished', isSettled);
  check(`${options.events} messages were acknowledged`, acknowledged.length === options.events);
  check(
    'each acknowledged message has its event',
    acknowledged.every((id) => ids.has(id)) && ids.size === events.length,
  );
  check(`all ${pairs.length} pairs of event and endpoint were delivered`, missing.length === 0, missing.slice(0, 3));
  check('each pair has one id, and no two share one', unstable.length === 0 && deliveryIds.size === pairs.length);
  check(`${repeats} repeats for ${state.cutOff} interrupted attempts`, repeats >= 0 && repeats <= state.cutOff);
  check(`the app was killed ${state.kills} times`, state.kills === options.kills);
  check('no lease was left behind 30 s after a kill', state.orphaned === 0, state.orphaned);
  check('the cron route of both instances answered while they were running', hasCronAnswered(instances, state), [
    ...state.cronStatuses,
  ]);
  check('every request carried its signature', unsigned.length === 0);
  const lags = await lagsOf(db);
  figures(
    `from event to delivery, kills included: median ${percentile(lags, 0.5)} ms, p99 ${percentile(lags, 0.99)} ms`,
  );
}

async function killAtRandom(instances, db, random, kills, state) {
  while (state.kills < kills) {
    await sleep(-Math.log(1 - random()) * MEAN_PAUSE_MS);
    const instance = instances[Math.floor(random() * instances.length)];
    await instance.killAndRestart(async () => {
      const open = await leases(db);
      state.watches.push(watchLeases(db, open, state));
    });
    state.kills += 1;
  }
}

async function lagsOf(db) {
  const { rows } = await db.query(`
    SELECT (extract(epoch FROM a.started_at - d.created_at) * 1000)::int AS lag
      FROM webhook_attempt a JOIN webhook_delivery d ON d.id = a.delivery_id WHERE a.number = 1`);
  return rows.map(({ lag }) => lag);
}
