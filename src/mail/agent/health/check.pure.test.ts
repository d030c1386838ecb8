import { Redis } from 'ioredis';
import { expect, it, onTestFinished } from 'vitest';
import { makeRedis } from '@/test/servers/redis';
import { writeToRedis } from './check';

it('a Redis that is full answers, and is shown as full', async () => {
  const server = await makeRedis();
  await server.start();
  const redis = new Redis(server.url);
  onTestFinished(() => redis.disconnect());
  await writeToRedis(redis);
  await redis.config('SET', 'maxmemory', '1');
  expect(await redis.ping()).toBe('PONG');
  await expect(writeToRedis(redis)).rejects.toThrow(/memory is full.*REDIS_MEMORY_MB/);
});
