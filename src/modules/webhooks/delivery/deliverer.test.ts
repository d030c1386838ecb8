import { afterEach, describe, expect, it } from 'vitest';
import { emitEvent } from '@/modules/events/service';
import { db } from '@/test/database';
import { makeDomain, makeWebhook, unique } from '@/test/factories';
import { answered, failed, heldEndpoint, ok, scriptedEndpoint } from '@/test/servers/scripted-endpoint';
import { deliver, emission, emit, makeDue, now, onlyDelivery, secondsUntil } from '@/test/webhook-deliveries';
import { claimDue } from './claim';
import { createDeliverer } from './deliverer';
import { RETRY_DELAYS_SECONDS } from './finish';

/** The deliverer would also deliver to webhooks of other tests. */
afterEach(() => db.webhook.deleteMany());

describe('an event', () => {
  it('is delivered to every active webhook subscribed to its type and domain, and to no other', async () => {
    const [domain, other] = await Promise.all([makeDomain(), makeDomain()]);
    const [all, wild, scoped] = await Promise.all([
      makeWebhook({ events: ['mail.sent'] }),
      makeWebhook({ events: ['*'] }),
      makeWebhook({ events: ['mail.bounced', 'mail.sent'], domainId: domain.id }),
      makeWebhook({ events: ['mail.bounced'] }),
      makeWebhook({ events: ['*'], domainId: other.id }),
      makeWebhook({ events: ['*'], active: false }),
    ]);
    const eventId = await emit({ domainId: domain.id });
    const deliveries = await db.webhookDelivery.findMany({ where: { eventId } });
    expect(deliveries.map(({ webhookId }) => webhookId).toSorted()).toEqual([all.id, wild.id, scoped.id].toSorted());
  });

  it('is never delivered if its transaction is rolled back', async () => {
    const { id: webhookId } = await makeWebhook();
    const marker = unique();
    const undone = db.$transaction(async (tx) => {
      await emitEvent(tx, emission({ marker }));
      throw new Error('undo');
    });
    await expect(undone).rejects.toThrow('undo');
    expect(await db.webhookDelivery.count({ where: { webhookId } })).toBe(0);
    expect(await db.event.count({ where: { body: { contains: marker } } })).toBe(0);
  });
});

describe('a delivery', () => {
  it('is attempted once if the endpoint accepts it', async () => {
    const { id: webhookId } = await makeWebhook();
    await emit();
    const endpoint = scriptedEndpoint(() => ok());
    expect(await deliver(endpoint)).toEqual({ attempted: 1, delivered: 1, failed: 0 });
    expect(await deliver(endpoint)).toEqual({ attempted: 0, delivered: 0, failed: 0 });
    const row = await onlyDelivery(webhookId);
    expect(row).toMatchObject({ status: 'delivered', attemptCount: 1, nextAttemptAt: null, leaseToken: null });
    expect(row.attempts).toMatchObject([{ number: 1, statusCode: 200, failure: null, answer: 'HTTP/1.1 200 OK' }]);
  });

  it('is retried after 30 s, 2 min, 15 min, 1 h and 2 h with the same id, then abandoned', async () => {
    const { id: webhookId } = await makeWebhook();
    await emit();
    const endpoint = scriptedEndpoint(() => answered(503));
    const delays: number[] = [];
    for (let attempt = 1; attempt <= 6; attempt++) {
      expect(await deliver(endpoint)).toMatchObject({ attempted: 1, failed: 1 });
      const row = await onlyDelivery(webhookId);
      expect(row.attemptCount).toBe(attempt);
      if (row.nextAttemptAt) {
        expect(row.status).toBe('retrying');
        delays.push(await secondsUntil(webhookId));
        expect(await deliver(endpoint)).toMatchObject({ attempted: 0 });
        await makeDue(webhookId);
      }
    }
    expect(RETRY_DELAYS_SECONDS).toEqual([30, 120, 900, 3600, 7200]);
    expect(delays).toHaveLength(5);
    delays.forEach((seconds, index) => {
      expect(seconds).toBeLessThanOrEqual(RETRY_DELAYS_SECONDS[index] as number);
      expect(seconds).toBeGreaterThan((RETRY_DELAYS_SECONDS[index] as number) - 15);
    });
    const row = await onlyDelivery(webhookId);
    expect(row).toMatchObject({ status: 'abandoned', nextAttemptAt: null });
    expect(row.finishedAt).not.toBeNull();
    expect(endpoint.requests.map(({ headers }) => headers['X-Service-Attempt'])).toEqual([
      '1',
      '2',
      '3',
      '4',
      '5',
      '6',
    ]);
    expect(new Set(endpoint.requests.map(({ headers }) => headers['X-Service-Delivery']))).toEqual(new Set([row.id]));
    await makeDue(webhookId);
    expect(await deliver(endpoint)).toMatchObject({ attempted: 0 });
  });

  it.each([
    [answered(204), 'delivered', null],
    [answered(299), 'delivered', null],
    [answered(301), 'retrying', 'redirect'],
    [answered(404), 'retrying', 'status'],
    [answered(410), 'retrying', 'status'],
    [answered(500), 'retrying', 'status'],
    [failed('timeout'), 'retrying', 'timeout'],
    [failed('dns'), 'retrying', 'dns'],
    [failed('blocked_address'), 'retrying', 'blocked_address'],
  ] as const)('with the result %j becomes %s', async (result, status, failure) => {
    const { id: webhookId } = await makeWebhook();
    await emit();
    await deliver(scriptedEndpoint(() => result));
    const row = await onlyDelivery(webhookId);
    expect(row).toMatchObject({ status });
    expect(row.attempts).toMatchObject([{ failure }]);
  });

  it('is not retried after its webhook is deleted', async () => {
    const { id: webhookId } = await makeWebhook();
    await emit();
    const endpoint = scriptedEndpoint(() => answered(500));
    await deliver(endpoint);
    await makeDue(webhookId);
    await db.webhook.delete({ where: { id: webhookId } });
    expect(await deliver(endpoint)).toMatchObject({ attempted: 0 });
  });

  it('is on hold while its webhook is inactive', async () => {
    const { id } = await makeWebhook();
    await emit();
    await db.webhook.update({ where: { id }, data: { active: false } });
    const endpoint = scriptedEndpoint(() => ok());
    expect(await deliver(endpoint)).toMatchObject({ attempted: 0 });
    await db.webhook.update({ where: { id }, data: { active: true } });
    expect(await deliver(endpoint)).toMatchObject({ attempted: 1 });
  });
});

describe('a failing endpoint', () => {
  it('raises an alert after 30 failures in a row, is never paused, and recovers with one success', async () => {
    const { id } = await makeWebhook({ url: 'https://fails.example/hush' });
    const endpoint = scriptedEndpoint(() => answered(500));
    for (let failures = 1; failures <= 31; failures++) {
      await emit();
      await deliver(endpoint);
      expect(await db.webhook.findUnique({ where: { id } })).toMatchObject({ failuresInRow: failures, active: true });
    }
    const alerts = await db.alert.findMany({ where: { subject: { contains: id } } });
    expect(alerts).toMatchObject([
      { kind: 'webhook_failing', count: 31, status: 'open', subject: `fails.example (${id})` },
    ]);
    const since = (await db.webhook.findUniqueOrThrow({ where: { id } })).failingSince;
    expect(since).not.toBeNull();
    await emit();
    await deliver(scriptedEndpoint(() => ok()));
    expect(await db.webhook.findUnique({ where: { id } })).toMatchObject({ failuresInRow: 0, failingSince: null });
    const closed = await db.alert.findMany({ where: { subject: { contains: id } } });
    expect(closed).toMatchObject([{ status: 'closed', isResolved: true }]);
  });

  it('has at most one attempt in flight', async () => {
    const { id } = await makeWebhook();
    await db.webhook.update({ where: { id }, data: { failuresInRow: 1 } });
    for (let count = 0; count < 5; count++) await emit();
    const endpoint = heldEndpoint();
    const deliverer = createDeliverer({ db, post: endpoint.post, now });
    deliverer.kick();
    await endpoint.waiting(1);
    expect(await claimDue(db, { wanted: 100, wantedFailing: 100, perEndpoint: 8, perUnproven: 2, proven: [] })).toEqual(
      [],
    );
    endpoint.release(answered(500));
    await deliverer.stop();
    expect(endpoint.most()).toBe(1);
  });
});
