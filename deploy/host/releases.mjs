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
const INCOMPLETE = 'incomplete-';
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

/**
 * Copies the program, with packages and build of another release where they are the same. The release gets its name when it is
 * complete and on the disk, so that a copy that was interrupted is no release.
 * @param {Release} release
 * @param {{ former?: string | null, owner?: string }} options `former`: the folder of the release to take packages and build from
 */
export function copyRelease({ source, root }, { former = runningFolder(), owner = 'root:root' } = {}) {
  const copy = join(dirname(root), `${INCOMPLETE}${basename(root)}`);
  rmSync(copy, { recursive: true, force: true });
  mkdirSync(copy, { recursive: true, mode: 0o755 });
  for (const name of COPIED) if (existsSync(join(source, name))) run('cp', ['-a', join(source, name), copy]);
  for (const name of LEFT_OUT) rmSync(join(copy, name), { recursive: true, force: true });
  // The files of a clone that was unpacked from an archive can have other owners.
  run('chown', ['-R', owner, copy]);
  if (former && existsSync(former)) takeOver(former, copy);
  run('sync', ['--file-system', copy]);
  rmSync(root, { recursive: true, force: true });
  renameSync(copy, root);
}

function takeOver(former, copy) {
  if (!isInstalled(former) || !isSameInstallation(former, copy)) return;
  run('cp', ['-al', join(former, 'node_modules'), join(copy, 'node_modules')]);
  rmSync(join(copy, 'node_modules/.cache'), { recursive: true, force: true });
  if (!isClientCurrent(former) || !isBuildCurrent(former) || !isSameBuild(former, copy)) return;
  for (const name of ['.next', GENERATED]) run('cp', ['-a', join(former, name), join(copy, dirname(name))]);
  for (const name of ['build', 'client', 'programs']) {
    const path = join('node_modules/.cache/postroom', name);
    cpSync(join(former, path), join(copy, path), { recursive: true });
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
