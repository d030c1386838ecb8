import { setTimeout as sleep } from 'node:timers/promises';
import { call, createKey } from '../testing/app.mjs';
import { until } from '../testing/trial.mjs';
import { figures } from './figures.mjs';
import { openDatabase, startInstances } from './instances.mjs';
import { startSmtpSink } from './proxied/smtp-sink.mjs';

const DOMAIN = 'scheduled.example';
const MESSAGES = 1_000;
const BATCH = 100;
const INSTANCES = 2;
const LANES = 5;
const ANSWER_AFTER_MS = 250;
const DUE_AFTER_MS = 25_000;
const MEAN_PAUSE_MS = 1_000;
const SETTLE_TIMEOUT_MS = 240_000;

/**
 * Two instances send 1,000 scheduled messages while one of them is killed at random moments. Each message must arrive once, or
 * be unconfirmed, which only those that a killed process had under way may be.
 */
export async function testKilledSchedule({ root, env, adminUrl, lifetime, random, options, check }) {
  const sink = await startSmtpSink(ANSWER_AFTER_MS);
  lifetime.atEnd(sink.close);
  const db = openDatabase(adminUrl, lifetime);
  const instances = await startInstances(INSTANCES, { root, env: { ...env, SMTP_URL: sink.url }, lifetime });
  const [{ api, port }] = instances;
  const key = await createKey(port);
  await call(api, key, '/domains', { name: DOMAIN });
  await call(api, key, '/abuse/thresholds', { mailbox_hourly: 1_000_000, domain_hourly: 1_000_000 }, 'PATCH');
  const sendAt = new Date(Date.now() + DUE_AFTER_MS);
  const ids = await schedule({ api, key, sendAt });
  check(
    `${MESSAGES} messages were scheduled before their time`,
    ids.length === MESSAGES && Date.now() < sendAt.getTime(),
  );
  const early = sink.received.length;
  await sleep(Math.max(0, sendAt.getTime() - Date.now()));

  let kills = 0;
  while (kills < options.kills && (await countBy(db)).scheduled > 0) {
    await sleep(-Math.log(1 - random()) * MEAN_PAUSE_MS);
    await instances[Math.floor(random() * INSTANCES)].killAndRestart(async () => {});
    kills += 1;
  }
  const isSettled = await until(async () => {
    const { scheduled = 0, submitting = 0 } = await countBy(db);
    return scheduled + submitting === 0;
  }, SETTLE_TIMEOUT_MS);
  const counts = await countBy(db);
  const arrivals = new Map(ids.map((id) => [id, 0]));
  for (const { messageId: id } of sink.received) arrivals.set(id, (arrivals.get(id) ?? 0) + 1);
  const uncertain = await messageIdsOf(db, 'uncertain');
  const sent = await messageIdsOf(db, 'sent');
  const missing = ids.filter((id) => arrivals.get(id) === 0);

  check('none arrived before its time', early === 0, early);
  check('all messages were settled', isSettled, counts);
  check(
    'no message arrived twice',
    [...arrivals.values()].every((count) => count <= 1),
  );
  check(
    'each sent message arrived',
    sent.every((id) => arrivals.get(id) === 1),
  );
  check(
    'each message that didn’t arrive is unconfirmed',
    missing.every((id) => uncertain.includes(id)),
    missing,
  );
  check(`${uncertain.length} are unconfirmed after ${kills} kills`, uncertain.length <= kills * LANES, counts);
  check('nothing is left of their text', (await db.query('SELECT FROM scheduled_part')).rowCount === 0);
  figures(
    `${sent.length} sent, ${uncertain.length} unconfirmed, of which ${missing.length} did not arrive; ${kills} kills`,
  );
}

async function schedule({ api, key, sendAt }) {
  const ids = [];
  for (let first = 0; first < MESSAGES; first += BATCH) {
    const messages = Array.from({ length: BATCH }, (_, index) => ({
      from: { email: `sender-${index % 50}@${DOMAIN}` },
      to: [{ email: 'ann@far.example' }],
      subject: `Message ${first + index}`,
      text_body: 'A message that must leave once.',
      send_at: sendAt.toISOString(),
    }));
    const { results } = await call(api, key, '/send/batch', { messages });
    ids.push(...results.filter(({ status }) => status === 'scheduled').map(({ message_id: id }) => id));
  }
  return ids;
}

async function countBy(db) {
  const { rows } = await db.query('SELECT status, count(*)::int AS count FROM message GROUP BY status');
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
}

async function messageIdsOf(db, status) {
  const { rows } = await db.query('SELECT message_id FROM message WHERE status = $1::message_status', [status]);
  return rows.map(({ message_id: id }) => id);
}
