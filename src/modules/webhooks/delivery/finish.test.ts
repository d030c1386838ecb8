import { afterEach, describe, expect, it } from 'vitest';
import { db } from '@/test/database';
import { makeMany, makeWebhook } from '@/test/factories';
import { keyClient } from '@/test/rest';
import { emit } from '@/test/webhook-deliveries';
import { claimDue, type Job, loadJobs } from './claim';
import { type Finished, finishAttempts } from './finish';

/** A claim would also take the deliveries of other tests. */
afterEach(() => db.webhook.deleteMany());

const STARTED = new Date('2026-03-04T05:06:07.089Z');

describe('attempts that are recorded together', () => {
  it('change each delivery and are kept with their answers', async () => {
    await makeWebhook();
    const [delivered, refused, unreachable] = await claim(3);
    await finishAttempts(db, [
      finished(delivered, null, {
        statusCode: 204,
        answer: 'HTTP/1.1 204 "No" {Content},\\',
        remoteAddress: '192.0.2.1',
      }),
      finished(refused, 'status', { statusCode: 500, answer: 'NULL' }),
      finished(unreachable, 'dns', { statusCode: null, answer: '' }),
    ]);
    expect(await deliveryOf(delivered)).toMatchObject({ status: 'delivered', nextAttemptAt: null, failureCount: 0 });
    expect(await deliveryOf(refused)).toMatchObject({ status: 'retrying', finishedAt: null, failureCount: 1 });
    expect(await db.webhookAttempt.findMany({ where: { deliveryId: { in: idsOf(delivered, refused) } } })).toEqual(
      expect.arrayContaining([
        {
          deliveryId: delivered?.id,
          number: 1,
          startedAt: STARTED,
          durationMs: 12,
          statusCode: 204,
          failure: null,
          answer: 'HTTP/1.1 204 "No" {Content},\\',
          remoteAddress: '192.0.2.1',
        },
        expect.objectContaining({ deliveryId: refused?.id, failure: 'status', answer: 'NULL', remoteAddress: null }),
      ]),
    );
    expect(await deliveryOf(unreachable)).toMatchObject({ status: 'retrying', leaseToken: null, attemptCount: 1 });
  });

  it.each([
    { before: 0, attempts: 'xx', failures: 2 },
    { before: 3, attempts: 'xxx', failures: 6 },
    { before: 3, attempts: 'x✓', failures: 0 },
    { before: 3, attempts: '✓xx', failures: 2 },
    { before: 3, attempts: 'x✓x✓x', failures: 1 },
    { before: 0, attempts: '✓✓', failures: 0 },
  ])('count $failures failures in a row after $before and $attempts', async ({ before, attempts, failures }) => {
    const { id } = await makeWebhook();
    const jobs = await claim(attempts.length);
    const since = new Date('2026-01-01T00:00:00Z');
    await db.webhook.update({ where: { id }, data: { failuresInRow: before, failingSince: before ? since : null } });
    await finishAttempts(
      db,
      [...attempts].map((mark, index) => finished(jobs[index], mark === 'x' ? 'status' : null)),
    );
    const { failuresInRow, failingSince } = await db.webhook.findUniqueOrThrow({ where: { id } });
    expect(failuresInRow).toBe(failures);
    const isOld = before > 0 && !attempts.includes('✓');
    if (failures === 0) expect(failingSince).toBeNull();
    else if (isOld) expect(failingSince).toEqual(since);
    else expect(failingSince?.getTime()).toBeGreaterThan(since.getTime());
  });

  it('open one alert for each endpoint with 30 failures, count on in it, and close it with the next success', async () => {
    const { id } = await makeWebhook();
    const jobs = await claim(4);
    await db.webhook.update({ where: { id }, data: { failuresInRow: 29 } });
    await finishAttempts(db, [finished(jobs[0], 'status'), finished(jobs[1], 'status')]);
    const alerts = () => db.alert.findMany({ where: { subject: { contains: id } } });
    expect(await alerts()).toMatchObject([{ kind: 'webhook_failing', closedAt: null, count: 31 }]);
    await finishAttempts(db, [finished(jobs[2], 'status')]);
    expect(await alerts()).toMatchObject([{ closedAt: null, count: 32 }]);
    await finishAttempts(db, [finished(jobs[3], null)]);
    expect(await alerts()).toMatchObject([{ kind: 'webhook_failing', closedAt: expect.any(Date) }]);
  });

  it('open no alert about a webhook that was deactivated meanwhile, until it fails again once it is active', async () => {
    const { id } = await makeWebhook();
    const jobs = await claim(3);
    await db.webhook.update({ where: { id }, data: { failuresInRow: 35 } });
    await finishAttempts(db, [finished(jobs[0], 'timeout')]);
    const admin = await keyClient({ role: 'admin' });
    const alerts = () =>
      db.alert.findMany({
        where: { subject: { contains: id } },
        orderBy: { createdAt: 'asc' },
        select: { status: true },
      });
    await admin.patch(`/webhooks/${id}`, { active: false });
    await finishAttempts(db, [finished(jobs[1], 'timeout')]);
    expect(await alerts()).toEqual([{ status: 'closed' }]);
    await admin.patch(`/webhooks/${id}`, { active: true });
    await finishAttempts(db, [finished(jobs[2], 'timeout')]);
    expect(await alerts()).toEqual([{ status: 'closed' }, { status: 'open' }]);
  });

  it('at a former URL say nothing about the new one', async () => {
    const { id } = await makeWebhook();
    const [old, other] = await claim(2);
    const admin = await keyClient({ role: 'admin' });
    await admin.patch(`/webhooks/${id}`, { url: 'https://moved.example/' });
    await finishAttempts(db, [finished(old, 'timeout')]);
    const { data } = await admin.get(`/webhooks/${id}`);
    expect(data).toMatchObject({ failures_in_row: 0, failing_since: null });
    expect(await deliveryOf(old)).toMatchObject({ status: 'retrying', failureCount: 1 });
    await db.webhook.update({ where: { id }, data: { failuresInRow: 2 } });
    await finishAttempts(db, [finished(other, null)]);
    expect((await admin.get(`/webhooks/${id}`)).data.failures_in_row).toBe(2);
  });

  it('leave out those that lost their lease', async () => {
    const { id } = await makeWebhook();
    const [held, lost] = await claim(2);
    const stolen = { ...(lost as Job), token: held?.token ?? '' };
    await finishAttempts(db, [finished(stolen, 'status'), finished(held, null)]);
    expect(await deliveryOf(lost)).toMatchObject({ status: 'pending', attemptCount: 0 });
    expect(await deliveryOf(held)).toMatchObject({ status: 'delivered' });
    expect(await db.webhook.findUnique({ where: { id } })).toMatchObject({ failuresInRow: 0 });
  });

  it('never wait for each other, whatever the order of their endpoints', async () => {
    await makeMany(20, () => makeWebhook());
    for (let round = 0; round < 5; round++) {
      await db.webhook.updateMany({ data: { failuresInRow: 0 } });
      const rows = (await claim(2)).map((job) => finished(job, 'status'));
      const [first, second] = [rows.filter((_, index) => index % 2 === 0), rows.filter((_, index) => index % 2 === 1)];
      await Promise.all([finishAttempts(db, first), finishAttempts(db, second.toReversed())]);
      expect(await db.webhook.count({ where: { failuresInRow: 2 } })).toBe(20);
      await db.webhookDelivery.deleteMany();
    }
  });
});

/** Claims that many new deliveries of each webhook. */
async function claim(count: number): Promise<Job[]> {
  const webhooks = await db.webhook.findMany({ select: { id: true } });
  for (let event = 0; event < count; event++) await emit();
  const proven = webhooks.map(({ id }) => id);
  const claims = await claimDue(db, { wanted: 500, wantedFailing: 500, perEndpoint: 8, perUnproven: 8, proven });
  const jobs = await loadJobs(db, claims);
  expect(jobs).toHaveLength(count * webhooks.length);
  return jobs;
}

function finished(
  job: Job | undefined,
  failure: Finished['outcome']['failure'],
  over: Partial<Finished['outcome']> = {},
) {
  if (!job) throw new Error('nothing was claimed');
  const statusCode = failure === null ? 200 : 500;
  const given = { startedAt: STARTED, durationMs: 12.3, statusCode, answer: '', remoteAddress: null, ...over };
  return { job, outcome: { ...given, failure } };
}

function deliveryOf(job: Job | undefined) {
  return db.webhookDelivery.findUniqueOrThrow({ where: { id: job?.id ?? '' } });
}

function idsOf(...jobs: (Job | undefined)[]): string[] {
  return jobs.flatMap((job) => (job ? [job.id] : []));
}
