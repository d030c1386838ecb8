// `npm run test:containers`: the images are built from a clean checkout, and deploy/containers/compose.yaml starts them with podman, in a
// network of their own, until mail has gone in and out. Needs root on Debian.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { prepareEngine, STORAGE } from './containers/engine.mjs';
import { buildImages, makeImagesOfOthers } from './containers/images.mjs';
import { runCommand } from './process/lifetime.mjs';
import { PlainError } from './process/plain-error.mjs';
import { checkNodeVersion, installMissing } from './steps/install.mjs';
import { takeLock } from './steps/lock.mjs';
import { step } from './steps/step.mjs';
import { isDebianAsRoot } from './testing/debian.mjs';
import { run } from './testing/debian-root.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
process.chdir(root);
await runCommand(testContainers, { exitCodeWhenStopped: 130 });

/** @param {import('./process/lifetime.mjs').Lifetime} lifetime */
async function testContainers(lifetime) {
  if (!isDebianAsRoot()) throw new PlainError('This test needs root on Debian.');
  checkNodeVersion();
  await installMissing(root, { withDev: true });
  await takeLock('containers', STORAGE, "The tests' storage of images");
  const folder = mkdtempSync(join(tmpdir(), 'postroom-containers-'));
  lifetime.atEnd(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  Object.assign(process.env, prepareEngine(folder));
  const checkout = join(folder, 'postroom');
  run('git', ['clone', '--quiet', root, checkout]);
  await step('Making the images of Debian, Node.js, Postgres and Caddy', () => makeImagesOfOthers(folder));
  await step('Building the images', () => buildImages(checkout));
  // Whatever still runs ends with the namespace, however this command ends.
  const namespaces = ['--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc'];
  const args = [...namespaces, process.execPath, 'scripts/containers/run-tests.mjs', folder, checkout];
  const child = spawn('unshare', args, { stdio: 'inherit' });
  const ended = once(child, 'exit');
  lifetime.atEnd(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const [code] = await ended;
  return code ?? 1;
}
