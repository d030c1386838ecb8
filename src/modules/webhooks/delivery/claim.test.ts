import { expect, it } from 'vitest';
import { db } from '@/test/database';
import { makeWebhook } from '@/test/factories';
import { claimDue } from './claim';

const ROOM = { wanted: 256, wantedFailing: 64, perEndpoint: 8, perUnproven: 2, proven: [] };
const CLAIM = `SELECT * FROM claim_webhook_deliveries(256, 64, 8, 2, '{}', '25 s')`;

type Plan = { 'QUERY PLAN': [{ Plan: { 'Shared Hit Blocks': number; 'Shared Read Blocks': number } }] };

it('reads hardly more of the database for 200,000 waiting deliveries than for 100', async () => {
  await Promise.all(Array.from({ length: 20 }, () => makeWebhook()));
  await wait(5);
  await claimDue(db, ROOM);
  await free();
  const few = await pagesOfAClaim();
  await wait(10_000);
  const many = await pagesOfAClaim();
  expect(await db.webhookDelivery.count()).toBe(200_100);
  expect(few).toBeGreaterThan(0);
  expect(many / few).toBeLessThan(3);
});

/** Deliveries for each webhook, all due. */
async function wait(eventCount: number): Promise<void> {
  await db.$executeRaw`
    WITH happened AS (
      INSERT INTO event (id, type, body, body_bytes)
      SELECT uuid_v7(), 'mail.sent', '{}', 2 FROM generate_series(1, ${eventCount}::int) RETURNING id
    )
    INSERT INTO webhook_delivery (id, webhook_id, event_id, next_attempt_at)
    SELECT uuid_v7(), w.id, happened.id, now() FROM webhook w, happened`;
  await db.$executeRaw`ANALYZE webhook_delivery`;
}

function free() {
  return db.$executeRaw`
    UPDATE webhook_delivery SET lease_token = NULL, next_attempt_at = now() WHERE lease_token IS NOT NULL`;
}

/** The second of two claims, so that neither planning nor dead rows count. */
async function pagesOfAClaim(): Promise<number> {
  await db.$queryRawUnsafe(CLAIM);
  await free();
  await db.$executeRaw`VACUUM webhook_delivery`;
  const [plan] = await db.$queryRawUnsafe<Plan[]>(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${CLAIM}`);
  await free();
  const { 'Shared Hit Blocks': hit = 0, 'Shared Read Blocks': read = 0 } = plan?.['QUERY PLAN'][0].Plan ?? {};
  return hit + read;
}
