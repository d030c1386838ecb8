// `npm run demo`: Postroom with thirty days of sample data of a hosting provider. It has its own data folder and connects
// to nothing outside this machine. `npm run demo -- --reset` starts over.
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startDemoAgent } from './demo/demo-agent.mjs';
import { dataDirOf, readAccess, reset, seed } from './demo/demo-data.mjs';
import { applyDemoEnvironment } from './demo/demo-environment.mjs';
import { describe } from './demo/description.mjs';
import { runCommand } from './process/lifetime.mjs';
import { checkNodeVersion, installMissing, isInstalled } from './steps/install.mjs';
import { requireUnlocked, takeLock } from './steps/lock.mjs';
import { startApp } from './steps/start-app.mjs';
import { step } from './steps/step.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const isReset = process.argv.includes('--reset');

await runCommand(start, { exitCodeWhenStopped: 0 });

/** @param {import('./process/lifetime.mjs').Lifetime} lifetime */
async function start(lifetime) {
  checkNodeVersion();
  process.chdir(root);
  const dataDir = dataDirOf(root);
  await takeLock('demo', root, 'The demo');
  await takeLock('data', dataDir, 'The data folder of the demo');
  // `npm start` may be serving files that an installation or a build would replace.
  const requireFree = () => requireUnlocked('build', root, 'This folder');
  if (!isInstalled(root)) await requireFree();
  await installMissing(root);
  await applyDemoEnvironment({ root, dataDir });
  if (isReset) await step('Deleting the data of the demo', () => reset(dataDir));
  const { url } = await startApp(lifetime, {
    root,
    beforeBuild: requireFree,
    fillDatabase: async () => readAccess(dataDir) ?? step('Seeding the demo', () => seed(root)),
  });
  await startDemoAgent(lifetime, root);
  console.log(describe({ url, .../** @type {import('./demo/demo-data.mjs').Access} */ (readAccess(dataDir)) }));
}
