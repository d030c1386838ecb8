import { installFromDebian, isDebianAsRoot, isThere, placesOf } from './debian.mjs';

const SERVERS = ['redis-server', 'valkey-server'];
// In Debian this is the same program, which acts by the name it is called with; its package starts no service.
const SERVER_OF_DEBIAN = '/usr/bin/redis-check-rdb';

/** @returns {string | undefined} the path of an installed Redis server */
export function findRedisServer() {
  return [process.env.REDIS_SERVER_PATH, ...placesOf(SERVERS), SERVER_OF_DEBIAN].find(isThere);
}

/** Installs Redis if possible. Otherwise the tests that need it explain what to do. */
export function prepareRedisServer() {
  if (!findRedisServer() && isDebianAsRoot()) installFromDebian('redis-tools');
}
