import pg from 'pg';
import { migrate } from '../postgres/database.mjs';
import { startBenchPostgres } from './database.mjs';

const WEBHOOKS = 100;
const CLAIMS = 20;
const SMALL = 10;
const LARGE = 10_000;

/** Milliseconds that workers take to claim due deliveries, with few and with a million waiting. */
export async function compareClaims(root, lifetime) {
  const databaseUrl = await startBenchPostgres(lifetime);
  await migrate(root, databaseUrl);
  const db = new pg.Client(databaseUrl);
  await db.connect();
  await db.query(
    `INSERT INTO webhook (id, url, events, secret, created_by, updated_at)
     SELECT uuid_v7(), 'https://bench.example/', '{*}', '\\x00', uuid_v7(), now() FROM generate_series(1, $1)`,
    [WEBHOOKS],
  );
  await wait(db, SMALL);
  const small = await medianClaim(db);
  await wait(db, LARGE - SMALL);
  const large = await medianClaim(db);
  await db.end();
  return { rows: WEBHOOKS * LARGE, small, large };
}

/** Inserts due deliveries of this many events for each webhook. */
async function wait(db, events) {
  await db.query(
    `WITH happened AS (
       INSERT INTO event (id, type, body, body_bytes)
       SELECT uuid_v7(), 'mail.sent', '{}', 2 FROM generate_series(1, $1::int) RETURNING id)
     INSERT INTO webhook_delivery (id, webhook_id, event_id, next_attempt_at)
     SELECT uuid_v7(), w.id, happened.id, now() FROM webhook w, happened`,
    [events],
  );
  await db.query('VACUUM ANALYZE webhook_delivery');
}

async function medianClaim(db) {
  const times = [];
  for (let claim = 0; claim < CLAIMS; claim++) {
    const startedAt = performance.now();
    await db.query(`SELECT * FROM claim_webhook_deliveries(256, 64, 8, 2, '{}', '25 s', NULL)`);
    times.push(performance.now() - startedAt);
    await db.query(
      'UPDATE webhook_delivery SET lease_token = NULL, next_attempt_at = now() WHERE lease_token IS NOT NULL',
    );
  }
  return times.toSorted((one, other) => one - other)[CLAIMS / 2];
}
