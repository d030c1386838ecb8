import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { migrate } from '../../scripts/postgres/database.mjs';
import { freePort } from '../../scripts/process/free-port.mjs';
import { testCertificate } from '../../src/test/servers/https-receiver';
import { startProviders } from '../sign-in/oidc/providers';
import { startZones } from './dns';

const root = fileURLToPath(new URL('../..', import.meta.url));
const SETUP_LINK = /(http:\S+\/setup\?token=\S+)/;
const START_TIMEOUT_MS = 60_000;
/** Files are kept in memory where that is possible, so that a rather full disk of this machine raises no alert in the tests. */
const MEMORY = '/dev/shm';

/** Serves the production build on its own database. Specs read the E2E_ variables set below. */
export default async function startServer(): Promise<() => Promise<void>> {
  const adminUrl = process.env.TEST_DATABASE_URL;
  if (!adminUrl) throw new Error('TEST_DATABASE_URL is not set: run the browser tests with "npm test -- e2e".');
  const name = `postroom_e2e_${randomBytes(6).toString('hex')}`;
  await administer(adminUrl, `CREATE DATABASE ${name}`);
  const databaseUrl = Object.assign(new URL(adminUrl), { pathname: `/${name}` }).href;
  const dataDir = await mkdtemp(path.join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'postroom-e2e-'));
  const port = await freePort();
  const certificate = await testCertificate();
  const trusted = path.join(dataDir, 'trusted.pem');
  await writeFile(trusted, certificate.ca);
  const dns = await startZones(path.join(dataDir, 'zones'));
  const providers = await startProviders(`http://localhost:${port}`);
  const env = {
    ...process.env,
    DATABASE_URL: databaseUrl,
    DATA_DIR: dataDir,
    PORT: String(port),
    APP_URL: `http://localhost:${port}`,
    SECRET_KEY: randomBytes(32).toString('hex'),
    SMTP_URL: '',
    LOG_LEVEL: 'warn',
    ADMIN_EMAIL: '',
    ADMIN_PASSWORD: '',
    OIDC_PROVIDERS: JSON.stringify(providers.listed),
    TRUSTED_PROXIES: '127.0.0.1,::1',
    WEBHOOK_ALLOW_PRIVATE_NETWORKS: 'true',
    NETWORK_CHECKS: 'false',
    DNS_SERVERS: `127.0.0.1:${dns.port}`,
    MAIL_HOST: 'mail.harbourfinch.example',
    NODE_EXTRA_CA_CERTS: trusted,
  };
  await migrate(root, databaseUrl);
  const server = spawn(process.execPath, ['scripts/serve.mjs'], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  process.env.E2E_SETUP_LINK = await untilReady(server);
  process.env.E2E_URL = env.APP_URL;
  process.env.DATABASE_URL = databaseUrl;
  process.env.E2E_SPOOL = path.join(dataDir, 'sandbox');
  process.env.E2E_ZONES = dns.folder;
  // Read by the functions of the app that specs call.
  process.env.SECRET_KEY = env.SECRET_KEY;
  process.env.E2E_CERTIFICATE = JSON.stringify(certificate);
  process.env.E2E_OIDC_PROVIDERS = env.OIDC_PROVIDERS;

  return async () => {
    const ended = new Promise((resolve) => server.once('exit', resolve));
    server.kill('SIGTERM');
    await ended;
    await providers.close();
    await dns.stop();
    await administer(adminUrl, `DROP DATABASE ${name} WITH (FORCE)`);
    await rm(dataDir, { recursive: true, force: true });
  };
}

/** Settings that a second instance on the same database shares with the first. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  return { ...process.env, SMTP_URL: '', LOG_LEVEL: 'warn' };
}

function untilReady(server: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    const fail = (why: string) => reject(new Error(`The server ${why}. It said:\n${output}`));
    const timer = setTimeout(() => fail('did not start in time'), START_TIMEOUT_MS);
    const read = (chunk: Buffer) => {
      output += chunk;
      const link = SETUP_LINK.exec(output)?.[1];
      if (!link) return;
      clearTimeout(timer);
      for (const stream of [server.stdout, server.stderr]) stream?.off('data', read).resume();
      resolve(link);
    };
    server.stdout?.on('data', read);
    server.stderr?.on('data', read);
    server.once('exit', (code) => fail(`stopped with code ${code}`));
  });
}

async function administer(url: string, statement: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(statement);
  await client.end();
}
