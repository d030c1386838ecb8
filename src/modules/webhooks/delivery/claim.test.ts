import { afterEach, expect, it } from 'vitest';
import type { Tx } from '@/server/database/db';
import { db } from '@/test/database';
import { makeMany, makeWebhook } from '@/test/factories';
import { claimDue } from './claim';

afterEach(async () => {
  await db.webhook.deleteMany();
  await db.$executeRaw`TRUNCATE webhook_delivery CASCADE`;
});

const ROOM = { wanted: 256, wantedFailing: 64, perEndpoint: 8, perUnproven: 2, proven: [] };
const CLAIM = `SELECT * FROM claim_webhook_deliveries(256, 64, 8, 2, '{}', '25 s', NULL)`;

type Plan = { 'QUERY PLAN': [{ Plan: { 'Shared Hit Blocks': number; 'Shared Read Blocks': number } }] };

it('reads at most three times as many pages for 200,000 pending deliveries as for 100', async () => {
  await makeMany(20, () => makeWebhook());
  await makeWaiting(5);
  await claimDue(db, ROOM);
  await releaseAll();
  const few = await pagesReadByClaim();
  await makeWaiting(10_000);
  const many = await pagesReadByClaim();
  expect(await db.webhookDelivery.count()).toBe(200_100);
  expect(few).toBeGreaterThan(0);
  expect(many / few).toBeLessThan(3);
});

it('gets deliveries while other instances claim, too, and no more than are allowed over all of them', async () => {
  await makeMany(20, () => makeWebhook());
  await makeWaiting(50);
  const claims = await Promise.all(Array.from({ length: 6 }, () => claimDue(db, { ...ROOM, wanted: 8 })));
  expect(claims.map(({ length }) => length).toSorted()).toEqual([0, 8, 8, 8, 8, 8]);
});

it('reads no whole table, and of the rows under way and due only a few more than it returns', async () => {
  await makeMany(20, () => makeWebhook());
  await makeWaiting(500);
  await claimDue(db, ROOM);
  const read = await db.$transaction(async (tx) => {
    const before = await readsOf(tx);
    const claimed: unknown[] = await tx.$queryRaw`
      SELECT FROM claim_webhook_deliveries(256, 64, 8, 8, '{}', '25 s', NULL)`;
    expect(claimed.length).toBe(20 * (8 - 2));
    const after = await readsOf(tx);
    return {
      scans: after.scans - before.scans,
      events: after.events - before.events,
      deliveries: after.deliveries - before.deliveries,
    };
  });
  expect(read).toMatchObject({ scans: 0, events: 20 * 2 });
  expect(read.deliveries).toBeLessThan(20 * 8 * 5);
});

/** Creates due deliveries for each webhook. */
async function makeWaiting(eventCount: number): Promise<void> {
  await db.$executeRaw`
    WITH new_event AS (
      INSERT INTO event (id, type, body, body_bytes)
      SELECT uuid_v7(), 'mail.sent', '{}', 2 FROM generate_series(1, ${eventCount}::int) RETURNING id
    )
    INSERT INTO webhook_delivery (id, webhook_id, event_id, next_attempt_at)
    SELECT uuid_v7(), w.id, new_event.id, now() - interval '1 second' FROM webhook w, new_event`;
  await db.$executeRaw`ANALYZE webhook_delivery`;
}

function releaseAll() {
  return db.$executeRaw`
    UPDATE webhook_delivery SET lease_token = NULL, next_attempt_at = now() - interval '1 second' WHERE lease_token IS NOT NULL`;
}

/** Measures the second of two claims, so that neither planning nor dead rows count. */
async function pagesReadByClaim(): Promise<number> {
  await db.$queryRawUnsafe(CLAIM);
  await releaseAll();
  await db.$executeRaw`VACUUM webhook_delivery`;
  const [plan] = await db.$queryRawUnsafe<Plan[]>(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${CLAIM}`);
  await releaseAll();
  const { 'Shared Hit Blocks': hit = 0, 'Shared Read Blocks': read = 0 } = plan?.['QUERY PLAN'][0].Plan ?? {};
  return hit + read;
}

/** Whole tables read, and rows read by an index. Postgres also counts the connection's transactions of the last second. */
async function readsOf(tx: Tx): Promise<{ scans: number; events: number; deliveries: number }> {
  const [reads] = await tx.$queryRaw<[{ scans: number; events: number; deliveries: number }]>`
    SELECT sum(seq_scan)::int AS scans, sum(idx_tup_fetch) FILTER (WHERE relname = 'event')::int AS events,
           sum(idx_tup_fetch) FILTER (WHERE relname = 'webhook_delivery')::int AS deliveries
      FROM pg_stat_xact_user_tables WHERE relname IN ('event', 'webhook', 'webhook_delivery')`;
  return reads;
}
