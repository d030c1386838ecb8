import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const INSTALL_TIMEOUT_MS = 300_000;

export function isDebianAsRoot() {
  if (process.getuid?.() !== 0 || !existsSync('/etc/os-release')) return false;
  return /^ID=debian$/m.test(readFileSync('/etc/os-release', 'utf8'));
}

export function installFromDebian(name) {
  const options = /** @type {const} */ ({
    stdio: 'ignore',
    timeout: INSTALL_TIMEOUT_MS,
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
  spawnSync('apt-get', ['update'], options);
  spawnSync('apt-get', ['install', '-y', '--no-install-recommends', name], options);
}

/** @returns {string[]} paths where the shell would find these programs */
export function placesOf(names) {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return names.flatMap((name) => folders.map((folder) => join(folder, name)));
}

export function isThere(path) {
  return Boolean(path) && existsSync(path);
}
