import { expect, it, onTestFinished } from 'vitest';
import { measured } from '@/lib/health/finding';
import { systemClock } from '@/server/clock';
import { db } from '@/test/database';
import { keyClient } from '@/test/rest';
import { onChecksRequested } from './check-now';
import { recordFindings } from './record';
import { runHealthChecks } from './run';

const api = await keyClient();

it('answers with results of instances and mail servers from after the request, and is in the audit log', async () => {
  await recordFindings(db, [measured('queue', 900, 'mx1')]);
  await runHealthChecks(db, systemClock);
  await db.$executeRaw`UPDATE health_check SET status = 'down' WHERE name = 'database'`;
  let heard = 0;
  const runs: Promise<unknown>[] = [];
  const end = onChecksRequested(() => {
    heard += 1;
    // The first call is made on connecting.
    if (heard === 2) runs.push(runHealthChecks(db, systemClock), recordFindings(db, [measured('queue', 3, 'mx1')]));
  });
  onTestFinished(async () => {
    await end();
    await Promise.all(runs);
  });
  await expect.poll(() => heard).toBe(1);
  const { status, data } = await api.post('/system/health/check');
  expect(status).toBe(200);
  const found = (name: string) => data.checks.find((check: { name: string }) => check.name === name);
  expect(found('database')).toMatchObject({ status: 'ok' });
  expect(found('queue')).toMatchObject({ value: 3 });
  expect((await api.get('/audit?action=health.check')).data).toMatchObject([
    { resource: 'health', outcome: 'success' },
  ]);
});
