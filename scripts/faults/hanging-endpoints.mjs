import { setTimeout as sleep } from 'node:timers/promises';
import { call, createKey } from '../testing/app.mjs';
import { until } from '../testing/trial.mjs';
import { figures, percentile } from './figures.mjs';
import { openDatabase, startInstances } from './instances.mjs';
import { startReceivers } from './receivers.mjs';
import { trusting } from './trusting.mjs';

const DOMAIN = 'hanging.example';
const ENDPOINTS = 100;
const MESSAGES = 40;
const PAUSE_MS = 500;
const SETTLE_TIMEOUT_MS = 60_000;

/** Half of 100 endpoints hang; the other half must get every event without delay. */
export async function testHangingEndpoints({ root, env, adminUrl, lifetime, check }) {
  const receivers = await startReceivers((path) => (path.startsWith('hang') ? null : 200));
  lifetime.atEnd(receivers.close);
  const db = openDatabase(adminUrl, lifetime);
  const [instance] = await startInstances(1, { root, env: trusting(env, receivers.cert), lifetime });
  const key = await createKey(instance.port);
  const domain = await call(instance.api, key, '/domains', { name: DOMAIN });
  for (let number = 0; number < ENDPOINTS; number++) {
    const url = `${receivers.url}/${number % 2 ? 'hang' : 'well'}-${number}`;
    await call(instance.api, key, '/webhooks', { url, events: ['mail.sent'], domain_id: domain.id });
  }
  for (let number = 0; number < MESSAGES; number++) {
    const message = {
      from: { email: `sender@${DOMAIN}` },
      to: [{ email: 'ann@far.example' }],
      subject: `Message ${number}`,
      text_body: 'A message.',
    };
    await call(instance.api, key, '/send', message);
    await sleep(PAUSE_MS);
  }
  const expected = (MESSAGES * ENDPOINTS) / 2;
  const hasAll = async () => (await countDelivered(db, domain.id)) === expected;
  const isDelivered = await until(hasAll, SETTLE_TIMEOUT_MS);
  check(`${ENDPOINTS / 2} healthy endpoints got ${MESSAGES} events while ${ENDPOINTS / 2} hung`, isDelivered);
  const lags = await lagsOf(db, domain.id);
  const [median, p99] = [percentile(lags, 0.5), percentile(lags, 0.99)];
  figures(`from event to delivery at healthy endpoints: median ${median} ms, p99 ${p99} ms (bound: 2000 ms)`);
  // A hanging endpoint takes 10 s, so waiting for one would show.
  check('no healthy endpoint waited for one that hung', Math.max(...lags) < 10_000, Math.max(...lags));
}

async function countDelivered(db, domainId) {
  const { rows } = await db.query(
    `SELECT count(*)::int AS delivered FROM webhook_delivery d JOIN event e ON e.id = d.event_id
      WHERE e.domain_id = $1 AND d.status = 'delivered'`,
    [domainId],
  );
  return rows[0].delivered;
}

async function lagsOf(db, domainId) {
  const { rows } = await db.query(
    `SELECT (extract(epoch FROM d.finished_at - d.created_at) * 1000)::int AS lag
       FROM webhook_delivery d JOIN event e ON e.id = d.event_id
      WHERE e.domain_id = $1 AND d.status = 'delivered'`,
    [domainId],
  );
  return rows.map(({ lag }) => lag);
}
