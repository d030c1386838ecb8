// `npm start` and, with --dev, `npm run dev`: from a fresh clone to a running Postroom. Until packages are installed, only
// Node's built-in modules can be imported, so some imports come later.
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommand } from './process/lifetime.mjs';
import { describeListening, describeSetup } from './process/listen.mjs';
import { readEnvFile } from './steps/environment.mjs';
import { checkNodeVersion, installMissing } from './steps/install.mjs';
import { requireUnlocked, takeLock } from './steps/lock.mjs';
import { startApp } from './steps/start-app.mjs';
import { secondsSince } from './steps/step.mjs';

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
  if (!isDev) await takeLock('build', root, 'This folder');
  await takeLock('data', resolve(process.env.DATA_DIR || '.data'), 'The data folder');

  await installMissing(root);
  // The demo may be serving the build that this would replace.
  const beforeBuild = () => requireUnlocked('demo', root, 'This folder');
  const { url, port, wantedPort, setupLink } = await startApp(lifetime, { root, isDev, beforeBuild });
  if (port !== wantedPort) console.log(`Port ${wantedPort} is in use, so Postroom listens on ${port}.`);
  const { readSettings, warningAbout } = await import('../src/server/settings/settings.mjs');
  const warning = warningAbout({ appUrl: url });
  if (warning) console.log(`Warning: ${warning}`);
  console.log(describeListening(readSettings(process.env), port));
  console.log(`Postroom is ready at ${url} after ${secondsSince(startedAt)}. Press Ctrl+C to stop it.`);
  if (setupLink) console.log(describeSetup(setupLink));
}
