// The common part of `npm start` and `npm run demo`, after packages are installed and settings are read.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { PlainError } from '../process/plain-error.mjs';
import { build, generateClient, isBuildCurrent, isClientCurrent } from './build.mjs';
import { checkSettings, makeSecret } from './environment.mjs';
import { stopChild } from './run-tool.mjs';
import { step } from './step.mjs';

const DRAIN_TIMEOUT_MS = 28_000;

/**
 * @param {import('../process/lifetime.mjs').Lifetime} lifetime
 * @param {{
 *   root: string,
 *   isDev?: boolean,
 *   beforeBuild?: () => Promise<unknown>,
 *   fillDatabase?: () => Promise<unknown>,
 * }} options `beforeBuild` runs only if there is something to build or generate
 * @returns {Promise<{ url: string, port: number, wantedPort: number, setupLink: string | null }>} once it serves
 */
export async function startApp(lifetime, { root, isDev = false, beforeBuild, fillDatabase }) {
  const settings = await step('Checking the settings', checkSettings);
  process.env.DATA_DIR = settings.dataDir;
  process.env.SECRET_KEY ||= makeSecret(settings.dataDir, 'secret-key');
  process.env.CRON_SECRET ||= makeSecret(settings.dataDir, 'cron-secret');
  process.env.DATABASE_URL = await prepareDatabase(settings, lifetime);
  const isCurrent = isClientCurrent(root) && (isDev || isBuildCurrent(root));
  if (!isCurrent) await beforeBuild?.();
  if (!isClientCurrent(root)) await step('Generating the database client', () => generateClient(root));
  await updateDatabase(root, process.env.DATABASE_URL);
  await fillDatabase?.();
  if (!isDev && !isBuildCurrent(root)) await step('Building the console', () => build(root));

  console.log('Starting the server …');
  return { ...(await serve(lifetime, isDev)), wantedPort: settings.port };
}

async function prepareDatabase({ databaseUrl, dataDir }, lifetime) {
  if (databaseUrl) {
    const { checkDatabase } = await import('../postgres/database.mjs');
    await step('Connecting to the database', () => checkDatabase(databaseUrl));
    return databaseUrl;
  }
  const { startEmbeddedPostgres } = await import('../postgres/embedded-postgres.mjs');
  const postgres = await step('Starting the embedded Postgres', () =>
    startEmbeddedPostgres({ dataDir, database: 'postroom' }),
  );
  lifetime.atEnd(postgres.stop);
  await postgres.watch({
    isWanted: () => !lifetime.isEnding(),
    onRestart: (reason) => console.error(reason),
    onLost: (reason) => {
      console.error(reason);
      lifetime.end(1);
    },
  });
  if (!postgres.home.startsWith(dataDir)) {
    console.log(`The database is in ${postgres.home}, because its user has no access to ${dataDir}.`);
  }
  return postgres.url;
}

async function updateDatabase(root, url) {
  const { migrate } = await import('../postgres/database.mjs');
  await step('Migrating the database', () => migrate(root, url));
}

/** @returns {Promise<{ url: string, port: number, setupLink: string | null }>} */
function serve(lifetime, isDev) {
  const script = fileURLToPath(new URL('../serve.mjs', import.meta.url));
  const child = spawn(process.execPath, [script, ...(isDev ? ['--dev'] : [])], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    // Network folders of content and backups that hang hold up to four threads, which is all that there are by default.
    env: { NEXT_TELEMETRY_DISABLED: '1', UV_THREADPOOL_SIZE: '8', ...process.env },
  });
  lifetime.atEnd(() => stopChild(child, DRAIN_TIMEOUT_MS));
  return new Promise((ready, failed) => {
    child.once('message', ready);
    child.once('error', failed);
    child.once('exit', (code, signal) => {
      const problem = new PlainError(`The server stopped unexpectedly (${signal ?? `exit code ${code}`}).`);
      failed(problem);
      if (lifetime.isEnding()) return;
      console.error(problem.message);
      lifetime.end(1);
    });
  });
}
