import { installFromDebian, isDebianAsRoot, isThere, placesOf } from './debian.mjs';

const SERVERS = ['redis-server', 'valkey-server'];
// Debian's redis-tools has the same program, which picks its role by the name it's called with, and starts no service.
const DEBIAN_SERVER = '/usr/bin/redis-check-rdb';

/** @returns {string | undefined} the path of an installed Redis server */
export function findRedisServer() {
  return [process.env.REDIS_SERVER_PATH, ...placesOf(SERVERS), DEBIAN_SERVER].find(isThere);
}

/** Installs Redis if possible. Otherwise the tests that need it explain what to do. */
export function prepareRedisServer() {
  if (!findRedisServer() && isDebianAsRoot()) installFromDebian('redis-tools');
}
