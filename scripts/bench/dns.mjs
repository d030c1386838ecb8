import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import dnsPacket from 'dns-packet';
import pg from 'pg';
import { startBenchServer } from './server.mjs';

const DOMAINS = 1_000;
const REQUESTS_PER_SECOND = 50;
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
 * @returns {Promise<{ idle: Latency, during: Latency, seconds: number, domains: number }>}
 * @typedef {{ median: number, p99: number, count: number }} Latency
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
  await latencyUntil(server, sleep(2_000));
  const idle = await latencyUntil(server, sleep(IDLE_MS));
  await db.query(`UPDATE domain SET next_dns_check_at = now()`);
  const checked = async () =>
    Number((await db.query('SELECT count(*) FROM domain WHERE dns_checked_at IS NOT NULL')).rows[0].count);
  const before = await checked();
  while ((await checked()) === before) await sleep(200);
  const startedAt = performance.now();
  const during = await latencyUntil(
    server,
    until(async () => (await checked()) >= DOMAINS),
  );
  await db.end();
  return { idle, during, seconds: (performance.now() - startedAt) / 1000, domains: DOMAINS };
}

async function until(isDone) {
  while (!(await isDone())) await sleep(200);
}

/** Requests at a fixed rate, so that a slow answer doesn't slow the questions down. */
async function latencyUntil({ api, key }, done) {
  let isDone = false;
  const settled = done.finally(() => {
    isDone = true;
  });
  const times = [];
  const failures = [];
  const running = new Set();
  while (!isDone) {
    const request = ask(api, key)
      .then((ms) => times.push(ms))
      .catch((error) => failures.push(error))
      .finally(() => running.delete(request));
    running.add(request);
    await sleep(1000 / REQUESTS_PER_SECOND);
  }
  await Promise.all([settled, ...running]);
  if (failures.length > 0) throw failures[0];
  times.sort((one, other) => one - other);
  const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))];
  return { median: at(0.5), p99: at(0.99), count: times.length };
}

async function ask(api, key) {
  const startedAt = performance.now();
  const response = await fetch(`${api}/domains?limit=50`, { headers: { Authorization: `Bearer ${key}` } });
  await response.arrayBuffer();
  if (response.status !== 200) throw new Error(`GET /domains answered ${response.status}`);
  return performance.now() - startedAt;
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
