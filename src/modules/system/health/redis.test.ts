import { expect, it } from 'vitest';
import { instanceName } from '@/server/cluster/this-node';
import { applySaved } from '@/server/settings/env';
import { db } from '@/test/database';
import { makeRedis } from '@/test/servers/redis';
import { taskContext } from '@/test/tasks';
import { forgetUnset, updateAlerts } from './record';
import { checkInstance } from './run';

/** Runs the checks of this instance. @returns the status of Redis */
async function check(): Promise<string | undefined> {
  await checkInstance(taskContext(db));
  return (await db.healthCheck.findFirst({ where: { name: 'redis' } }))?.status;
}

/** The open alerts about Redis, as if its status had lasted for a minute. */
async function alerts() {
  for (let run = 0; run < 2; run++) {
    await db.$executeRaw`
      UPDATE health_check SET since = since - interval '1 minute', problem_since = problem_since - interval '1 minute'`;
    await check();
  }
  await updateAlerts(db, new Date());
  return db.alert.findMany({ where: { status: 'open', subject: { startsWith: 'Redis of the rate limits' } } });
}

it('Redis of the rate limits that stops is down; an alert opens, and closes when it is back', async () => {
  const redis = await makeRedis();
  await redis.start();
  process.env.REDIS_URL = redis.url;
  // The environment is read again with other saved settings.
  applySaved({ EVENT_RETENTION_DAYS: '31' });
  await expect.poll(check).toBe('ok');
  await redis.kill();
  await expect.poll(check).toBe('down');
  expect(await alerts()).toMatchObject([
    { kind: 'system_down', text: expect.stringContaining('Each instance counts limits for itself meanwhile') },
  ]);
  await redis.start();
  await expect.poll(check).toBe('ok');
  expect(await alerts()).toEqual([]);
  // As after a restart without REDIS_URL.
  await forgetUnset(db, [], instanceName());
  expect(await db.healthCheck.count({ where: { name: 'redis' } })).toBe(0);
});
