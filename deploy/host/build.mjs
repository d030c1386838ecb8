import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { PlainError } from '../../scripts/process/plain-error.mjs';
import { isBuildCurrent, isClientCurrent } from '../../scripts/steps/build.mjs';
import { isInstalled } from '../../scripts/steps/install.mjs';
import { run, show } from './commands.mjs';
import { replaceFile } from './files.mjs';
import { copyRelease, isCopied, makeReadable } from './releases.mjs';
import { ADD_SWAP } from './requirements.mjs';

/** A release has this file until its build is on the disk: the boot of the host in which the build began. */
const BUILDING = '.building';
const BUILT = ['node_modules', '.next', 'src/server/prisma'];

export function isBuilt(root) {
  return !existsSync(join(root, BUILDING)) && isInstalled(root) && isClientCurrent(root) && isBuildCurrent(root);
}

/**
 * Copies the program, and builds it.
 * @param {import('./releases.mjs').Release} host
 * @param {string} counters a file with counters of the kernel
 */
export function buildApp(host, counters = '/proc/vmstat') {
  if (!isCopied(host)) copyRelease(host);
  // The app that runs there keeps others from building.
  if (!isBuilt(host.root)) build(host.root, counters);
  makeReadable(host);
}

/** After a loss of power, files of a build that wasn't on the disk yet can be empty, so it starts over. */
function build(root, counters) {
  const building = join(root, BUILDING);
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8');
  if (existsSync(building) && readFileSync(building, 'utf8') !== boot)
    for (const name of BUILT) rmSync(join(root, name), { recursive: true, force: true });
  replaceFile(building, boot, { mode: 0o644 });
  const before = killsIn(counters);
  try {
    // When memory runs out, the kernel ends the build, and no service beside it.
    show('choom', ['-n', '1000', '--', 'npm', 'run', '--silent', 'build'], { root });
  } catch {
    if (killsIn(counters) === before) throw new PlainError('The build failed. The reason is in its output above.');
    throw new PlainError(
      `The memory of this host ran out, so the kernel ended the build. Add swap, and run the same command again: ${ADD_SWAP}`,
    );
  }
  run('sync', ['--file-system', root]);
  rmSync(building);
}

/** @returns {string | undefined} how many processes the kernel has ended since the host started, because memory ran out */
function killsIn(counters) {
  return /^oom_kill (\d+)$/m.exec(readFileSync(counters, 'utf8'))?.[1];
}
