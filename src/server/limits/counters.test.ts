import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { db } from '@/test/database';
import { holdLocksOf } from '@/test/locks';
import { makeRedis } from '@/test/servers/redis';
import { env } from '../settings/env';
import { type Counters, createCounters } from './counters';

const LIMIT = 60;
const CALLS = 200;

function makeCounters(over: { databaseUrl?: string; redisUrl?: string } = {}): Counters {
  const counters = createCounters({ databaseUrl: env().databaseUrl, ...over });
  onTestFinished(() => counters.close());
  return counters;
}

async function makeStartedRedis() {
  const redis = await makeRedis();
  await redis.start();
  return redis;
}

const countOf = async (counters: Counters, subject: string, windowSeconds = 60) =>
  (await counters.count('test', subject, windowSeconds)).count;

/** How many of many concurrent calls, alternating between instances, are within the limit. */
async function passes(instances: Counters[], subject: string, calls = CALLS): Promise<number> {
  const counts = await Promise.all(
    Array.from({ length: calls }, (_, i) => countOf(instances[i % instances.length] as Counters, subject)),
  );
  expect(new Set(counts).size).toBe(calls);
  return counts.filter((count) => count <= LIMIT).length;
}

describe('counters in Postgres', () => {
  it('are exact under concurrency over two instances', async () => {
    expect(await passes([makeCounters(), makeCounters()], randomUUID())).toBe(LIMIT);
  });

  it('stay exact in a flood, and use few connections', async () => {
    const instances = [makeCounters(), makeCounters()];
    const flood = passes(instances, randomUUID(), 5_000);
    expect(await countOf(instances[0] as Counters, randomUUID())).toBe(1);
    expect(await flood).toBe(LIMIT);
  });

  it('start over with each window', async () => {
    const counters = makeCounters();
    await expectWindows(counters);
  });

  it('start over with a window that began by a clock that was ahead, but not by one that differs a little', async () => {
    const counters = makeCounters();
    const countAfter = async (aheadMs: number) => {
      const subject = randomUUID();
      await countOf(counters, subject);
      const row = await db.rateLimit.findFirstOrThrow({ where: { key: { contains: subject } } });
      const expire = Number(row.expire) + aheadMs;
      await db.rateLimit.update({ where: { key: row.key }, data: { expire, points: 50 } });
      return counters.count('test', subject, 60);
    };
    const { count, resetMs } = await countAfter(3_600_000);
    expect(count).toBe(1);
    expect(resetMs).toBeLessThanOrEqual(60_000);
    expect((await countAfter(50_000)).count).toBe(51);
  });

  it('count per instance while Postgres is away, and throw nothing', async () => {
    const counters = makeCounters({ databaseUrl: 'postgresql://nobody@127.0.0.1:1/nothing' });
    const subject = randomUUID();
    expect(await countOf(counters, subject)).toBe(1);
    expect(await countOf(counters, subject)).toBe(2);
  });

  it('wait at most two seconds for a locked counter', async () => {
    const counters = makeCounters();
    const subject = randomUUID();
    await countOf(counters, subject);
    const unlock = await holdLocksOf('LOCK TABLE rate_limit');
    const startedAt = performance.now();
    expect(await countOf(counters, subject)).toBe(1);
    expect(performance.now() - startedAt).toBeLessThan(20_000);
    await unlock();
    expect(await countOf(counters, subject)).toBe(2);
  });
});

describe('counters in Redis', () => {
  it('are exact under concurrency over two instances, without Postgres', async () => {
    const { url: redisUrl } = await makeStartedRedis();
    const [one, other] = [makeCounters({ redisUrl }), makeCounters({ redisUrl })];
    await untilShared(one, other);
    const subject = randomUUID();
    expect(await passes([one, other], subject)).toBe(LIMIT);
    expect(await db.rateLimit.count({ where: { key: { contains: subject } } })).toBe(0);
  });

  it('count a flood with few commands', async () => {
    const redis = await makeStartedRedis();
    const counters = makeCounters({ redisUrl: redis.url });
    await untilShared(counters, makeCounters({ redisUrl: redis.url }));
    const before = await redis.commandCount();
    expect(await passes([counters], randomUUID(), 1_000)).toBe(LIMIT);
    expect((await redis.commandCount()) - before).toBeLessThan(100);
  });

  it('start over with each window', async () => {
    const { url: redisUrl } = await makeStartedRedis();
    const counters = makeCounters({ redisUrl });
    await untilShared(counters, makeCounters({ redisUrl }));
    const first = await counters.count('test', 'a', 1);
    expect(first).toMatchObject({ count: 1 });
    expect(first.resetMs).toBeGreaterThan(0);
    await expectWindows(counters);
  });

  it('count per instance while Redis is away, and together once it is back', async () => {
    const redis = await makeStartedRedis();
    const [one, other] = [makeCounters({ redisUrl: redis.url }), makeCounters({ redisUrl: redis.url })];
    await untilShared(one, other);

    await redis.kill();
    expect([await countOf(one, 'a'), await countOf(one, 'a'), await countOf(other, 'a')]).toEqual([1, 2, 1]);

    await redis.start();
    await untilShared(one, other);
  });

  it('fail no call in progress when Redis goes away', async () => {
    const redis = await makeStartedRedis();
    const counters = makeCounters({ redisUrl: redis.url });
    await counters.settle();
    const calls = Array.from({ length: CALLS }, () => countOf(counters, 'a'));
    await redis.kill();
    await expect(Promise.all(calls)).resolves.toHaveLength(CALLS);
  });

  it('wait at most a second for a hanging Redis, then not at all, and recover with it', async () => {
    const redis = await makeStartedRedis();
    const [one, other] = [makeCounters({ redisUrl: redis.url }), makeCounters({ redisUrl: redis.url })];
    await untilShared(one, other);
    redis.hang();
    expect(await timed(() => countOf(one, 'a'))).toBeLessThan(20_000);
    await expect.poll(() => timed(() => countOf(one, 'a'))).toBeLessThan(100);
    redis.resume();
    await untilShared(one, other);
  });

  it('count per instance if Redis rejects the password', async () => {
    const redis = await makeStartedRedis();
    await redis.setPassword('right');
    const withPassword = (password: string) => redis.url.replace('//', `//:${password}@`);
    const refused = makeCounters({ redisUrl: withPassword('wrong') });
    const admitted = makeCounters({ redisUrl: withPassword('right') });
    await untilShared(admitted, makeCounters({ redisUrl: withPassword('right') }));
    expect(await countOf(admitted, 'a')).toBe(1);
    expect([await countOf(refused, 'a'), await countOf(refused, 'a')]).toEqual([1, 2]);
  });

  it('start quickly without Redis, and use it once it is available', async () => {
    const redis = await makeRedis();
    const [one, other] = [makeCounters({ redisUrl: redis.url }), makeCounters({ redisUrl: redis.url })];
    expect(await timed(() => one.settle())).toBeLessThan(20_000);
    expect([await countOf(one, 'a'), await countOf(other, 'a')]).toEqual([1, 1]);
    await redis.start();
    await untilShared(one, other);
  });
});

/** Two sets of counters that share one store. */
async function untilShared(one: Counters, other: Counters): Promise<void> {
  await expect
    .poll(
      async () => {
        const subject = randomUUID();
        return [await countOf(one, subject), await countOf(other, subject), await countOf(one, subject)];
      },
      { timeout: 30_000 },
    )
    .toEqual([1, 2, 3]);
}

/** Counts in a window of a second. However slow the machine is, some two calls are within one. */
async function expectWindows(counters: Counters): Promise<void> {
  const subject = randomUUID();
  const count = () => countOf(counters, subject, 1);
  await expect.poll(count).toBeGreaterThan(1);
  await expect.poll(count, { interval: 300 }).toBe(1);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
