import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { installFromDebian, isDebianAsRoot, isThere, placesOf } from './debian.mjs';

const PACKAGES = ['unbound', 'nsd', 'ldnsutils'];
const SERVICES = ['unbound.service', 'nsd.service'];
const PROGRAMS = /** @type {const} */ (['unbound', 'nsd', 'ldns-keygen', 'ldns-signzone']);

/** @returns {Record<(typeof PROGRAMS)[number], string> | undefined} the paths of the programs, if all are installed */
export function findDnsServers() {
  const paths = PROGRAMS.map((name) => [name, [...placesOf([name]), `/usr/sbin/${name}`].find(isThere)]);
  return paths.every(([, path]) => path) ? Object.fromEntries(paths) : undefined;
}

/** Installs a resolver and a name server if possible. Otherwise the tests that need them explain what to do. */
export function prepareDnsServers() {
  if (findDnsServers() || !isDebianAsRoot()) return;
  installFromDebian(...PACKAGES);
  // Nor should they start with the machine.
  if (existsSync('/run/systemd/system')) spawnSync('systemctl', ['disable', ...SERVICES], { stdio: 'ignore' });
}
