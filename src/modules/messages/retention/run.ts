import { inPacedBatches } from '@/server/background/in-batches';
import type { SharedContext } from '@/server/background/task';
import type { Database, Tx } from '@/server/database/db';
import { Prisma } from '@/server/prisma/client';

/** The name of the task, whose failures are shown with its progress. */
export const RETENTION_TASK = 'deleting old messages';

const DAY_MS = 24 * 60 * 60 * 1000;
const BATCH_SIZE = 500;
const LOCK_TIMEOUT_MS = 2_000;

type Options = {
  keptDays: number;
  batchSize?: number;
  /** Asked before each batch: whether messages of that age are still to be deleted. */
  isWanted?: () => boolean;
};

/** Deletes messages older than `keptDays`. A run that was cut off is continued by the next one. 0 keeps all messages. */
export async function deleteOldMessages(
  { db, clock, signal, turn }: SharedContext,
  { keptDays, batchSize = BATCH_SIZE, isWanted = () => true }: Options,
): Promise<void> {
  if (keptDays === 0) return;
  const now = clock.now();
  const before = new Date(now.getTime() - keptDays * DAY_MS);
  await beginRun(db, before);
  let position = START;
  await inPacedBatches(async (size) => {
    if (signal.aborted || !isWanted()) return 0;
    const batch = await db.$transaction(async (tx) => {
      await tx.$executeRaw`SELECT set_config('lock_timeout', ${`${LOCK_TIMEOUT_MS}ms`}, true)`;
      if (!(await turn.renew(tx))) return null;
      const done = await deleteBatch(tx, { before, now, position, size });
      await tx.$executeRaw`
        UPDATE message_retention
           SET deleted_count = deleted_count + ${done.deletedCount},
               deleted_until = coalesce(${done.end?.createdAt ?? null}::timestamptz, deleted_until)`;
      return done;
    });
    if (!batch?.end) return 0;
    position = batch.end;
    return size;
  }, batchSize);
  if (!signal.aborted && (await turn.renew(db))) await db.$executeRaw`UPDATE message_retention SET finished_at = now()`;
}

async function beginRun(db: Database, before: Date): Promise<void> {
  await db.$executeRaw`
    UPDATE message_retention
       SET delete_before = ${before},
           started_at = CASE WHEN started_at IS NULL OR finished_at IS NOT NULL THEN now() ELSE started_at END,
           deleted_count = CASE WHEN finished_at IS NOT NULL THEN 0 ELSE deleted_count END,
           deleted_until = CASE WHEN finished_at IS NOT NULL THEN NULL ELSE deleted_until END,
           complete_since = greatest(complete_since, ${before}), finished_at = NULL`;
}

/** Longer than the queue lifetime of Postfix, after which no message that isn't held changes any more. */
const OPEN_DAYS = 14;
/** Rows of recipients and traces beyond which a batch takes no further message. */
const MAX_ROWS = 5_000;

type Place = { createdAt: Date; id: string };
type Batch = { before: Date; now: Date; position: Place; size: number };

/** Before all messages. */
const START: Place = { createdAt: new Date(0), id: '00000000-0000-0000-0000-000000000000' };

/**
 * Deletes the next messages with their recipients and events, unless they are open: the mail server may still report
 * about them. Those that another transaction is changing are left for the next run, so that neither waits.
 * @returns the last one that was considered; null after all
 */
async function deleteBatch(
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
