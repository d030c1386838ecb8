import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from '../process/free-port.mjs';
import { PlainError } from '../process/plain-error.mjs';
import { findRedisServer, prepareRedisServer } from './test-programs.mjs';

/** A Redis that ends with the command. */
export async function startTemporaryRedis(lifetime) {
  prepareRedisServer();
  const path = findRedisServer();
  if (!path) throw new PlainError('redis-server was not found. Install Redis, or set REDIS_SERVER_PATH.');
  const folder = mkdtempSync(join(tmpdir(), 'postroom-redis-'));
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', ''];
  const child = spawn(path, options, { argv0: 'redis-server', stdio: 'ignore' });
  lifetime.atEnd(async () => {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });
  const redis = new Redis(url, { retryStrategy: () => 50, maxRetriesPerRequest: 200 });
  redis.on('error', () => {});
  await redis.ping().finally(() => redis.disconnect());
  return { url };
}
