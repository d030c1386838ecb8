// `npm run build`: everything that `npm start` prepares without a database, so that it only has to serve: for container
// images and for services that can't write to the program's folder.
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommand } from './process/lifetime.mjs';
import { build, generateClient, isBuildCurrent, isClientCurrent } from './steps/build.mjs';
import { checkNodeVersion, installMissing } from './steps/install.mjs';
import { requireUnlocked, takeLock } from './steps/lock.mjs';
import { step } from './steps/step.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

await runCommand(prepare, { exitCodeWhenStopped: 1 });

async function prepare() {
  checkNodeVersion();
  process.chdir(root);
  await takeLock('build', root, 'This folder');
  // The demo may be serving what a build would replace.
  if (!isClientCurrent(root) || !isBuildCurrent(root)) await requireUnlocked('demo', root, 'This folder');
  await installMissing(root);
  if (!isClientCurrent(root)) await step('Generating the database client', () => generateClient(root));
  if (!isBuildCurrent(root)) await step('Building the console', () => build(root));
  return 0;
}
