import { call, createKey } from '../testing/app.mjs';
import { until } from '../testing/trial.mjs';
import { openDatabase, startInstances } from './instances.mjs';
import { startReceivers } from './receivers.mjs';
import { trusting } from './trusting.mjs';

const DOMAIN = 'stopped.example';
const MESSAGES = 6;
const ANSWER_AFTER_MS = 3_000;
const SETTLE_TIMEOUT_MS = 60_000;

/** SIGTERM during deliveries: running attempts finish, the others are delivered after the next start. */
export async function testStoppedApp({ root, env, adminUrl, lifetime, check }) {
  const receivers = await startReceivers(() => 200, ANSWER_AFTER_MS);
  lifetime.atEnd(receivers.close);
  const db = openDatabase(adminUrl, lifetime);
  const [instance] = await startInstances(1, { root, env: trusting(env, receivers.cert), lifetime });
  const key = await createKey(instance.port);
  await call(instance.api, key, '/domains', { name: DOMAIN });
  await call(instance.api, key, '/webhooks', { url: `${receivers.url}/0`, events: ['mail.sent'] });
  for (let number = 0; number < MESSAGES; number++) {
    const to = [{ email: 'ann@far.example' }];
    await call(instance.api, key, '/send', {
      from: { email: `a@${DOMAIN}` },
      to,
      subject: `${number}`,
      text_body: 'x',
    });
  }
  await until(() => receivers.requests.length > 0, SETTLE_TIMEOUT_MS);
  const { exitCode, begun, finished } = await stopAndLook(instance, db, receivers);
  check('it exited with code 0', exitCode === 0, exitCode);
  check(`the ${begun} running deliveries finished first`, begun > 0 && finished === begun, { begun, finished });
  await instance.restart();
  await until(async () => (await countDelivered(db)) === MESSAGES, SETTLE_TIMEOUT_MS);
  check('the others were delivered after the next start', (await countDelivered(db)) === MESSAGES);
  check('none was repeated', receivers.requests.length === MESSAGES, receivers.requests.length);
}

async function stopAndLook(instance, db, receivers) {
  const exitCode = await instance.stop();
  return { exitCode, begun: receivers.requests.length, finished: await countDelivered(db) };
}

async function countDelivered(db) {
  const { rows } = await db.query(`SELECT count(*)::int AS count FROM webhook_delivery WHERE status = 'delivered'`);
  return rows[0].count;
}
