import { v7 as uuidv7 } from 'uuid';
import { afterEach, describe, expect, it } from 'vitest';
import { emitEvent, insertTestEvent } from '@/modules/events/service';
import type { OutboundRequest, OutboundResult } from '@/server/outbound/post';
import { db } from '@/test/database';
import { makeWebhook, unique } from '@/test/factories';
import type { Post } from './attempt';
import type { Claim } from './claim';
import { createDeliverer, type Deliverer } from './deliverer';

type Db = typeof db;

const now = () => new Date();
const WAIT = { timeout: 50_000 };

/** Other tests' webhooks would be delivered to as well. */
afterEach(() => db.webhook.deleteMany());

describe('what is under way', () => {
  it('is 512 deliveries at most, beside 16 tests that take no room of theirs, and all are made', async () => {
    const webhooks = await makeWebhooks(600);
    const endpoint = held();
    const deliverer = createDeliverer({ db, post: endpoint.post, now });
    const tests = await Promise.all(webhooks.slice(0, 16).map(({ id }) => leaseTest(id)));
    const tested = tests.map((test) => seated(deliverer, test));
    await expect.poll(() => endpoint.requests.length, WAIT).toBe(16);
    await emit();
    deliverer.kick();
    await expect.poll(() => endpoint.requests.length, WAIT).toBeGreaterThanOrEqual(16 + 512);
    await claimOnce(deliverer);
    expect(await db.webhookDelivery.count({ where: { leaseToken: { not: null } } })).toBe(16 + 512);
    expect(endpoint.requests).toHaveLength(16 + 512);
    endpoint.release(answered(200));
    await Promise.all(tested);
    const done = () => db.webhookDelivery.count({ where: { status: 'delivered', attemptCount: 1 } });
    await expect.poll(done, WAIT).toBe(616);
    await deliverer.stop();
    expect(new Set(endpoint.requests.map(deliveryOf)).size).toBe(616);
    expect(endpoint.requests).toHaveLength(616);
  });

  it('is 64 at most for endpoints that fail, beside those that do not', async () => {
    await makeWebhooks(100);
    await db.webhook.updateMany({ data: { failuresInRow: 1 } });
    await makeWebhooks(10, 'https://healthy.example/');
    await emit();
    const endpoint = held();
    const deliverer = createDeliverer({ db, post: endpoint.post, now });
    deliverer.kick();
    await expect.poll(() => endpoint.requests.length, WAIT).toBeGreaterThanOrEqual(64 + 10);
    await claimOnce(deliverer);
    expect(endpoint.requests.filter(({ url }) => url.includes('healthy'))).toHaveLength(10);
    expect(endpoint.requests).toHaveLength(64 + 10);
    endpoint.release(answered(200));
    await deliverer.stop();
  });

  it('for a test does not count for its endpoint, and 2 tests leave no room for a third', async () => {
    const { id: webhookId } = await makeWebhook();
    const endpoint = held();
    const deliverer = createDeliverer({ db, post: endpoint.post, now });
    const tests = await Promise.all([leaseTest(webhookId), leaseTest(webhookId)]);
    const tested = tests.map((test) => seated(deliverer, test));
    await expect.poll(() => endpoint.requests.length, WAIT).toBe(2);
    expect(deliverer.takeTestSeat(webhookId)).toBeNull();
    deliverer.takeTestSeat(uuidv7())?.();
    for (let count = 0; count < 3; count++) await emit();
    await claimOnce(deliverer);
    await expect.poll(() => endpoint.requests.length, WAIT).toBeGreaterThanOrEqual(4);
    await claimOnce(deliverer);
    expect(endpoint.requests).toHaveLength(4);
    endpoint.release(answered(200));
    await Promise.all(tested);
    await deliverer.stop();
    expect(deliverer.takeTestSeat(webhookId)).not.toBeNull();
  });
});

describe('a sweep', () => {
  it('ends, long before its time is up, where all that it claimed is gone when it looks at it', async () => {
    const { id } = await makeWebhook();
    for (let count = 0; count < 2; count++) await emit();
    const vanishing = afterClaim(async () => {
      await db.webhook.deleteMany({ where: { id } });
    });
    const endpoint = held();
    const deliverer = createDeliverer({ db: vanishing, post: endpoint.post, now });
    expect(await deliverer.sweep(24 * 3_600_000)).toEqual({ attempted: 0, delivered: 0, failed: 0 });
    expect(endpoint.requests).toEqual([]);
    await deliverer.stop();
  });

  it('looks again where what was under way ended while it looked and found no room', async () => {
    const { id: webhookId } = await makeWebhook();
    for (let count = 0; count < 3; count++) await emit();
    const second = held();
    let looks = 0;
    const slow = afterClaim(async () => {
      looks += 1;
      if (looks !== 2) return;
      second.release(answered(500));
      await expect.poll(() => db.webhookAttempt.count({ where: { delivery: { webhookId } } }), WAIT).toBe(2);
    });
    let asked = 0;
    const post: Post = async (request) => {
      asked += 1;
      return asked === 2 ? second.post(request) : answered(500);
    };
    const deliverer = createDeliverer({ db: slow, post, now });
    expect(await deliverer.sweep(60_000)).toEqual({ attempted: 3, delivered: 0, failed: 3 });
    await deliverer.stop();
  });
});

describe('an outcome', () => {
  it('is stored though the database refuses it at first, and the endpoint is asked once', async () => {
    const { id: webhookId } = await makeWebhook();
    await emit();
    let refusals = 0;
    const flaky = withQueryRaw(async (run, statement) => {
      if (statement.includes('webhook_attempt') && refusals++ === 0) throw new Error('refused');
      return run();
    });
    const endpoint = held();
    endpoint.release(answered(200));
    const deliverer = createDeliverer({ db: flaky, post: endpoint.post, now });
    expect(await deliverer.sweep(60_000)).toEqual({ attempted: 1, delivered: 1, failed: 0 });
    await deliverer.stop();
    expect(refusals).toBe(2);
    expect(endpoint.requests).toHaveLength(1);
    const row = await db.webhookDelivery.findFirstOrThrow({ where: { webhookId }, include: { attempts: true } });
    expect(row).toMatchObject({ status: 'delivered', attemptCount: 1, leaseToken: null });
    expect(row.attempts).toHaveLength(1);
  });
});

describe('stopping', () => {
  it('in the middle of a claim gives back what was claimed, due at once, and sends nothing', async () => {
    const { id: webhookId } = await makeWebhook();
    for (let count = 0; count < 3; count++) await emit();
    const stops: Promise<void>[] = [];
    const stopping = afterClaim(async () => {
      expect(await db.webhookDelivery.count({ where: { webhookId, leaseToken: { not: null } } })).toBe(2);
      stops.push(deliverer.stop());
    });
    const endpoint = held();
    endpoint.release(answered(200));
    const deliverer = createDeliverer({ db: stopping, post: endpoint.post, now });
    await deliverer.sweep(60_000);
    await Promise.all(stops);
    expect(stops).toHaveLength(1);
    expect(endpoint.requests).toEqual([]);
    const [free] = await db.$queryRaw<{ count: number }[]>`
      SELECT count(*)::int FROM webhook_delivery WHERE webhook_id = ${webhookId}::uuid AND status = 'pending'
         AND lease_token IS NULL AND next_attempt_at <= now() AND attempt_count = 0`;
    expect(free?.count).toBe(3);
  });
});

async function makeWebhooks(count: number, url?: string): Promise<{ id: string }[]> {
  return Promise.all(Array.from({ length: count }, () => makeWebhook({ url })));
}

/** Due for certain: times are rounded to the millisecond. */
async function emit(): Promise<void> {
  const messageId = `<${unique()}@example.com>`;
  await emitEvent(db, { type: 'mail.sent', messageId, messageRowId: null, domainId: null, at: now(), data: {} });
  await db.$executeRaw`
    UPDATE webhook_delivery SET next_attempt_at = now() - interval '1 second'
     WHERE lease_token IS NULL AND next_attempt_at IS NOT NULL`;
}

/** As POST /webhooks/{id}/test does. */
async function leaseTest(webhookId: string): Promise<Claim> {
  const claim = { id: uuidv7(), token: uuidv7(), webhookId, isFailing: false };
  const eventId = await insertTestEvent(db, { type: 'mail.sent', domainId: null, at: now() });
  await db.$executeRaw`
    INSERT INTO webhook_delivery (id, webhook_id, event_id, lease_token, next_attempt_at)
    VALUES (${claim.id}::uuid, ${webhookId}::uuid, ${eventId}::uuid, ${claim.token}::uuid, now() + interval '1 hour')`;
  return claim;
}

/** As the verb does it. */
async function seated(deliverer: Deliverer, test: Claim): Promise<void> {
  const leave = deliverer.takeTestSeat(test.webhookId);
  if (!leave) throw new Error('there is no seat');
  await deliverer.deliver(test);
  leave();
}

/** A sweep whose time is up after its first claim. */
function claimOnce(deliverer: ReturnType<typeof createDeliverer>) {
  return deliverer.sweep(0);
}

/** The database, where each `$queryRaw` goes through `around`. */
function withQueryRaw(around: (run: () => Promise<unknown>, statement: string) => Promise<unknown>): Db {
  return new Proxy(db, {
    get(target, property) {
      if (property !== '$queryRaw') return Reflect.get(target, property, target);
      return (parts: TemplateStringsArray, ...values: unknown[]) =>
        around(async () => target.$queryRaw(parts, ...values), parts.join('?'));
    },
  });
}

function afterClaim(then: () => Promise<void>): Db {
  return withQueryRaw(async (run, statement) => {
    const rows = await run();
    if (statement.includes('claim_webhook_deliveries')) await then();
    return rows;
  });
}

/** An endpoint that answers nobody until it is released, and then everybody. */
function held() {
  const requests: OutboundRequest[] = [];
  let release: (result: OutboundResult) => void = () => {};
  const released = new Promise<OutboundResult>((resolve) => {
    release = resolve;
  });
  const post: Post = (request) => {
    requests.push(request);
    return released;
  };
  return { requests, post, release: (result: OutboundResult) => release(result) };
}

function deliveryOf({ headers }: OutboundRequest): string {
  return headers['X-Service-Delivery'] ?? '';
}

function answered(status: number): OutboundResult {
  const answer = { status, statusText: '', headers: [], excerpt: '' };
  return { outcome: 'answered', durationMs: 5, remoteAddress: '192.0.2.1', ...answer };
}
