// Measures the cost of messages with the whole mail server of deploy/mail.
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { superviseAgent } from '../mail/agent-supervisor.mjs';
import { prepareMailDatabase } from '../mail/mail-database.mjs';
import { startTemporaryMailServer } from '../mail/temporary-mail-server.mjs';
import { appEnvironment, call } from '../testing/app.mjs';
import { postmasterOf } from './cost/cpu.mjs';
import { load } from './cost/load.mjs';
import { portOf, start } from './cost/program.mjs';
import { alternate, costOf, roundsToWarmUp } from './cost/rounds.mjs';
import { startBenchPostgres } from './database.mjs';
import { startServerOn } from './server.mjs';

const CONNECTIONS = 20;
const SENDS = 2_000;
const BATCH = 100;
const INBOUND = 500;
const INBOUND_CONNECTIONS = 5;
const TEXT = 'It is on its way and arrives tomorrow.\n'.repeat(130);
const SETTLED_WITHIN_MS = 300_000;
const MAILBOX = 'ann';

/**
 * Sends through Postfix and Rspamd against nodemailer at the same port, and received messages. Each round ends when the mail
 * server has nothing left to do.
 * @returns {AsyncGenerator<import('./cost/compare.mjs').Cost>}
 */
export async function* compareMail(root, dataDir, lifetime, { rounds = 3, only = '' } = {}) {
  const bench = await startEverything(root, dataDir, lifetime);
  if ('POST /send'.includes(only) || only.includes('POST')) yield* compareSends(bench, lifetime, rounds);
  if ('received'.includes(only)) yield* measureReceived(bench, lifetime, rounds);
}

async function* compareSends(bench, lifetime, rounds) {
  const mailer = start(lifetime, mailerScript, [bench.submissionUrl, String(CONNECTIONS), `orders@${bench.domain}`]);
  const message = {
    from: { email: `orders@${bench.domain}` },
    to: [{ email: 'ann@far.example' }],
    subject: 'Your order',
    text_body: TEXT,
  };
  const one = { path: '/api/v1/send', method: 'POST', body: JSON.stringify(message) };
  const batch = { ...one, path: '/api/v1/send/batch', body: JSON.stringify({ messages: Array(BATCH).fill(message) }) };
  const cases = [
    { name: 'POST /send through Postfix', goal: 0.8, connections: CONNECTIONS, each: 1, sent: one },
    { name: 'POST /send/batch of 100 through it', goal: 0.95, connections: 4, each: BATCH, sent: batch },
  ];
  for (const { name, goal, connections, each, sent } of cases) {
    const calls = { port: bench.port, headers: bench.headers, connections, count: SENDS / each };
    const measured = await alternate(
      rounds,
      {
        bare: async () => {
          mailer.send({ count: SENDS, text: TEXT });
          const [rate] = await once(mailer, 'message');
          await bench.untilIdle();
          return { rate };
        },
        app: async () => {
          const cost = await costOf(async () => (await load(calls, () => sent)) * each, SENDS, bench.pids());
          await bench.untilIdle();
          return cost;
        },
      },
      roundsToWarmUp(SENDS),
    );
    const ratio = measured.app.rate / measured.bare.rate;
    const { rate, ...cpu } = measured.app;
    yield {
      name,
      goal: `rate at least ${goal} x nodemailer`,
      isWithin: ratio >= goal / 2,
      figures: { ratio, 'per second': rate, ...inMilliseconds(cpu) },
    };
  }
}

async function* measureReceived(bench, lifetime, rounds) {
  const to = `${MAILBOX}@${bench.domain}`;
  const mailer = start(lifetime, mailerScript, [bench.smtpUrl, String(INBOUND_CONNECTIONS), 'kim@far.example', to]);
  const receive = async () => {
    const startedAt = performance.now();
    mailer.send({ count: INBOUND, text: TEXT });
    await once(mailer, 'message');
    await bench.untilIdle();
    return INBOUND / ((performance.now() - startedAt) / 1000);
  };
  const { received } = await alternate(rounds, { received: () => costOf(receive, INBOUND, bench.pids()) });
  const { rate, app: _, ...cpu } = received;
  yield {
    name: 'messages received in a mailbox',
    goal: 'at most 2 ms of the agent and 3 ms of Postgres',
    isWithin: received.agent <= 4 && received.postgres <= 6,
    figures: { 'per second': rate, ...inMilliseconds(cpu) },
  };
}

const mailerScript = new URL('./cost/mailer.mjs', import.meta.url);

function inMilliseconds(cpu) {
  return Object.fromEntries(Object.entries(cpu).map(([name, value]) => [`${name} ms`, value]));
}

/** Postgres, the mail server, its agent, the app, and the server that outgoing mail is delivered to. */
async function startEverything(root, dataDir, lifetime) {
  const urls = await prepareMailDatabase(root, await startBenchPostgres(lifetime));
  const { mailServer, stop } = await startTemporaryMailServer(urls.mta);
  lifetime.atEnd(stop);
  /** @type {Record<string, any>} */
  const settings = mailServer.settings;
  const relayPort = settings.RELAY_HOST.split(':')[1];
  await portOf(start(lifetime, new URL('./cost/sink.mjs', import.meta.url), [relayPort]));
  const submissionUrl = `smtps://postroom:${settings.APP_PASSWORD}@127.0.0.1:${settings.SUBMISSIONS_PORT}`;
  const env = { ...appEnvironment(urls.app), SMTP_URL: submissionUrl };
  lifetime.atEnd(await superviseAgent(mailServer, env));
  const server = await startServerOn(urls.app, root, dataDir, lifetime, env);
  const [domain] = await call(server.api, server.key, '/domains');
  const mailbox = { domain_id: domain.id, local_part: MAILBOX, password: 'paper boats on the canal' };
  await call(server.api, server.key, '/mailboxes', { ...mailbox, quota_bytes: 10_000_000_000 });
  const db = new pg.Client(urls.app);
  await db.connect();
  lifetime.atEnd(() => db.end());
  const postmaster = await postmasterOf(db);
  const agentPid = () => Number(readFileSync(join(mailServer.data, 'run/agent/pid'), 'utf8'));
  return {
    ...server,
    submissionUrl,
    smtpUrl: `smtp://127.0.0.1:${settings.SMTP_PORT}`,
    headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
    pids: () => ({ app: server.pid, agent: agentPid(), postgres: postmaster }),
    untilIdle: () => untilSettled(db, join(mailServer.data, 'queue')),
  };
}

/** Until Postfix has nothing in its queue, and each message has its outcome. */
async function untilSettled(db, queue) {
  const end = performance.now() + SETTLED_WITHIN_MS;
  for (;;) {
    const queued = QUEUES.reduce((sum, name) => sum + filesIn(join(queue, name)), 0);
    const { rows } = await db.query("SELECT count(*)::int AS open FROM message WHERE status IN ('submitting', 'sent')");
    if (queued === 0 && rows[0].open === 0) return;
    if (performance.now() > end) throw new Error(`${queued} queued, ${rows[0].open} without an outcome`);
    await sleep(200);
  }
}

const QUEUES = ['maildrop', 'incoming', 'active', 'deferred'];

function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile()).length;
}
