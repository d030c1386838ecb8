import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { freePort } from '../../scripts/process/free-port.mjs';
import { expect, test, unique, url } from '../support/fixtures';
import { serverEnvironment } from '../support/server';

/** A second instance on the same database, as behind a load balancer. */
const root = fileURLToPath(new URL('../..', import.meta.url));
let second: ChildProcess;
let secondUrl: string;
let dataDir: string;

test.describe.configure({ mode: 'serial' });

test.beforeAll(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'postroom-second-'));
  const port = await freePort();
  secondUrl = `http://localhost:${port}`;
  const env = { ...serverEnvironment(), PORT: String(port), APP_URL: url(), DATA_DIR: dataDir };
  second = spawn(process.execPath, ['scripts/serve.mjs'], { cwd: root, env, stdio: 'ignore' });
  await expect(async () => {
    expect((await fetch(`${secondUrl}/api/v1/health`)).status).toBe(200);
  }).toPass({ timeout: 30_000 });
});

test.afterAll(async () => {
  const ended = new Promise((resolve) => second.once('exit', resolve));
  second.kill('SIGTERM');
  await ended;
  await rm(dataDir, { recursive: true, force: true });
});

const bases = () => [url(), secondUrl];

test('fifty identical calls to two instances send one message', async ({ api, domain }) => {
  const key = unique('key');
  const message = {
    from: { email: `a@${domain.name}` },
    to: [{ email: 'b@far.example' }],
    subject: key,
    text_body: 'x',
  };
  const headers = { authorization: `Bearer ${api.key}`, 'content-type': 'application/json', 'idempotency-key': key };
  const send = (i: number) =>
    fetch(`${bases()[i % 2]}/api/v1/send`, { method: 'POST', headers, body: JSON.stringify(message) });
  const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => send(i)));
  const statuses = answers.map((answer) => answer.status);
  expect(statuses.every((status) => status === 200 || status === 409)).toBe(true);
  expect(statuses).toContain(200);

  const client = new pg.Client(process.env.DATABASE_URL);
  await client.connect();
  const { rows } = await client.query('SELECT status FROM message WHERE subject = $1', [key]);
  await client.end();
  expect(rows).toHaveLength(1);
});

test("a key's limit is exact over both instances under concurrency", async ({ api }) => {
  const created = await api.call<{ key: string }>('POST', '/api-keys', { name: 'Limited', rate_limit: 60 });
  const headers = { authorization: `Bearer ${created.key}` };
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, i) => fetch(`${bases()[i % 2]}/api/v1/auth/me`, { headers })),
  );
  const count = (status: number) => answers.filter((answer) => answer.status === status).length;
  expect({ passed: count(200), refused: count(429) }).toEqual({ passed: 60, refused: 140 });
});

test("a child key counts against its parent's limit on every instance", async ({ api }) => {
  const parent = await api.call<{ key: string }>('POST', '/api-keys', { name: 'Parent', rate_limit: 20 });
  const made = await fetch(`${url()}/api/v1/api-keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${parent.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Child', rate_limit: 20 }),
  });
  const child = (await made.json()).data;
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, i) =>
      fetch(`${bases()[i % 2]}/api/v1/auth/me`, {
        headers: { authorization: `Bearer ${i < 20 ? parent.key : child.key}` },
      }),
    ),
  );
  // Creating the child used one of the twenty.
  expect(answers.filter((answer) => answer.status === 200)).toHaveLength(19);
});

test('a session from one instance is valid on the other', async ({ sessionCookie }) => {
  const headers = { cookie: `service_session=${sessionCookie}` };
  expect((await fetch(`${secondUrl}/api/v1/auth/me`, { headers })).status).toBe(200);
});
