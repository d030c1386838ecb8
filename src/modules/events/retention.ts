import type { Database } from '@/server/db';

const DAY_MS = 24 * 60 * 60 * 1000;
const CONTENT_DAYS = 3;
const AT_ONCE = 1_000;

/**
 * Deletes events with their deliveries and attempts after `keptDays`, and the content of received messages after 3 days;
 * what is due still goes first. So do deliveries of webhooks that are gone.
 */
export async function deleteOldEvents(db: Database, now: Date, keptDays: number): Promise<void> {
  await repeatedly(() => deleteContent(db, daysBefore(now, Math.min(CONTENT_DAYS, keptDays))));
  await repeatedly(() => deleteEvents(db, daysBefore(now, keptDays)));
  for (const webhookId of await goneWebhooks(db)) await repeatedly(() => deleteDeliveries(db, webhookId));
}

async function repeatedly(deleteSome: () => Promise<number>): Promise<void> {
  while ((await deleteSome()) === AT_ONCE);
}

function deleteContent(db: Database, before: Date): Promise<number> {
  return db.$executeRaw`
    DELETE FROM event_part WHERE (event_id, position) IN (
      SELECT p.event_id, p.position FROM event e JOIN event_part p ON p.event_id = e.id
       WHERE e.created_at < ${before} AND e.body IS NULL
         AND NOT EXISTS (SELECT FROM webhook_delivery d WHERE d.event_id = e.id AND d.next_attempt_at IS NOT NULL)
       LIMIT ${AT_ONCE})`;
}

function deleteEvents(db: Database, before: Date): Promise<number> {
  return db.$executeRaw`
    DELETE FROM event WHERE id IN (SELECT id FROM event WHERE created_at < ${before} ORDER BY created_at LIMIT ${AT_ONCE})`;
}

/** Walks from one webhook's deliveries to the next one's in their index, however many each has. */
async function goneWebhooks(db: Database): Promise<string[]> {
  const rows = await db.$queryRaw<{ id: string }[]>`
    WITH RECURSIVE known AS (
      (SELECT webhook_id FROM webhook_delivery ORDER BY webhook_id LIMIT 1)
      UNION ALL
      SELECT (SELECT d.webhook_id FROM webhook_delivery d WHERE d.webhook_id > known.webhook_id
               ORDER BY d.webhook_id LIMIT 1)
        FROM known WHERE known.webhook_id IS NOT NULL
    )
    SELECT webhook_id AS id FROM known
     WHERE webhook_id IS NOT NULL AND NOT EXISTS (SELECT FROM webhook w WHERE w.id = known.webhook_id)`;
  return rows.map(({ id }) => id);
}

function deleteDeliveries(db: Database, webhookId: string): Promise<number> {
  return db.$executeRaw`
    DELETE FROM webhook_delivery WHERE id IN (
      SELECT id FROM webhook_delivery WHERE webhook_id = ${webhookId}::uuid LIMIT ${AT_ONCE})`;
}

function daysBefore(now: Date, days: number): Date {
  return new Date(now.getTime() - days * DAY_MS);
}
