// Programs that tests use. Those that are missing are installed where that is possible; otherwise the tests that need them say what to do.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { PlainError } from '../process/plain-error.mjs';
import { installFromDebian, isDebianAsRoot, isThere, placesOf } from './debian.mjs';

const REDIS_SERVERS = ['redis-server', 'valkey-server'];
// Debian's redis-tools has the same program, which picks its role by the name it's called with, and starts no service.
const DEBIAN_REDIS_SERVER = '/usr/bin/redis-check-rdb';
const DNS_PROGRAMS = /** @type {const} */ (['unbound', 'nsd', 'ldns-keygen', 'ldns-signzone']);

/** @returns {string | undefined} the path of an installed Redis server */
export function findRedisServer() {
  return [process.env.REDIS_SERVER_PATH, ...placesOf(REDIS_SERVERS), DEBIAN_REDIS_SERVER].find(isThere);
}

/** @returns {string | undefined} the path of Prometheus' tool that checks rules, configurations and metrics */
export function findPromtool() {
  return [process.env.PROMTOOL_PATH, ...placesOf(['promtool'])].find(isThere);
}

/** @returns {Record<(typeof DNS_PROGRAMS)[number], string> | undefined} the paths of the programs, if all are installed */
export function findDnsServers() {
  const paths = DNS_PROGRAMS.map((name) => [name, [...placesOf([name]), `/usr/sbin/${name}`].find(isThere)]);
  return paths.every(([, path]) => path) ? Object.fromEntries(paths) : undefined;
}

/** @returns {string} the path of nginx, which is installed if possible */
export function findNginx() {
  const installed = () => [process.env.NGINX_PATH, ...placesOf(['nginx']), '/usr/sbin/nginx'].find(isThere);
  if (!installed()) install(['nginx-light']);
  const path = installed();
  if (!path) throw new PlainError('nginx was not found. Install it, or set NGINX_PATH.');
  return path;
}

export function prepareRedisServer() {
  if (!findRedisServer()) install(['redis-tools']);
}

/** Prepares the programs of unit tests. */
export function prepareTestPrograms() {
  prepareRedisServer();
  if (!placesOf(['age']).some(isThere)) install(['age']);
  if (!findDnsServers()) install(['unbound', 'nsd', 'ldnsutils'], ['unbound.service', 'nsd.service']);
  if (!findPromtool()) install(['prometheus'], ['prometheus.service']);
}

/** @param {string[]} packages @param {string[]} [services] which should not start with the machine */
function install(packages, services = []) {
  if (!isDebianAsRoot()) return;
  installFromDebian(...packages);
  if (services.length > 0 && existsSync('/run/systemd/system'))
    spawnSync('systemctl', ['disable', ...services], { stdio: 'ignore' });
}
