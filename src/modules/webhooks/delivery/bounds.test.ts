import { setTimeout } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { uuidv7 } from '@/lib/uuid';
import { emitEvent, insertTestEvent } from '@/modules/events/service';
import type { OutboundRequest, OutboundResult } from '@/server/outbound/request';
import { db } from '@/test/database';
import { makeMany, makeWebhook } from '@/test/factories';
import { answered } from '@/test/servers/scripted-endpoint';
import { emission } from '@/test/webhook-deliveries';
import type { Post } from './attempt';
import type { Claim } from './claim';
import { createDeliverer, type Deliverer } from './deliverer';

type Db = typeof db;

const now = () => new Date();
const WAIT = { timeout: 50_000 };
/** Longer than claims wait for each other. */
const QUIET_MS = 300;

/** The deliverer would also deliver to webhooks of other tests. */
afterEach(() => db.webhook.deleteMany());

describe('concurrency', () => {
  it('allows 512 deliveries plus 16 tests at a time, and makes all deliveries', async () => {
    const webhooks = await makeWebhooks(600);
    const endpoint = heldEndpoint();
    const deliverer = createDeliverer({ db, post: endpoint.post, now });
    const tests = await Promise.all(webhooks.slice(0, 16).map(({ id }) => leaseTest(id)));
    const tested = tests.map((test) => runTest(deliverer, test));
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

  it('allows 64 deliveries to failing endpoints without limiting healthy ones', async () => {
    await makeWebhooks(100);
    await db.webhook.updateMany({ data: { failuresInRow: 1 } });
    await makeWebhooks(10, 'https://healthy.example/');
    await emit();
    const endpoint = heldEndpoint();
    const deliverer = createDeliverer({ db, post: endpoint.post, now });
    deliverer.kick();
    await expect.poll(() => endpoint.requests.length, WAIT).toBeGreaterThanOrEqual(64 + 10);
    await claimOnce(deliverer);
    expect(endpoint.requests.filter(({ url }) => url.includes('healthy'))).toHaveLength(10);
    expect(endpoint.requests).toHaveLength(64 + 10);
    endpoint.release(answered(200));
    await deliverer.stop();
  });

  it('does not count tests towards the limit of an endpoint, and allows 2 tests per endpoint', async () => {
    const { id: webhookId } = await makeWebhook();
    const endpoint = heldEndpoint();
    const deliverer = createDeliverer({ db, post: endpoint.post, now });
    const tests = await Promise.all([leaseTest(webhookId), leaseTest(webhookId)]);
    const tested = tests.map((test) => runTest(deliverer, test));
    await expect.poll(() => endpoint.requests.length, WAIT).toBe(2);
    expect(deliverer.reserveTestSlot(webhookId)).toBeNull();
    deliverer.reserveTestSlot(uuidv7())?.();
    for (let count = 0; count < 3; count++) await emit();
    await claimOnce(deliverer);
    await expect.poll(() => endpoint.requests.length, WAIT).toBeGreaterThanOrEqual(4);
    await claimOnce(deliverer);
    expect(endpoint.requests).toHaveLength(4);
    endpoint.release(answered(200));
    await Promise.all(tested);
    await deliverer.stop();
    expect(deliverer.reserveTestSlot(webhookId)).not.toBeNull();
  });
});

describe('claims', () => {
  it('follow each other while more is due than one returns, but not after one that failed', async () => {
    await makeWebhooks(300);
    await emit();
    let claims = 0;
    const failing = withQueryRaw(async (run, statement) => {
      if (!statement.includes('claim_webhook_deliveries')) return run();
      claims += 1;
      if (claims === 2) throw new Error('database error');
      return run();
    });
    const endpoint = heldEndpoint();
    const deliverer = createDeliverer({ db: failing, post: endpoint.post, now });
    deliverer.kick();
    await expect.poll(() => claims, WAIT).toBe(2);
    await setTimeout(QUIET_MS);
    expect(claims).toBe(2);
    expect(endpoint.requests).toHaveLength(128);
    deliverer.kick();
    await expect.poll(() => endpoint.requests.length, WAIT).toBe(300);
    endpoint.release(answered(200));
    await deliverer.stop();
  });

  it('wait if what was claimed is mostly too long to be sent now', async () => {
    await makeWebhooks(300);
    await emit('x'.repeat(100_000));
    let claims = 0;
    const counting = afterClaim(async () => {
      claims += 1;
    });
    const endpoint = heldEndpoint();
    const deliverer = createDeliverer({ db: counting, post: endpoint.post, now });
    deliverer.kick();
    await expect.poll(() => endpoint.requests.length, WAIT).toBe(2);
    await setTimeout(QUIET_MS);
    expect([claims, endpoint.requests.length]).toEqual([1, 2]);
    endpoint.release(answered(200));
    await deliverer.stop();
  });
});

describe('a sweep', () => {
  it('ends before its timeout if everything it claimed was deleted', async () => {
    const { id } = await makeWebhook();
    for (let count = 0; count < 2; count++) await emit();
    const vanishing = afterClaim(async () => {
      await db.webhook.deleteMany({ where: { id } });
    });
    const endpoint = heldEndpoint();
    const deliverer = createDeliverer({ db: vanishing, post: endpoint.post, now });
    expect(await deliverer.sweep(24 * 3_600_000)).toEqual({ attempted: 0, delivered: 0, failed: 0 });
    expect(endpoint.requests).toEqual([]);
    await deliverer.stop();
  });

  it('claims again if an attempt ended during a claim that found no free slot', async () => {
    const { id: webhookId } = await makeWebhook();
    for (let count = 0; count < 3; count++) await emit();
    const second = heldEndpoint();
    let looks = 0;
    const slow = afterClaim(async () => {
      looks += 1;
      if (looks !== 2) return;
      second.release(answered(500));
      await expect.poll(() => db.webhookAttempt.count({ where: { delivery: { webhookId } } }), WAIT).toBe(2);
    });
    let calls = 0;
    const post: Post = async (request) => {
      calls += 1;
      return calls === 2 ? second.post(request) : answered(500);
    };
    const deliverer = createDeliverer({ db: slow, post, now });
    expect(await deliverer.sweep(60_000)).toEqual({ attempted: 3, delivered: 0, failed: 3 });
    await deliverer.stop();
  });
});

describe('an outcome', () => {
  it('is stored after a database error without calling the endpoint again', async () => {
    const { id: webhookId } = await makeWebhook();
    await emit();
    let failures = 0;
    const flaky = withQueryRaw(async (run, statement) => {
      if (statement.includes('webhook_attempt') && failures++ === 0) throw new Error('database error');
      return run();
    });
    const endpoint = heldEndpoint();
    endpoint.release(answered(200));
    const deliverer = createDeliverer({ db: flaky, post: endpoint.post, now });
    expect(await deliverer.sweep(60_000)).toEqual({ attempted: 1, delivered: 1, failed: 0 });
    await deliverer.stop();
    expect(failures).toBe(2);
    expect(endpoint.requests).toHaveLength(1);
    const row = await db.webhookDelivery.findFirstOrThrow({ where: { webhookId }, include: { attempts: true } });
    expect(row).toMatchObject({ status: 'delivered', attemptCount: 1, leaseToken: null });
    expect(row.attempts).toHaveLength(1);
  });
});

describe('stopping', () => {
  it('during a claim releases the claimed deliveries, due immediately, and sends nothing', async () => {
    const { id: webhookId } = await makeWebhook();
    for (let count = 0; count < 3; count++) await emit();
    const stops: Promise<void>[] = [];
    const stopping = afterClaim(async () => {
      expect(await db.webhookDelivery.count({ where: { webhookId, leaseToken: { not: null } } })).toBe(2);
      stops.push(deliverer.stop());
    });
    const endpoint = heldEndpoint();
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
  return makeMany(count, () => makeWebhook({ url }));
}

/** Sets the due time into the past, since times are rounded to the millisecond. */
async function emit(subject?: string): Promise<void> {
  await emitEvent(db, { ...emission({ subject }), at: now() });
  await db.$executeRaw`
    UPDATE webhook_delivery SET next_attempt_at = now() - interval '1 second'
     WHERE lease_token IS NULL AND next_attempt_at IS NOT NULL`;
}

/** Like POST /webhooks/{id}/test. */
async function leaseTest(webhookId: string): Promise<Claim> {
  const eventId = await insertTestEvent(db, { type: 'mail.sent', domainId: null, at: now() });
  const claim = { id: uuidv7(), token: uuidv7(), webhookId, eventId, attemptCount: 0, isFailing: false };
  await db.$executeRaw`
    INSERT INTO webhook_delivery (id, webhook_id, event_id, lease_token, next_attempt_at)
    VALUES (${claim.id}::uuid, ${webhookId}::uuid, ${eventId}::uuid, ${claim.token}::uuid, now() + interval '1 hour')`;
  return claim;
}

/** Like testWebhook: reserves a slot, delivers, releases the slot. */
async function runTest(deliverer: Deliverer, test: Claim): Promise<void> {
  const releaseSlot = deliverer.reserveTestSlot(test.webhookId);
  if (!releaseSlot) throw new Error('no test slot is free');
  await deliverer.deliver(test);
  releaseSlot();
}

/** A sweep that times out after its first claim. */
function claimOnce(deliverer: ReturnType<typeof createDeliverer>) {
  return deliverer.sweep(0);
}

/** The database, with each `$queryRaw` wrapped in `around`. */
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

/** An endpoint that responds to no request until it is released. */
function heldEndpoint() {
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
