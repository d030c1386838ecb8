import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { onTestFinished } from 'vitest';
import { freePort } from '../../../scripts/process/free-port.mjs';
import { findRedisServer } from '../../../scripts/testing/test-programs.mjs';

/** A real Redis for one test, not started yet, that can be started, killed and suspended. */
export async function makeRedis() {
  const path = findRedisServer();
  if (!path) throw new Error('redis-server was not found. Install Redis, or set REDIS_SERVER_PATH.');
  const folder = mkdtempSync(join(tmpdir(), 'postroom-redis-'));
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  let child: ChildProcess | undefined;

  const start = async () => {
    const options = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', ''];
    child = spawn(path, options, { argv0: 'redis-server', stdio: 'ignore' });
    await withClient(url, (redis) => redis.ping());
  };
  const kill = async () => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  const setPassword = (password: string) => withClient(url, (redis) => redis.config('SET', 'requirepass', password));
  const commandCount = async () => {
    const stats = await withClient(url, (redis) => redis.info('stats'));
    return Number(/total_commands_processed:(\d+)/.exec(stats)?.[1]);
  };
  onTestFinished(async () => {
    await kill();
    rmSync(folder, { recursive: true });
  });
  return {
    url,
    start,
    kill,
    setPassword,
    commandCount,
    hang: () => child?.kill('SIGSTOP'),
    resume: () => child?.kill('SIGCONT'),
  };
}

/** Waits until the server responds. */
async function withClient<Result>(url: string, work: (redis: Redis) => Promise<Result>): Promise<Result> {
  const redis = new Redis(url, { retryStrategy: () => 50, maxRetriesPerRequest: 200 });
  redis.on('error', () => {});
  return work(redis).finally(() => redis.disconnect());
}
