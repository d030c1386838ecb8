import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from '../../process/free-port.mjs';
import { apiOf, appEnvironment, createKey, signIn, startApp } from '../../testing/app.mjs';
import { callsOf } from './calls.mjs';
import { openSeeded } from './database.mjs';

const SMALL = 10_000;
const ROUNDS = 15;
const SLOW_ROUNDS = 5;
const SLOW_MS = 500;
const WARM_UP = 3;
const DEPTH_SHARE = 0.1;
const PAGE = 200;

/**
 * Median milliseconds of calls with 10,000 and with `large` messages, from one server each. Rounds alternate between the
 * two, so that a busy machine slows both.
 * @param {string} root
 * @param {{ dir: string, large: number, only?: string, onResult: (result: { name: string, small: number, large: number }) => void }} options
 */
export async function compareScale(root, { dir, large, only, onResult }, lifetime) {
  const { settings, urls } = await openSeeded(root, dir, [SMALL, large], lifetime);
  const sides = [];
  for (const [index, url] of urls.entries()) {
    const server = await startServer(root, { url, settings, dataDir: join(dir, `app-${index}`) }, lifetime);
    const facts = { newest: await newestOf(url), deepCursor: await deepCursorOf(server, url) };
    sides.push({ server, calls: callsOf(facts) });
  }
  const [small, big] = sides;
  for (const [index, { name }] of small.calls.entries()) {
    if (only && !name.includes(only)) continue;
    const times = await alternate([
      () => run(small.server, small.calls[index]),
      () => run(big.server, big.calls[index]),
    ]);
    onResult({ name, small: median(times[0]), large: median(times[1]) });
  }
}

async function startServer(root, { url, settings, dataDir }, lifetime) {
  mkdirSync(dataDir, { recursive: true });
  const port = await freePort();
  const env = { ...appEnvironment(url), ...settings, MESSAGE_RETENTION_DAYS: '0', DATA_DIR: dataDir };
  const { child, ended } = await startApp(root, env, port);
  lifetime.atEnd(() => {
    child.kill('SIGTERM');
    return ended;
  });
  const admin = { email: settings.ADMIN_EMAIL, password: settings.ADMIN_PASSWORD };
  return { port, key: await createKey(port, admin), cookie: await signIn(port, admin) };
}

/** @returns milliseconds of one call */
async function run({ port, key, cookie }, { path, procedure, input }) {
  const console = `http://127.0.0.1:${port}/api/trpc/${procedure}?input=${encodeURIComponent(JSON.stringify(input))}`;
  const startedAt = performance.now();
  const response = procedure
    ? await fetch(console, { headers: { cookie, 'sec-fetch-site': 'same-origin' } })
    : await fetch(`${apiOf(port)}${path}`, { headers: { authorization: `Bearer ${key}` } });
  const text = await response.text();
  // 503: the query took longer than its connection allows.
  if (response.status !== 200 && response.status !== 503)
    throw new Error(`${procedure ?? path}: ${response.status} ${text}`);
  return performance.now() - startedAt;
}

async function alternate(runs) {
  const times = runs.map(() => []);
  let isSlow = false;
  for (let round = -WARM_UP; round < (isSlow ? SLOW_ROUNDS : ROUNDS); round++) {
    // Each is first in every other round, because the pause before it slows the first.
    for (const [index, measure] of round % 2 ? [...runs.entries()].reverse() : runs.entries()) {
      const ms = await measure();
      if (round >= 0) times[index].push(ms);
      else isSlow = ms > SLOW_MS;
    }
  }
  return times;
}

function median(times) {
  return times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)];
}

async function newestOf(url) {
  const db = new pg.Client(url);
  await db.connect();
  const { rows } = await db.query('SELECT max(created_at) AS newest FROM message');
  await db.end();
  return rows[0].newest;
}

/** The cursor after a tenth of all messages, as a client gets it: page by page. */
async function deepCursorOf({ port, key }, url) {
  const count = Number(/messages_(\d+)/.exec(url)?.[1]);
  let cursor = '';
  for (let read = 0; read < count * DEPTH_SHARE; read += PAGE) {
    const query = `limit=${PAGE}${cursor && `&cursor=${cursor}`}`;
    const response = await fetch(`${apiOf(port)}/messages?${query}`, { headers: { authorization: `Bearer ${key}` } });
    cursor = (await response.json()).meta.pagination.next_cursor;
  }
  return cursor;
}
