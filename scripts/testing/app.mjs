// Runs the built app as a process, for the benchmark and the fault tests.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';

/** The first admin. */
export const ADMIN = { email: 'admin@trial.example', password: randomBytes(16).toString('hex') };
const JSON_BODY = { 'content-type': 'application/json' };
const HEALTHY_ATTEMPTS = 300;
const HEALTHY_PAUSE_MS = 100;

/** Settings shared by all instances on one database. */
export function appEnvironment(databaseUrl) {
  return {
    ...process.env,
    DATABASE_URL: databaseUrl,
    SECRET_KEY: randomBytes(32).toString('hex'),
    CRON_SECRET: randomBytes(32).toString('hex'),
    RATE_LIMIT_PER_MINUTE: '0',
    // Nobody answers there.
    DNS_SERVERS: '127.0.0.1:9',
    NETWORK_CHECKS: 'false',
    LOG_LEVEL: 'warn',
    ADMIN_EMAIL: ADMIN.email,
    ADMIN_PASSWORD: ADMIN.password,
  };
}

/** @returns the process, once it is healthy, and a promise of its end */
export async function startApp(root, env, port) {
  const script = join(root, 'scripts', 'serve.mjs');
  const child = spawn(process.execPath, [script], {
    cwd: root,
    env: { ...env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  await untilHealthy(child, apiOf(port));
  return { child, ended };
}

export function apiOf(port) {
  return `http://127.0.0.1:${port}/api/v1`;
}

/** An API key of a new domain_admin of these domains, without rate limit. @param key of the first admin */
export async function createAdminKey(port, key, domainIds) {
  const admin = {
    email: `admin-${randomBytes(4).toString('hex')}@trial.example`,
    password: randomBytes(16).toString('hex'),
  };
  await call(apiOf(port), key, '/admins', { ...admin, role: 'domain_admin', domain_ids: domainIds });
  return createKey(port, admin);
}

/** An API key of an admin, by default the first one, without rate limit. */
export async function createKey(port, admin = ADMIN) {
  const headers = { ...JSON_BODY, cookie: await signIn(port, admin), 'sec-fetch-site': 'same-origin' };
  const body = text({ name: 'trial', rate_limit: 0 });
  const created = await fetch(`${apiOf(port)}/api-keys`, { method: 'POST', headers, body });
  return (await created.json()).data.key;
}

/** @returns the Cookie header of a new session */
export async function signIn(port, admin = ADMIN) {
  const login = await fetch(`${apiOf(port)}/auth/login`, { method: 'POST', headers: JSON_BODY, body: text(admin) });
  return login.headers.get('set-cookie')?.split(';')[0] ?? '';
}

export async function call(api, key, path, body, method = body ? 'POST' : 'GET') {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const response = await fetch(`${api}${path}`, { method, headers, body: body && text(body) });
  const answer = await response.json();
  if (answer.error) throw new Error(`${path}: ${answer.error.code} ${answer.error.message}`);
  return answer.data;
}

function text(body) {
  return typeof body === 'string' ? body : JSON.stringify(body);
}

async function untilHealthy(child, api) {
  for (let attempt = 0; attempt < HEALTHY_ATTEMPTS && child.exitCode === null; attempt++) {
    const isHealthy = await fetch(`${api}/health`).then(
      (response) => response.ok,
      () => false,
    );
    if (isHealthy) return;
    await new Promise((resolve) => setTimeout(resolve, HEALTHY_PAUSE_MS));
  }
  throw new Error('the server did not become healthy');
}
