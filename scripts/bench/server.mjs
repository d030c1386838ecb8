import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { listen } from '../http/listen.mjs';
import { migrate } from '../postgres/database.mjs';
import { startTemporaryPostgres } from '../postgres/temporary-postgres.mjs';

const ADMIN = { email: 'bench@bench.example', password: randomBytes(16).toString('hex') };
const DOMAIN = 'bench.example';

/**
 * A server with an admin, a key without a limit, and a domain.
 * @returns {Promise<{ api: string, key: string, domain: string, memoryBytes: () => number }>}
 */
export async function startBenchServer(root, dataDir, lifetime) {
  const postgres = await startTemporaryPostgres();
  lifetime.atEnd(postgres.stop);
  await migrate(root, postgres.adminUrl);
  const port = await freePort();
  const api = `http://127.0.0.1:${port}/api/v1`;
  const env = {
    ...process.env,
    DATABASE_URL: postgres.adminUrl,
    DATA_DIR: dataDir,
    SECRET_KEY: randomBytes(32).toString('hex'),
    PORT: String(port),
    RATE_LIMIT_PER_MINUTE: '0',
    LOG_LEVEL: 'warn',
    ADMIN_EMAIL: ADMIN.email,
    ADMIN_PASSWORD: ADMIN.password,
  };
  const server = spawn(process.execPath, [join(root, 'scripts', 'serve.mjs')], { cwd: root, env, stdio: 'ignore' });
  const ended = new Promise((resolve) => server.once('exit', resolve));
  lifetime.atEnd(() => {
    server.kill('SIGTERM');
    return ended;
  });
  await untilHealthy(api);
  const key = await createKey(api, port);
  await call(api, key, '/domains', { name: DOMAIN });
  await call(api, key, '/abuse/thresholds', { mailbox_hourly: 1_000_000, domain_hourly: 1_000_000 }, 'PATCH');
  return { api, key, domain: DOMAIN, memoryBytes: () => residentBytes(server.pid) };
}

export async function call(api, key, path, body, method = body ? 'POST' : 'GET') {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const response = await fetch(`${api}${path}`, { method, headers, body: body && text(body) });
  const answer = await response.json();
  if (answer.error) throw new Error(`${path}: ${answer.error.code} ${answer.error.message}`);
  return answer.data;
}

async function createKey(api, port) {
  const json = { 'content-type': 'application/json' };
  const login = await fetch(`${api}/auth/login`, { method: 'POST', headers: json, body: text(ADMIN) });
  const cookie = login.headers.get('set-cookie').split(';')[0];
  const headers = { ...json, cookie, origin: `http://localhost:${port}` };
  const body = text({ name: 'bench', rate_limit: 0 });
  const created = await fetch(`${api}/api-keys`, { method: 'POST', headers, body });
  return (await created.json()).data.key;
}

function text(body) {
  return typeof body === 'string' ? body : JSON.stringify(body);
}

async function untilHealthy(api) {
  for (let attempt = 0; attempt < 200; attempt++) {
    const isHealthy = await fetch(`${api}/health`).then(
      (response) => response.ok,
      () => false,
    );
    if (isHealthy) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('the server did not become healthy');
}

async function freePort() {
  const server = createServer();
  const port = await listen(server, { port: 20_000, isExplicit: false });
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Linux only; elsewhere 0. */
function residentBytes(pid) {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
  } catch {
    return 0;
  }
}
