import { afterEach, describe, expect, it } from 'vitest';
import { db } from '@/test/database';
import { makeDomain, makeMany, makeWebhook } from '@/test/factories';
import { failed, heldEndpoint, ok, scriptedEndpoint } from '@/test/servers/scripted-endpoint';
import { deliver, emit, makeDue, now, onlyDelivery, secondsUntil } from '@/test/webhook-deliveries';
import { claimDue, loadJobs } from './claim';
import { createDeliverer } from './deliverer';
import { finishAttempts } from './finish';

/** The deliverer would also deliver to webhooks of other tests. */
afterEach(() => db.webhook.deleteMany());

describe('many deliveries', () => {
  it('are delivered once each by several processes', async () => {
    const webhooks = await Promise.all(Array.from({ length: 4 }, () => makeWebhook()));
    for (let count = 0; count < 50; count++) await emit();
    const endpoint = scriptedEndpoint(() => ok());
    const reports = await Promise.all([deliver(endpoint), deliver(endpoint), deliver(endpoint)]);
    await deliver(endpoint);
    const delivered = reports.reduce((sum, report) => sum + report.delivered, 0);
    expect(delivered).toBe(200);
    expect(new Set(endpoint.requests.map(({ headers }) => headers['X-Service-Delivery'])).size).toBe(200);
    const left = { webhookId: { in: webhooks.map(({ id }) => id) }, status: { not: 'delivered' as const } };
    expect(await db.webhookDelivery.count({ where: left })).toBe(0);
  });

  it('are limited to 2 at a time for an unproven endpoint, and to 8 for one that responds promptly', async () => {
    const { id } = await makeWebhook();
    for (let count = 0; count < 30; count++) await emit();
    const everything = { wanted: 100, wantedFailing: 100, perEndpoint: 8, perUnproven: 2 };
    expect(await claimDue(db, { ...everything, proven: [] })).toHaveLength(2);
    expect(await claimDue(db, { ...everything, proven: [] })).toHaveLength(0);
    expect(await claimDue(db, { ...everything, proven: [id] })).toHaveLength(6);
    expect(await claimDue(db, { ...everything, proven: [id] })).toHaveLength(0);
  });

  it('are made to 50 healthy endpoints while 50 others hang', async () => {
    const domain = await makeDomain();
    const makeFifty = (kind: string) =>
      makeMany(50, () => makeWebhook({ domainId: domain.id, url: `https://${kind}.example/` }));
    const [healthy, hanging] = [await makeFifty('healthy'), await makeFifty('hanging')];
    for (let count = 0; count < 8; count++) await emit({ domainId: domain.id });
    const stuck = heldEndpoint();
    const deliverer = createDeliverer({
      db,
      now,
      post: (request) => (request.url.includes('hanging') ? stuck.post(request) : Promise.resolve(ok())),
    });
    const ids = healthy.map(({ id }) => id);
    const done = () => db.webhookDelivery.count({ where: { webhookId: { in: ids }, status: 'delivered' } });
    deliverer.kick();
    await expect.poll(done, { timeout: 50_000 }).toBe(400);
    expect(stuck.most()).toBe(100);
    stuck.release(failed('timeout'));
    await deliverer.stop();
    const row = await db.webhook.findUniqueOrThrow({ where: { id: hanging[0]?.id ?? '' } });
    expect(row.failuresInRow).toBeGreaterThan(0);
  });
});

describe('a lease', () => {
  it('prevents finishing an attempt after the lease was lost', async () => {
    const { id: webhookId } = await makeWebhook();
    await emit();
    const [late] = await loadJobs(
      db,
      await claimDue(db, { wanted: 9, wantedFailing: 9, perEndpoint: 8, perUnproven: 2, proven: [] }),
    );
    if (!late) throw new Error('nothing was claimed');
    await makeDue(webhookId);
    await deliver(scriptedEndpoint(() => ok()));
    const outcome = { startedAt: now(), durationMs: 1, statusCode: 500, failure: 'status' as const };
    await finishAttempts(db, [{ job: late, outcome: { ...outcome, answer: '', remoteAddress: null } }]);
    const row = await onlyDelivery(webhookId);
    expect(row).toMatchObject({ status: 'delivered', attemptCount: 1 });
    expect(await db.webhook.findUnique({ where: { id: webhookId } })).toMatchObject({ failuresInRow: 0 });
  });

  it('left behind by a crash ends within 30 s, and another process takes over', async () => {
    const { id: webhookId } = await makeWebhook();
    await emit();
    await claimDue(db, { wanted: 9, wantedFailing: 9, perEndpoint: 8, perUnproven: 2, proven: [] });
    const left = await secondsUntil(webhookId);
    expect(left).toBeGreaterThan(10);
    expect(left).toBeLessThanOrEqual(30);
    const endpoint = scriptedEndpoint(() => ok());
    expect(await deliver(endpoint)).toMatchObject({ attempted: 0 });
    await makeDue(webhookId);
    expect(await deliver(endpoint)).toMatchObject({ attempted: 1 });
  });
});

describe('stopping', () => {
  it('starts no more attempts and waits for those in flight', async () => {
    const { id: webhookId } = await makeWebhook();
    for (let count = 0; count < 5; count++) await emit();
    const endpoint = heldEndpoint();
    const deliverer = createDeliverer({ db, post: endpoint.post, now });
    deliverer.kick();
    await endpoint.waiting(2);
    const stopped = deliverer.stop();
    endpoint.release(ok());
    await stopped;
    const rows = await db.webhookDelivery.findMany({ where: { webhookId } });
    expect(rows.filter(({ status }) => status === 'delivered')).toHaveLength(2);
    expect(rows.filter(({ leaseToken }) => leaseToken !== null)).toEqual([]);
    deliverer.kick();
    expect(await deliverer.sweep(1000)).toEqual({ attempted: 0, delivered: 0, failed: 0 });
  });
});
