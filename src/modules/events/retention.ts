import { inPacedBatches } from '@/server/background/in-batches';
import type { Database } from '@/server/database/db';
import { log } from '@/server/log';
import { Prisma } from '@/server/prisma/client';

const DAY_MS = 24 * 60 * 60 * 1000;
const CONTENT_DAYS = 3;
/** Events with pending deliveries are kept longer, for webhooks that were inactive or failing for a long time. */
const EXTRA_DAYS_WHILE_DUE = 30;
const CONTENT_BATCH_SIZE = 50;

/**
 * Deletes events with their deliveries after `keptDays`, and the content of received mail after 3 days. While deliveries are
 * pending, content is kept, and events for another 30 days. Also deletes the deliveries of deleted webhooks and abandons
 * unfinished tests.
 */
export async function deleteOldEvents(db: Database, now: Date, keptDays: number): Promise<void> {
  await abandonStaleTests(db);
  for (const webhookId of await findDeletedWebhooks(db)) {
    await inPacedBatches((size) => deleteDeliveries(db, webhookId, size));
  }
  const contentBefore = daysBefore(now, Math.min(CONTENT_DAYS, keptDays));
  await inPacedBatches((size) => deleteContent(db, contentBefore, size), CONTENT_BATCH_SIZE);
  await inPacedBatches((size) => deleteEvents(db, { before: daysBefore(now, keptDays), condition: NOTHING_DUE, size }));
  const overdue = daysBefore(now, keptDays + EXTRA_DAYS_WHILE_DUE);
  const undelivered = await countDue(db, overdue);
  if (undelivered > 0) log.warn({ count: undelivered }, 'deleting webhook deliveries that were pending for too long');
  await inPacedBatches((size) => deleteEvents(db, { before: overdue, condition: Prisma.sql`true`, size }));
}

const NOTHING_DUE = Prisma.sql`
  NOT EXISTS (SELECT FROM webhook_delivery d WHERE d.event_id = e.id AND d.next_attempt_at IS NOT NULL)`;

/** Sets `body_bytes` to 0, which marks the content as deleted. */
function deleteContent(db: Database, before: Date, size: number): Promise<number> {
  return db.$executeRaw`
    WITH old AS (
      SELECT e.id FROM event e
       WHERE e.type = 'mail.received.full' AND e.body_bytes > 0 AND e.created_at < ${before} AND ${NOTHING_DUE}
       LIMIT ${size}
    ), parts AS (
      DELETE FROM event_part p USING old WHERE p.event_id = old.id
    )
    UPDATE event e SET body = NULL, body_bytes = 0 FROM old WHERE e.id = old.id`;
}

type OldEvents = { before: Date; condition: Prisma.Sql; size: number };

function deleteEvents(db: Database, { before, condition, size }: OldEvents): Promise<number> {
  return db.$executeRaw`
    DELETE FROM event WHERE id IN (
      SELECT e.id FROM event e WHERE e.created_at < ${before} AND ${condition} ORDER BY e.created_at LIMIT ${size})`;
}

async function countDue(db: Database, before: Date): Promise<number> {
  return db.webhookDelivery.count({ where: { nextAttemptAt: { not: null }, event: { createdAt: { lt: before } } } });
}

/** Abandons test deliveries whose process died. */
async function abandonStaleTests(db: Database): Promise<void> {
  await db.$executeRaw`
    UPDATE webhook_delivery d SET status = 'abandoned', next_attempt_at = NULL, lease_token = NULL, finished_at = now()
      FROM event e
     WHERE e.id = d.event_id AND e.is_test AND d.lease_token IS NOT NULL AND d.next_attempt_at < now()`;
}

/** Jumps from webhook to webhook in the index, without reading all of their deliveries. */
async function findDeletedWebhooks(db: Database): Promise<string[]> {
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

function deleteDeliveries(db: Database, webhookId: string, size: number): Promise<number> {
  return db.$executeRaw`
    DELETE FROM webhook_delivery WHERE id IN (
      SELECT id FROM webhook_delivery WHERE webhook_id = ${webhookId}::uuid LIMIT ${size})`;
}

function daysBefore(now: Date, days: number): Date {
  return new Date(now.getTime() - days * DAY_MS);
}
