import { afterEach, describe, expect, it } from 'vitest';
import { emitEvent } from '@/modules/events/service';
import { db } from '@/test/database';
import { makeDomain, makeWebhook, unique } from '@/test/factories';
import { answered, failed, heldEndpoint, ok, scriptedEndpoint } from '@/test/servers/scripted-endpoint';
import type { Post } from './attempt';
import { claimDue, loadJobs } from './claim';
import { createDeliverer } from './deliverer';
import { finishAttempt, RETRY_DELAYS_SECONDS } from './finish';

const now = () => new Date();

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
      { kind: 'webhook_failing', count: 30, status: 'open', subject: `fails.example (${id})` },
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
    const [healthy, hanging] = await Promise.all(
      ['healthy', 'hanging'].map((kind) =>
        Promise.all(
          Array.from({ length: 50 }, () => makeWebhook({ domainId: domain.id, url: `https://${kind}.example/` })),
        ),
      ),
    );
    for (let count = 0; count < 8; count++) await emit({ domainId: domain.id });
    const stuck = heldEndpoint();
    const deliverer = createDeliverer({
      db,
      now,
      post: (request) => (request.url.includes('hanging') ? stuck.post(request) : Promise.resolve(ok())),
    });
    const ids = healthy?.map(({ id }) => id) ?? [];
    const done = () => db.webhookDelivery.count({ where: { webhookId: { in: ids }, status: 'delivered' } });
    deliverer.kick();
    await expect.poll(done, { timeout: 50_000 }).toBe(400);
    expect(stuck.most()).toBe(100);
    stuck.release(failed('timeout'));
    await deliverer.stop();
    const row = await db.webhook.findUniqueOrThrow({ where: { id: hanging?.[0]?.id ?? '' } });
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
    await finishAttempt(db, late, { ...outcome, answer: '', remoteAddress: null });
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

function emission({ domainId = null as string | null, marker = unique() } = {}) {
  const messageId = `<${marker}@example.com>`;
  const data = {
    message_id: messageId,
    from: 'a@example.com',
    to: ['b@far.example'],
    subject: 's',
    domain: 'example.com',
  };
  return { type: 'mail.sent' as const, messageId, messageRowId: null, domainId, at: now(), data };
}

async function emit(over: { domainId?: string } = {}): Promise<string> {
  const marker = unique();
  await emitEvent(db, emission({ ...over, marker }));
  const { id } = await db.event.findFirstOrThrow({ where: { body: { contains: marker } } });
  return id;
}

/** Runs one sweep with its own deliverer, then stops it. */
async function deliver(endpoint: { post: Post }) {
  const deliverer = createDeliverer({ db, post: endpoint.post, now });
  const report = await deliverer.sweep(30_000);
  await deliverer.stop();
  return report;
}

function onlyDelivery(webhookId: string) {
  return db.webhookDelivery.findFirstOrThrow({
    where: { webhookId },
    include: { attempts: { orderBy: { number: 'asc' } } },
  });
}

function makeDue(webhookId: string) {
  return db.$executeRaw`
    UPDATE webhook_delivery SET next_attempt_at = now() - interval '1 second'
     WHERE webhook_id = ${webhookId}::uuid AND next_attempt_at IS NOT NULL`;
}

async function secondsUntil(webhookId: string): Promise<number> {
  const [row] = await db.$queryRaw<{ seconds: number }[]>`
    SELECT extract(epoch FROM next_attempt_at - now())::float8 AS seconds FROM webhook_delivery
     WHERE webhook_id = ${webhookId}::uuid`;
  return row?.seconds ?? Number.NaN;
}
