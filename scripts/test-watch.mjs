// `npm run test:watch -- aliases`: the unit tests whose path contains "aliases", again after every change.
import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommand } from './process/lifetime.mjs';
import { generateClient, isClientCurrent } from './steps/build.mjs';
import { checkNodeVersion, installMissing } from './steps/install.mjs';
import { stopChild, toolPath } from './steps/run-tool.mjs';
import { step } from './steps/step.mjs';
import { startTestDatabase, testEnvironment } from './testing/test-environment.mjs';
import { prepareRedisServer } from './testing/test-programs.mjs';

const STOP_TIMEOUT_MS = 3_000;

const root = dirname(dirname(fileURLToPath(import.meta.url)));

await runCommand(watch, { exitCodeWhenStopped: 0 });

/** @param {import('./process/lifetime.mjs').Lifetime} lifetime */
async function watch(lifetime) {
  checkNodeVersion();
  process.chdir(root);
  await installMissing(root, { withDev: true });
  if (!isClientCurrent(root)) await step('Generating the database client', () => generateClient(root));
  prepareRedisServer();
  const adminUrl = await startTestDatabase(lifetime);
  const child = spawn(process.execPath, [toolPath(root, 'vitest'), 'watch', ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: /** @type {any} */ ({ ...(await testEnvironment()), TEST_DATABASE_URL: adminUrl }),
  });
  lifetime.atEnd(() => stopChild(child, STOP_TIMEOUT_MS));
  return new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 0)));
}
