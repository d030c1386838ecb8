import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const INSTALL_TIMEOUT_MS = 1_200_000;
/** Installs Debian packages without starting their services. */
export const INSTALL = fileURLToPath(new URL('../../deploy/mail/install-packages', import.meta.url));

export function isDebianAsRoot() {
  if (process.getuid?.() !== 0 || !existsSync('/etc/os-release')) return false;
  return /^ID=debian$/m.test(readFileSync('/etc/os-release', 'utf8'));
}

/** Installs Debian packages, as root, without starting their services. Callers check that what they need is there. */
export function installFromDebian(...names) {
  spawnSync(INSTALL, names, { stdio: ['ignore', 'ignore', 'inherit'], timeout: INSTALL_TIMEOUT_MS });
}

/** @returns {string[]} paths where the shell would find these programs */
export function placesOf(names) {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return names.flatMap((name) => folders.map((folder) => join(folder, name)));
}

export function isThere(path) {
  return Boolean(path) && existsSync(path);
}
