// Runs a Postgres for tests in a process of its own, which stops the server and removes its files even after a killed
// test run.
import { fork } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isPlain, PlainError } from '../process/plain-error.mjs';

const self = fileURLToPath(import.meta.url);

if (process.argv[1] === self) await keepPostgres();

/** @returns {Promise<{ adminUrl: string, stop: () => Promise<void> }>} */
export function startTemporaryPostgres() {
  const keeper = fork(self, { detached: true, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const ended = new Promise((resolve) => keeper.once('exit', resolve));
  const stop = () => {
    if (keeper.connected) keeper.disconnect();
    return ended;
  };
  return new Promise((resolve, reject) => {
    keeper.once('message', (/** @type {{ adminUrl: string }} */ { adminUrl }) => resolve({ adminUrl, stop }));
    keeper.once('error', reject);
    keeper.once('exit', () => reject(new PlainError('The Postgres for the tests did not start.')));
  });
}

async function keepPostgres() {
  const dataDir = mkdtempSync(join(tmpdir(), 'postroom-test-'));
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
    const { startEmbeddedPostgres } = await import('./embedded-postgres.mjs');
    postgres = await startEmbeddedPostgres({ dataDir, database: 'postroom', isDurable: false });
    process.send?.({ adminUrl: postgres.adminUrl });
  } catch (error) {
    console.error(isPlain(error) ? error.message : error);
    end();
  }
}
