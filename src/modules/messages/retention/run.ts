import { inPacedBatches } from '@/server/background/in-batches';
import type { SharedContext } from '@/server/background/task';
import type { Database } from '@/server/db';
import { deleteBatch, START } from './batch';

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
