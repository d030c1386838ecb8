// Runs a Postgres for tests in a process of its own, which stops the server and removes its files even after a killed
// test run. TEST_POSTGRES=15 runs that version of Debian's instead of the one in node_modules.
import { fork } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isPlain, PlainError } from '../process/plain-error.mjs';

/** The folder whose files Linux keeps in memory. */
const IN_MEMORY = '/dev/shm';
const GB = 1024 ** 3;

const self = fileURLToPath(import.meta.url);
const version = process.env.TEST_POSTGRES;

if (process.argv[1] === self) await keepPostgres();

/** @typedef {{ adminUrl: string, stop: () => Promise<void> }} TemporaryPostgres */

/**
 * @param {{ isDurable?: boolean }} options Tests don't need what they wrote after a crash, and are faster without.
 * @returns {Promise<TemporaryPostgres>}
 */
export async function startTemporaryPostgres({ isDurable = false } = {}) {
  const { adminUrl, stop } = await startKeeper({ isDurable });
  return { adminUrl, stop };
}

/**
 * A streaming replica, which can be killed and started again.
 * @param {string} primaryUrl of the superuser of a running Postgres
 * @param {{ isDurable?: boolean }} options
 * @returns {Promise<TemporaryPostgres & { kill: () => Promise<void>, start: () => Promise<void> }>}
 */
export async function startTemporaryReplica(primaryUrl, { isDurable = false } = {}) {
  const { keeper, adminUrl, stop } = await startKeeper({ primaryUrl, isDurable });
  const order = (name) => {
    const done = new Promise((resolve) => keeper.once('message', () => resolve(undefined)));
    keeper.send(name);
    return done;
  };
  return { adminUrl, stop, kill: () => order('kill'), start: () => order('start') };
}

/** @returns {Promise<TemporaryPostgres & { keeper: import('node:child_process').ChildProcess }>} */
function startKeeper(options) {
  const keeper = fork(self, [JSON.stringify(options)], {
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const ended = new Promise((resolve) => keeper.once('exit', resolve));
  const stop = () => {
    if (keeper.connected) keeper.disconnect();
    return ended;
  };
  return new Promise((resolve, reject) => {
    keeper.once('message', (/** @type {{ adminUrl: string }} */ { adminUrl }) => resolve({ keeper, adminUrl, stop }));
    keeper.once('error', reject);
    keeper.once('exit', () => reject(new PlainError('The Postgres for the tests did not start.')));
  });
}

async function keepPostgres() {
  const { primaryUrl, isDurable } = JSON.parse(process.argv[2] ?? '{}');
  const dataDir = mkdtempSync(join(isDurable || !hasMemory() ? tmpdir() : IN_MEMORY, 'postroom-test-'));
  // Postgres runs as another user if the tests run as root.
  chmodSync(dataDir, 0o755);
  let postgres;
  const end = () => {
    postgres?.stop();
    rmSync(dataDir, { recursive: true, force: true });
    process.exit(0);
  };
  process.on('disconnect', end);
  try {
    postgres = primaryUrl ? await keepReplica(dataDir, primaryUrl, isDurable) : await startPrimary(dataDir, isDurable);
    process.send?.({ adminUrl: postgres.adminUrl });
  } catch (error) {
    console.error(isPlain(error) ? error.message : error);
    end();
  }
}

/**
 * Tells whether the databases of all tests fit in memory. Each test file makes one, of 800 files, and a disk takes several times the
 * work for that.
 */
function hasMemory() {
  if (!existsSync(IN_MEMORY)) return false;
  const { bavail, bsize } = statfsSync(IN_MEMORY);
  return bavail * bsize >= 4 * GB && process.availableMemory() >= 8 * GB;
}

async function startPrimary(dataDir, isDurable) {
  const { startEmbeddedPostgres } = await import('./embedded-postgres.mjs');
  return startEmbeddedPostgres({ dataDir, database: 'postroom', isDurable, version });
}

async function keepReplica(dataDir, primaryUrl, isDurable) {
  const { startReplica } = await import('./replica.mjs');
  const { adminUrl, kill, start } = await startReplica({ dataDir, primaryUrl, isDurable, version });
  process.on('message', (order) => {
    if (order === 'kill') kill();
    else start();
    process.send?.({});
  });
  return { adminUrl, stop: kill };
}
