// Each version of Postroom runs in a folder of its own, so that the next one can be built beside it, and the former one can go on.
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isBuildCurrent, isClientCurrent, isSameBuild } from '../../scripts/steps/build.mjs';
import { isInstalled, isSameInstallation } from '../../scripts/steps/install.mjs';
import { fingerprint } from '../../scripts/steps/stamp.mjs';
import { run } from './commands.mjs';

export const APP_UNIT = '/etc/systemd/system/postroom.service';
const RELEASES = 'releases';
const HASH_LENGTH = 10;
const REMOVED = 'removed-';
/** Files and folders that the app, its build, the agent and their commands read. */
const COPIED = [
  'deploy',
  'docs',
  'prisma',
  'public',
  'scripts',
  'src',
  '.env.example',
  'next.config.mjs',
  'package-lock.json',
  'package.json',
  'prisma.config.ts',
  'tsconfig.json',
];
/** Prisma's client, which is generated in each release. */
const GENERATED = 'src/server/prisma';
/** Folders of a clone that no release has: the second one may have passwords of containers. */
const LEFT_OUT = [GENERATED, 'deploy/containers'];

/**
 * A version of Postroom on this host.
 * @typedef {{ source: string, root: string }} Release `source`: the folder that deploy/install was called in; `root`: that of the release
 */

/** Returns the release of what is in a folder, which can be that of a release itself. @returns {Release} */
export function releaseOf(source) {
  if (isRelease(source)) return { source, root: source };
  return { source, root: join(source, RELEASES, `${versionIn(source)}-${contentOf(source)}`) };
}

/** @returns {string | null} the folder that the app's service runs in */
export function runningFolder(unit = APP_UNIT) {
  if (!existsSync(unit)) return null;
  return /^WorkingDirectory=(.+)$/m.exec(readFileSync(unit, 'utf8'))?.[1] ?? null;
}

export function isRelease(folder) {
  return basename(dirname(folder)) === RELEASES;
}

/** @returns {string} such as 0.2.0 (3f2a9c1b04), which tells apart releases of the same version */
export function nameOf(root) {
  const [, version, hash] = /^(.+)-([0-9a-f]{10})$/.exec(basename(root)) ?? [];
  return version ? `${version} (${hash})` : versionIn(root);
}

export function isCopied({ source, root }) {
  return source === root || (existsSync(join(root, 'package.json')) && basename(root).endsWith(contentOf(root)));
}

/** Copies the program, with packages and build of another release where they are the same. */
export function copyRelease({ source, root }) {
  rmSync(root, { recursive: true, force: true });
  mkdirSync(root, { recursive: true, mode: 0o755 });
  for (const name of COPIED) if (existsSync(join(source, name))) run('cp', ['-a', join(source, name), root]);
  for (const name of LEFT_OUT) rmSync(join(root, name), { recursive: true, force: true });
  // Root owns the releases, and another user may own the clone.
  run('chown', ['-R', 'root:root', root]);
  const former = runningFolder();
  if (!former || !existsSync(former)) return;
  if (!isInstalled(former) || !isSameInstallation(former, root)) return;
  run('cp', ['-al', join(former, 'node_modules'), join(root, 'node_modules')]);
  rmSync(join(root, 'node_modules/.cache'), { recursive: true, force: true });
  if (!isClientCurrent(former) || !isBuildCurrent(former) || !isSameBuild(former, root)) return;
  for (const name of ['.next', GENERATED]) run('cp', ['-a', join(former, name), join(root, dirname(name))]);
  for (const name of ['build', 'client']) {
    const stamp = join('node_modules/.cache/postroom', name);
    cpSync(join(former, stamp), join(root, stamp));
  }
}

/** A clone or a build that was made with umask 077 can't be read by the app's user. */
export function makeReadable({ source, root }) {
  for (const folder of [source, dirname(root)]) chmodSync(folder, 0o755);
  run('chmod', ['-R', 'go+rX', root]);
}

/**
 * Removes all releases in a folder but these, in the background: they have many files.
 * @param {string} releases
 * @param {string[]} kept
 */
export function removeOtherReleases(releases, kept) {
  const others = readdirSync(releases, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !kept.includes(join(releases, entry.name)))
    .map(({ name }) => (name.startsWith(REMOVED) ? name : renamed(releases, name)));
  if (others.length === 0) return;
  run('systemd-run', ['--quiet', '--collect', 'rm', '-rf', ...others.map((name) => join(releases, name))]);
}

/** Another run may need the former name before everything is removed. */
function renamed(releases, name) {
  const other = `${REMOVED}${Date.now()}-${name}`;
  renameSync(join(releases, name), join(releases, other));
  return other;
}

export function versionIn(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version;
}

function contentOf(folder) {
  const isInput = (path) => !LEFT_OUT.some((name) => path.startsWith(`${name}/`));
  return fingerprint(folder, COPIED, { isInput }).slice(0, HASH_LENGTH);
}
