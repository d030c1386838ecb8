import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '../faults/proxied/client.mjs';
import { HOST_NAME, startNginx } from '../faults/proxied/nginx.mjs';
import { startSmtpSink } from '../faults/proxied/smtp-sink.mjs';
import { migrate } from '../postgres/database.mjs';
import { startTemporaryReplica } from '../postgres/temporary-postgres.mjs';
import { freePort } from '../process/free-port.mjs';
import { apiOf, appEnvironment, call, createAdminKey, createKey, startApp } from '../testing/app.mjs';
import { startBenchPostgres } from './database.mjs';

const CLIENTS = 12;
const ROUNDS = 3;
const READS = 800;
const SENDS = 300;
// Sign-in is limited to five attempts per second.
const SIGN_IN_PAUSE_MS = 250;

/**
 * Requests per second through nginx with one instance, with two, and with two that read from a replica, as ratios to one
 * instance of the same round. The median of some rounds, because the load of a machine changes; all instances run throughout.
 * @returns {Promise<{ name: string, reads: number, sends: number }[]>}
 */
export async function compareInstances(root, lifetime) {
  const databaseUrl = await startBenchPostgres(lifetime);
  await migrate(root, databaseUrl);
  const replica = await startTemporaryReplica(databaseUrl, { isDurable: true });
  lifetime.atEnd(replica.stop);
  const sink = await startSmtpSink(0);
  lifetime.atEnd(sink.close);
  const env = {
    ...appEnvironment(databaseUrl),
    SMTP_URL: sink.url,
    APP_URL: `https://${HOST_NAME}`,
    TRUSTED_PROXIES: '127.0.0.1',
  };
  const start = (settings) => startInstance(root, { ...env, ...settings }, lifetime);
  const ports = [await start({}), await start({})];
  const replicated = { DATABASE_READ_URL: replica.adminUrl };
  const replicatedPorts = [await start(replicated), await start(replicated)];
  const variants = [
    { name: 'one instance', ports: ports.slice(0, 1) },
    { name: 'two instances', ports },
    { name: 'two instances and a replica', ports: replicatedPorts },
  ];
  const keys = await prepare(ports[0], (ROUNDS + 1) * variants.length);
  const clients = [];
  for (const { ports } of variants)
    clients.push(createClient({ ...(await startNginx({ root, ports, lifetime })), keepAlive: true }));
  const rounds = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const figures = [];
    for (const client of clients)
      figures.push(await measureBoth(client, keys, figures.length + round * clients.length));
    rounds.push(figures);
  }
  // The first round warms all of them up.
  const ratio = (index, kind) => median(rounds.slice(1).map((figures) => figures[index][kind] / figures[0][kind]));
  return variants.map(({ name }, index) => ({ name, reads: ratio(index, 'reads'), sends: ratio(index, 'sends') }));
}

/** @param {number} number of the domain to send from, since a domain's earlier messages slow its next ones down */
async function measureBoth(client, keys, number) {
  const clients = keys.map((key) => (path, body) => ask(client, key, path, body));
  const read = (request) => request('/messages?limit=50');
  const send = (request, message) => request('/send', messageFrom(domainOf(number), message));
  return { reads: await measure(clients, READS, read), sends: await measure(clients, SENDS, send) };
}

function median(values) {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)];
}

function domainOf(number) {
  return `bench-${number}.example`;
}

function messageFrom(domain, number) {
  return {
    from: { email: `sender-${number % 50}@${domain}` },
    to: [{ email: 'ann@far.example' }],
    subject: 'Your order has shipped',
    text_body: 'It is on its way.\n'.repeat(200),
  };
}

/** @returns {Promise<number>} its port */
async function startInstance(root, env, lifetime) {
  const dataDir = mkdtempSync(join(tmpdir(), 'postroom-bench-'));
  const port = await freePort();
  const { child, ended } = await startApp(root, { ...env, DATA_DIR: dataDir }, port);
  lifetime.atEnd(async () => {
    child.kill('SIGTERM');
    await ended;
    rmSync(dataDir, { recursive: true, force: true });
  });
  return port;
}

/** Admins of their own, since each admin has a share of the reads. */
async function prepare(port, domains) {
  const key = await createKey(port);
  const ids = [];
  for (let number = 0; number < domains; number++) {
    ids.push((await call(apiOf(port), key, '/domains', { name: domainOf(number) })).id);
  }
  await call(apiOf(port), key, '/abuse/thresholds', { mailbox_hourly: 1_000_000, domain_hourly: 1_000_000 }, 'PATCH');
  const keys = [];
  for (let number = 0; number < CLIENTS; number++) {
    await sleep(SIGN_IN_PAUSE_MS);
    keys.push(await createAdminKey(port, key, ids));
  }
  return keys;
}

async function ask(client, key, path, body) {
  const headers = { authorization: `Bearer ${key}` };
  const { status } = await client(path, { method: body ? 'POST' : 'GET', headers, body });
  if (status !== 200) throw new Error(`${path} answered ${status}`);
}

/** @returns requests per second */
async function measure(clients, count, run) {
  let begun = 0;
  const startedAt = performance.now();
  const lane = async (request) => {
    while (begun < count) {
      begun += 1;
      await run(request, begun);
    }
  };
  await Promise.all(clients.map(lane));
  return count / ((performance.now() - startedAt) / 1000);
}
