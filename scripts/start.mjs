// `npm start` and, with --dev, `npm run dev`: from a fresh clone to a running Postroom. Until the packages are
// installed only what Node itself brings can be imported, so some imports come later.
import { spawn } from 'node:child_process';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommand } from './process/lifetime.mjs';
import { PlainError } from './process/plain-error.mjs';
import { build, generateClient, isBuildCurrent, isClientCurrent } from './steps/build.mjs';
import { checkSettings, makeSecret, readEnvFile } from './steps/environment.mjs';
import { checkNodeVersion, install, isInstalled } from './steps/install.mjs';
import { takeLock } from './steps/lock.mjs';
import { stopChild } from './steps/run-tool.mjs';
import { secondsSince, step } from './steps/step.mjs';

const DRAIN_TIMEOUT_MS = 28_000;
/** Apart from the data of `npm start`, so that both can run at once. */
const DEV_DATA_DIR = '.data-dev';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const isDev = process.argv.includes('--dev');
const startedAt = Date.now();

await runCommand(start, { exitCodeWhenStopped: 0 });

/** @param {import('./process/lifetime.mjs').Lifetime} lifetime */
async function start(lifetime) {
  checkNodeVersion();
  process.chdir(root);
  readEnvFile(root);
  if (isDev) process.env.DATA_DIR ||= DEV_DATA_DIR;
  if (!isDev) await takeLock(`build ${root}`, 'This folder');
  await takeLock(`data ${resolve(process.env.DATA_DIR || '.data')}`, 'The data folder');

  if (!isInstalled(root)) await step('Installing the packages', () => install(root));
  const settings = await step('Checking the settings', checkSettings);
  process.env.DATA_DIR = settings.dataDir;
  process.env.SECRET_KEY ||= makeSecret(settings.dataDir, 'secret-key');
  process.env.CRON_SECRET ||= makeSecret(settings.dataDir, 'cron-secret');
  process.env.DATABASE_URL = await prepareDatabase(settings, lifetime);
  if (!isClientCurrent(root)) await step('Generating the database client', () => generateClient(root));
  await updateDatabase(process.env.DATABASE_URL);
  if (!isDev && !isBuildCurrent(root)) await step('Building the console', () => build(root));

  console.log('Starting the server …');
  const { url, port } = await serve(lifetime);
  if (port !== settings.port) console.log(`Port ${settings.port} is in use, so Postroom listens on ${port}.`);
  const { warningAbout } = await import('../src/server/settings/settings.mjs');
  const warning = warningAbout({ appUrl: url });
  if (warning) console.log(`Warning: ${warning}`);
  console.log(`Postroom is ready at ${url} after ${secondsSince(startedAt)}. Ctrl-C stops it.`);
}

async function prepareDatabase({ databaseUrl, dataDir }, lifetime) {
  if (databaseUrl) {
    const { checkDatabase } = await import('./postgres/database.mjs');
    await step('Connecting to the database', () => checkDatabase(databaseUrl));
    return databaseUrl;
  }
  const { startEmbeddedPostgres } = await import('./postgres/embedded-postgres.mjs');
  const postgres = await step('Starting the embedded Postgres', () =>
    startEmbeddedPostgres({ dataDir, database: 'postroom' }),
  );
  lifetime.atEnd(postgres.stop);
  await postgres.watch((reason) => {
    if (lifetime.isEnding()) return;
    console.error(reason);
    lifetime.end(1);
  });
  if (!postgres.home.startsWith(dataDir)) {
    console.log(`The database is kept in ${postgres.home}, because its user may not enter ${dataDir}.`);
  }
  return postgres.url;
}

async function updateDatabase(url) {
  const { migrate } = await import('./postgres/database.mjs');
  await step('Bringing the database up to date', () => migrate(root, url));
}

/** @returns {Promise<{ url: string, port: number }>} */
function serve(lifetime) {
  const script = fileURLToPath(new URL('serve.mjs', import.meta.url));
  const child = spawn(process.execPath, [script, ...(isDev ? ['--dev'] : [])], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { NEXT_TELEMETRY_DISABLED: '1', ...process.env },
  });
  lifetime.atEnd(() => stopChild(child, DRAIN_TIMEOUT_MS));
  return new Promise((ready, failed) => {
    child.once('message', ready);
    child.once('error', failed);
    child.once('exit', (code, signal) => {
      const problem = new PlainError(`The server stopped by itself (${signal ?? `exit code ${code}`}).`);
      failed(problem);
      if (lifetime.isEnding()) return;
      console.error(problem.message);
      lifetime.end(1);
    });
  });
}
