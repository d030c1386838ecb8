import { expect, it, onTestFinished } from 'vitest';
import { measured } from '@/lib/health/finding';
import { startTasks } from '@/server/background/start-tasks';
import type { Task } from '@/server/background/task';
import { systemClock } from '@/server/clock';
import { db } from '@/test/database';
import { keyClient } from '@/test/rest';
import { systemTasks } from '../tasks';
import { CHECKS_CHANNEL } from './check-now';
import { recordFindings } from './record';

const api = await keyClient();

it('answers with results of instances and mail servers from after the request, and is in the audit log', async () => {
  let queued = 900;
  const agent: Task = {
    name: 'checking the mail server',
    on: 'every instance',
    everySeconds: 3600,
    wokenBy: CHECKS_CHANNEL,
    run: () => recordFindings(db, [measured('queue', queued, 'mx1')]),
  };
  const running = startTasks([...systemTasks, agent], { db, clock: systemClock });
  onTestFinished(() => running.end());
  const statusOf = async (name: string) => (await db.healthCheck.findFirst({ where: { name } }))?.status;
  await expect.poll(() => statusOf('database')).toBe('ok');
  await expect.poll(() => statusOf('queue')).toBe('degraded');
  await db.$executeRaw`UPDATE health_check SET status = 'down' WHERE name = 'database'`;
  queued = 3;
  const { status, data } = await api.post('/system/health/check');
  expect(status).toBe(200);
  const found = (name: string) => data.checks.find((check: { name: string }) => check.name === name);
  expect(found('database')).toMatchObject({ status: 'ok' });
  expect(found('queue')).toMatchObject({ value: 3 });
  expect((await api.get('/audit?action=health.check')).data).toMatchObject([
    { resource: 'health', outcome: 'success' },
  ]);
});
