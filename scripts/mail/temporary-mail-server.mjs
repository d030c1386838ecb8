// Runs the mail server of deploy/mail for tests, in a temporary folder and on free ports, supervised by a separate process.
// If the test run is killed, that process stops everything and removes the folder.
import { fork, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PlainError } from '../process/plain-error.mjs';
import { settingsFor } from './test-settings.mjs';

const self = fileURLToPath(import.meta.url);
const deploy = join(dirname(self), '..', '..', 'deploy', 'mail');

if (process.argv[1] === self) superviseMailServer();

/** @typedef {{ config: string, data: string, settings: Record<'APP_PASSWORD' | 'SUBMISSIONS_PORT', string> }} MailServer */

/**
 * @param {string} databaseUrl with the role mta_read
 * @param {Record<string, string>} [over] settings that differ; an empty one is left out
 * @param {string[]} [services] those that are started, instead of all
 * @returns {Promise<{ mailServer: MailServer, stop: () => Promise<void> }>} the folders and settings of the mail server
 */
export function startTemporaryMailServer(databaseUrl, over = {}, services = ['']) {
  const supervisor = fork(self, { detached: true, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const ended = new Promise((resolve) => supervisor.once('exit', resolve));
  const stop = () => {
    if (supervisor.connected) supervisor.disconnect();
    return ended;
  };
  supervisor.send({ databaseUrl, over, services });
  return new Promise((resolve, reject) => {
    supervisor.once('message', (/** @type {{ mailServer: MailServer }} */ { mailServer }) =>
      resolve({ mailServer, stop }),
    );
    supervisor.once('error', reject);
    supervisor.once('exit', () => reject(new PlainError('The mail server for the tests did not start.')));
  });
}

function superviseMailServer() {
  const folder = mkdtempSync(join(tmpdir(), 'postroom-mail-'));
  // Each service runs as its own user.
  chmodSync(folder, 0o755);
  const config = join(folder, 'config');
  let isStarted = false;
  const end = () => {
    if (isStarted) spawnSync(join(deploy, 'stack'), ['stop', config], { stdio: 'inherit' });
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    process.exit(0);
  };
  process.on('disconnect', end);
  process.once('message', async ({ databaseUrl, over, services }) => {
    try {
      const settings = { ...(await settingsFor(folder, databaseUrl)), ...over };
      const file = join(folder, 'settings');
      writeFileSync(
        file,
        Object.entries(settings)
          .filter(([, value]) => value !== '')
          .map((pair) => `${pair.join('=')}\n`)
          .join(''),
        { mode: 0o600 },
      );
      run(process.execPath, [join(deploy, 'configure.mjs'), file, config]);
      isStarted = true;
      for (const service of services) run(join(deploy, 'stack'), ['start', config, service]);
      process.send?.({ mailServer: { config, data: settings.DATA_DIR, settings } });
    } catch (error) {
      console.error(error.message);
      spawnSync('tail', ['-n', '20', ...logsIn(join(folder, 'data', 'log'))], { stdio: 'inherit' });
      end();
    }
  });
}

function logsIn(folder) {
  if (!existsSync(folder)) return ['/dev/null'];
  const paths = readdirSync(folder, { recursive: true }).map((path) => join(folder, path));
  return paths.filter((path) => statSync(path).isFile());
}

function run(command, args) {
  const { status } = spawnSync(command, args, { stdio: 'inherit' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed.`);
}
