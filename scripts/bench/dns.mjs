import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import dnsPacket from 'dns-packet';
import pg from 'pg';
import { latencyUntil } from './latency.mjs';
import { startBenchServer } from './server.mjs';

const DOMAINS = 1_000;
// Long enough to see the stalls of a busy machine too.
const IDLE_MS = 60_000;
const HOST = 'mail.bench.example';
const ANSWERS = {
  A: '192.0.2.1',
  MX: { preference: 10, exchange: HOST },
  TXT: ['v=spf1 mx -all'],
  PTR: HOST,
};

const NOTHING = { name: '', type: 'A' };

if (!isMainThread) await serveDns();

/**
 * Latency of a list while the DNS of 1,000 domains is checked, against the same server at rest.
 * @returns {Promise<{ idle: import('./latency.mjs').Latency, during: import('./latency.mjs').Latency, seconds: number, domains: number }>}
 */
export async function compareDnsChecks(root, dataDir, lifetime) {
  const dns = new Worker(new URL(import.meta.url));
  lifetime.atEnd(() => dns.terminate());
  const [port] = await once(dns, 'message');
  const server = await startBenchServer(root, dataDir, lifetime, { DNS_SERVERS: `127.0.0.1:${port}`, MAIL_HOST: HOST });
  const db = new pg.Client(server.databaseUrl);
  await db.connect();
  await db.query(
    `INSERT INTO domain (id, name, updated_at, next_dns_check_at)
     SELECT uuid_v7(), 'd' || n || '.bench.example', now(), now() + interval '1 day' FROM generate_series(1, $1) AS n`,
    [DOMAINS],
  );
  await latencyUntil(() => ask(server), sleep(2_000));
  const idle = await latencyUntil(() => ask(server), sleep(IDLE_MS));
  await db.query(`UPDATE domain SET next_dns_check_at = now()`);
  const checked = async () =>
    Number((await db.query('SELECT count(*) FROM domain WHERE dns_checked_at IS NOT NULL')).rows[0].count);
  const before = await checked();
  while ((await checked()) === before) await sleep(200);
  const startedAt = performance.now();
  const during = await latencyUntil(
    () => ask(server),
    until(async () => (await checked()) >= DOMAINS),
  );
  await db.end();
  return { idle, during, seconds: (performance.now() - startedAt) / 1000, domains: DOMAINS };
}

async function until(isDone) {
  while (!(await isDone())) await sleep(200);
}

async function ask({ api, key }) {
  const response = await fetch(`${api}/domains?limit=50`, { headers: { Authorization: `Bearer ${key}` } });
  await response.arrayBuffer();
  if (response.status !== 200) throw new Error(`GET /domains answered ${response.status}`);
}

/** A resolver that has the same records for every name. */
async function serveDns() {
  const socket = createSocket('udp4');
  socket.on('message', (bytes, { port, address }) => {
    const { id, questions = [] } = dnsPacket.decode(bytes);
    const [{ name, type } = NOTHING] = questions;
    const data = ANSWERS[type];
    /** @type {any[]} */
    const answers = data === undefined ? [] : [{ type, name, ttl: 300, data }];
    const flags = dnsPacket.RECURSION_AVAILABLE;
    socket.send(dnsPacket.encode({ type: 'response', id, flags, questions, answers }), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  parentPort?.postMessage(socket.address().port);
}
