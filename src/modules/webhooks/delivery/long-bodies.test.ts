import { createHash } from 'node:crypto';
import { afterEach, expect, it, vi } from 'vitest';
import { emitBody } from '@/modules/events/service';
import type { OutboundRequest, OutboundResult } from '@/server/outbound/request';
import { db } from '@/test/database';
import { makeWebhook, unique } from '@/test/factories';
import { createDeliverer } from './deliverer';

type Db = typeof db;

const now = () => new Date();
const WAIT = { timeout: 50_000 };

/** Three parts. */
const BODY = new TextEncoder().encode(JSON.stringify('x'.repeat(1_200_000)));

/** The deliverer would also deliver to webhooks of other tests. */
afterEach(async () => {
  vi.restoreAllMocks();
  await db.webhook.deleteMany();
});

it('sends at most 2 at a time, holds no lease for those waiting, and delivers each complete and once', async () => {
  await Promise.all(Array.from({ length: 5 }, () => makeWebhook()));
  await emitLong();
  const endpoint = heldEndpoint();
  const deliverer = createDeliverer({ db, post: endpoint.post, now });
  deliverer.kick();
  await expect.poll(() => endpoint.requests.length, WAIT).toBeGreaterThanOrEqual(2);
  await expect.poll(countWaiting, WAIT).toBe(3);
  await makeWaitingDue();
  await deliverer.sweep(0);
  await makeWaitingDue();
  await deliverer.sweep(0);
  expect(await countWaiting()).toBe(3);
  expect(await db.webhookDelivery.count({ where: { leaseToken: { not: null } } })).toBe(2);
  expect(endpoint.requests).toHaveLength(2);

  endpoint.release();
  const delivered = async () => {
    await makeWaitingDue();
    deliverer.kick();
    return db.webhookDelivery.count({ where: { status: 'delivered', attemptCount: 1 } });
  };
  await expect.poll(delivered, WAIT).toBe(5);
  await deliverer.stop();
  expect(endpoint.most()).toBe(2);
  expect(new Set(endpoint.requests.map(({ headers }) => headers['X-Service-Delivery'])).size).toBe(5);
  expect(endpoint.bodies).toEqual(Array(5).fill(sha256(BODY)));
});

it('does not block short bodies', async () => {
  await Promise.all(Array.from({ length: 5 }, () => makeWebhook({ events: ['mail.received.full'] })));
  const { id: webhookId } = await makeWebhook({ events: ['mail.sent'] });
  await emitLong();
  const endpoint = heldEndpoint();
  const deliverer = createDeliverer({ db, post: endpoint.post, now });
  deliverer.kick();
  await expect.poll(() => endpoint.requests.length, WAIT).toBe(2);
  await emitBody(db, { ...subject(), type: 'mail.sent' }, new TextEncoder().encode('{}'));
  const sent = () => {
    deliverer.kick();
    return endpoint.requests.length;
  };
  await expect.poll(sent, WAIT).toBe(3);
  expect(endpoint.requests[2]?.headers['X-Service-Event']).toBe('mail.sent');
  endpoint.release();
  await deliverer.stop();
  expect(await db.webhookDelivery.findFirst({ where: { webhookId } })).toMatchObject({ status: 'delivered' });
});

it('of failing endpoints delay those of no other', async () => {
  await Promise.all(Array.from({ length: 3 }, () => makeWebhook({ url: 'https://dead.example/' })));
  await db.webhook.updateMany({ data: { failuresInRow: 1 } });
  await emitLong();
  const endpoint = heldEndpoint();
  const deliverer = createDeliverer({ db, post: endpoint.post, now });
  deliverer.kick();
  await expect.poll(() => endpoint.requests.length, WAIT).toBe(2);
  const { id: webhookId } = await makeWebhook({ url: 'https://healthy.example/' });
  await emitLong();
  const urls = () => {
    deliverer.kick();
    return endpoint.requests.map(({ url }) => url);
  };
  await expect.poll(urls, WAIT).toContain('https://healthy.example/');
  expect(urls().filter((url) => url === 'https://dead.example/')).toHaveLength(2);
  endpoint.release();
  await deliverer.stop();
  expect(await db.webhookDelivery.findFirst({ where: { webhookId } })).toMatchObject({ status: 'delivered' });
});

it('sends nothing if the lease is lost while the body is signed', async () => {
  const { id: webhookId } = await makeWebhook();
  await emitLong();
  let reads = 0;
  const losing = withPartReads(async () => {
    if (++reads === 1) await takeLease(webhookId);
  });
  const endpoint = heldEndpoint();
  endpoint.release();
  const deliverer = createDeliverer({ db: losing, post: endpoint.post, now });
  expect(await deliverer.sweep(60_000)).toEqual({ attempted: 0, delivered: 0, failed: 0 });
  await deliverer.stop();
  expect(reads).toBeGreaterThanOrEqual(1);
  expect(endpoint.requests).toEqual([]);
  const row = await db.webhookDelivery.findFirstOrThrow({ where: { webhookId }, include: { attempts: true } });
  expect(row).toMatchObject({ status: 'pending', attemptCount: 0, attempts: [] });
  expect(row.leaseToken).not.toBeNull();
});

it('renews the lease during a slow read, and stops reading once the lease is lost', async () => {
  const { id: webhookId } = await makeWebhook();
  await emitLong();
  let elapsedMs = 0;
  const begin = performance.now();
  vi.spyOn(performance, 'now').mockImplementation(() => begin + elapsedMs);
  const leases: number[] = [];
  const slow = withPartReads(async (position) => {
    elapsedMs += 9_000;
    leases.push(await shortenLease(webhookId));
    if (position === 1) await takeLease(webhookId);
  });
  const endpoint = heldEndpoint();
  endpoint.release();
  const deliverer = createDeliverer({ db: slow, post: endpoint.post, now });
  expect(await deliverer.sweep(60_000)).toEqual({ attempted: 0, delivered: 0, failed: 0 });
  await deliverer.stop();
  expect(endpoint.requests).toEqual([]);
  expect(leases).toHaveLength(2);
  // Shortened to 10 s each time, then renewed.
  for (const seconds of leases) expect(seconds).toBeGreaterThan(10);
});

function subject() {
  const type = 'mail.received.full' as const;
  return { type, messageRowId: null, domainId: null, recipient: `${unique()}@example.com`, at: now() };
}

/** Sets the due time into the past, since times are rounded to the millisecond. */
async function emitLong(): Promise<void> {
  await emitBody(db, subject(), BODY);
  await makeWaitingDue();
}

function countWaiting(): Promise<number> {
  return db.webhookDelivery.count({ where: { leaseToken: null, nextAttemptAt: { not: null }, status: 'pending' } });
}

function makeWaitingDue() {
  return db.$executeRaw`
    UPDATE webhook_delivery SET next_attempt_at = now() - interval '1 second'
     WHERE lease_token IS NULL AND next_attempt_at IS NOT NULL`;
}

/** Takes over the delivery like another process. */
async function takeLease(webhookId: string): Promise<void> {
  await db.$executeRaw`
    UPDATE webhook_delivery SET lease_token = gen_random_uuid(), next_attempt_at = now() + interval '1 hour'
     WHERE webhook_id = ${webhookId}::uuid`;
}

/** Shortens the lease to 10 s. @returns the seconds left before */
async function shortenLease(webhookId: string): Promise<number> {
  const [before] = await db.$queryRaw<{ seconds: number }[]>`
    SELECT extract(epoch FROM next_attempt_at - now())::float8 AS seconds FROM webhook_delivery
     WHERE webhook_id = ${webhookId}::uuid`;
  await db.$executeRaw`
    UPDATE webhook_delivery SET next_attempt_at = now() + interval '10 seconds' WHERE webhook_id = ${webhookId}::uuid`;
  return before?.seconds ?? Number.NaN;
}

/** The database, which calls `before` before each part of a body is read. */
function withPartReads(before: (position: number) => Promise<void>): Db {
  type Find = Db['eventPart']['findUnique'];
  const find = async (query: Parameters<Find>[0]) => {
    await before(query.where.eventId_position?.position ?? Number.NaN);
    return db.eventPart.findUnique(query);
  };
  const eventPart = new Proxy(db.eventPart, {
    get: (target, property) => (property === 'findUnique' ? find : Reflect.get(target, property, target)),
  });
  return new Proxy(db, {
    get: (target, property) => (property === 'eventPart' ? eventPart : Reflect.get(target, property, target)),
  });
}

/** An endpoint that responds to no request until it is released, and then after it has read the body. */
function heldEndpoint() {
  const requests: OutboundRequest[] = [];
  const bodies: string[] = [];
  let most = 0;
  let under = 0;
  let release: () => void = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const post = async (request: OutboundRequest): Promise<OutboundResult> => {
    requests.push(request);
    under += 1;
    most = Math.max(most, under);
    await released;
    const pieces: Uint8Array[] = [];
    if (!(request.body instanceof Uint8Array)) for await (const piece of request.body) pieces.push(piece);
    bodies.push(sha256(Buffer.concat(pieces)));
    under -= 1;
    const answer = { status: 200, statusText: '', headers: [], excerpt: '' };
    return { outcome: 'answered', durationMs: 5, remoteAddress: '192.0.2.1', ...answer };
  };
  return { requests, bodies, post, most: () => most, release };
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
