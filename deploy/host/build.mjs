import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isBuildCurrent, isClientCurrent } from '../../scripts/steps/build.mjs';
import { isInstalled } from '../../scripts/steps/install.mjs';
import { run, show } from './commands.mjs';
import { replaceFile } from './files.mjs';
import { copyRelease, isCopied, makeReadable } from './releases.mjs';

/** A release has this file until its build is on the disk: the boot of the host in which the build began. */
const BUILDING = '.building';
const BUILT = ['node_modules', '.next', 'src/server/prisma'];

export function isBuilt(root) {
  return !existsSync(join(root, BUILDING)) && isInstalled(root) && isClientCurrent(root) && isBuildCurrent(root);
}

/** Copies the program, and builds it. */
export function buildApp(host) {
  if (!isCopied(host)) copyRelease(host);
  // The app that runs there keeps others from building.
  if (!isBuilt(host.root)) build(host.root);
  makeReadable(host);
}

/** After a loss of power, files of a build that wasn't on the disk yet can be empty, so it starts over. */
function build(root) {
  const building = join(root, BUILDING);
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8');
  if (existsSync(building) && readFileSync(building, 'utf8') !== boot)
    for (const name of BUILT) rmSync(join(root, name), { recursive: true, force: true });
  replaceFile(building, boot, { mode: 0o644 });
  show('npm', ['run', '--silent', 'build'], { root });
  run('sync', ['--file-system', root]);
  rmSync(building);
}
