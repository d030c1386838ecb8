import type { Tx } from '@/server/db';
import { Prisma } from '@/server/prisma/client';

/** Longer than the queue lifetime of Postfix, after which no message that isn't held changes any more. */
const OPEN_DAYS = 14;
/** Rows of recipients and traces beyond which a batch takes no further message. */
const MAX_ROWS = 5_000;

type Place = { createdAt: Date; id: string };
type Batch = { before: Date; now: Date; position: Place; size: number };

/** Before all messages. */
export const START: Place = { createdAt: new Date(0), id: '00000000-0000-0000-0000-000000000000' };

/**
 * Deletes the next messages with their recipients and events, unless they are open: the mail server may still report
 * about them. Those that another transaction is changing are left for the next run, so that neither waits.
 * @returns the last one that was considered; null after all
 */
export async function deleteBatch(
  tx: Tx,
  { before, now, position, size }: Batch,
): Promise<{ deletedCount: number; end: Place | null }> {
  const [done] = await tx.$queryRaw<{ deletedCount: number; createdAt: Date | null; id: string | null }[]>`
    WITH old AS MATERIALIZED (
      SELECT id, created_at FROM message
       WHERE created_at < ${before} AND (created_at, id) > (${position.createdAt}::timestamptz, ${position.id}::uuid)
       ORDER BY created_at, id LIMIT ${size}::int
    ), measured AS (
      SELECT id, created_at, sum(row_count) OVER (ORDER BY created_at, id) - row_count AS earlier_rows
        FROM old, LATERAL (
          SELECT (SELECT count(*) FROM message_recipient r WHERE r.message_id = old.id)
               + (SELECT count(*) FROM message_event e WHERE e.message_id = old.id) AS row_count) AS children
    ), considered AS MATERIALIZED (
      SELECT id, created_at FROM measured WHERE earlier_rows < ${MAX_ROWS}
    ), closed AS MATERIALIZED (
      SELECT m.id FROM message m JOIN considered USING (id) WHERE ${isClosed(now)} FOR UPDATE OF m SKIP LOCKED
    ), events AS (
      DELETE FROM message_event e USING closed WHERE e.message_id = closed.id
    ), recipients AS (
      DELETE FROM message_recipient r USING closed WHERE r.message_id = closed.id
    ), tags AS (
      DELETE FROM message_tag t USING closed WHERE t.message_id = closed.id
    ), deleted AS (
      DELETE FROM message m USING closed WHERE m.id = closed.id RETURNING m.id
    )
    SELECT (SELECT count(*)::int FROM deleted) AS "deletedCount", last.created_at AS "createdAt", last.id
      FROM (SELECT) AS one
      LEFT JOIN (SELECT created_at, id FROM considered ORDER BY created_at DESC, id DESC LIMIT 1) AS last ON true`;
  if (!done?.createdAt || !done.id) return { deletedCount: 0, end: null };
  return { deletedCount: done.deletedCount, end: { createdAt: done.createdAt, id: done.id } };
}

/** An open message is closed when the queue lifetime is over, unless an admin holds it in the queue. */
function isClosed(now: Date): Prisma.Sql {
  const openSince = new Date(now.getTime() - OPEN_DAYS * 24 * 60 * 60 * 1000);
  return Prisma.sql`m.status <> 'scheduled' AND (
    m.status NOT IN ('submitting', 'uncertain', 'sent', 'deferred')
    OR m.created_at < ${openSince} AND (
      SELECT e.type FROM message_event e WHERE e.message_id = m.id AND e.type IN ('held', 'released')
       ORDER BY e.at DESC, e.id DESC LIMIT 1) IS DISTINCT FROM 'held')`;
}
