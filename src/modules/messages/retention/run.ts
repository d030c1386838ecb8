import { uuidv7 } from '@/lib/uuid';
import { inPacedBatches } from '@/server/background/in-batches';
import { leaseOf } from '@/server/background/lease';
import type { Database, Tx } from '@/server/db';
import { deleteBatch, START } from './batch';

const DAY_MS = 24 * 60 * 60 * 1000;
const BATCH_SIZE = 500;
/** Longer than a batch and the pause after it. */
const LEASE = leaseOf(60, 'due_at');
const SECONDS_BETWEEN_RUNS = 60 * 60;
const LOCK_TIMEOUT_MS = 2_000;

type Claim = { token: string; before: Date };
type Options = {
  now: Date;
  keptDays: number;
  batchSize?: number;
  /** Asked before each batch: whether messages of that age are still to be deleted, and by this instance. */
  isWanted?: () => boolean;
};

/**
 * Deletes messages older than `keptDays`, once an hour. Every instance runs this; one claims the run, and another continues
 * it if that one dies. 0 keeps all messages.
 */
export async function deleteOldMessages(db: Database, options: Options): Promise<void> {
  const { now, keptDays } = options;
  if (keptDays === 0) return;
  const claim = await claimRun(db, new Date(now.getTime() - keptDays * DAY_MS));
  if (!claim) return;
  try {
    await deleteInBatches(db, claim, options);
    await finishRun(db, claim);
  } catch (error) {
    await recordFailure(db, claim, error);
    throw error;
  }
}

/** @returns null if no run is due, or another instance has it */
async function claimRun(db: Database, before: Date): Promise<Claim | null> {
  const token = uuidv7();
  const claimed = await db.$executeRaw`
    UPDATE message_retention
       SET ${LEASE.claim(token)}, delete_before = ${before},
           started_at = CASE WHEN started_at IS NULL OR finished_at IS NOT NULL THEN now() ELSE started_at END,
           deleted_count = CASE WHEN finished_at IS NOT NULL THEN 0 ELSE deleted_count END,
           deleted_until = CASE WHEN finished_at IS NOT NULL THEN NULL ELSE deleted_until END,
           complete_since = greatest(complete_since, ${before}), finished_at = NULL
     WHERE ${LEASE.isOver}`;
  return claimed === 0 ? null : { token, before };
}

async function deleteInBatches(db: Database, claim: Claim, { now, batchSize, isWanted = () => true }: Options) {
  let position = START;
  await inPacedBatches(async (size) => {
    if (!isWanted()) return 0;
    const batch = await db.$transaction(async (tx) => {
      await tx.$executeRaw`SELECT set_config('lock_timeout', ${`${LOCK_TIMEOUT_MS}ms`}, true)`;
      if (!(await renewLease(tx, claim))) return null;
      const done = await deleteBatch(tx, { before: claim.before, now, position, size });
      await tx.$executeRaw`
        UPDATE message_retention SET deleted_count = deleted_count + ${done.deletedCount}, failure = NULL,
                                     deleted_until = coalesce(${done.end?.createdAt ?? null}::timestamptz, deleted_until)
         WHERE ${LEASE.isHeldBy(claim.token)}`;
      return done;
    });
    if (!batch?.end) return 0;
    position = batch.end;
    return size;
  }, batchSize ?? BATCH_SIZE);
}

/** Also locks the run until the transaction ends, so that no other instance claims it during a batch. */
async function renewLease(tx: Tx, { token }: Claim): Promise<boolean> {
  const renewed = await tx.$executeRaw`
    UPDATE message_retention SET ${LEASE.renew} WHERE ${LEASE.isHeldBy(token)}`;
  return renewed > 0;
}

async function finishRun(db: Database, { token }: Claim): Promise<void> {
  await db.$executeRaw`
    UPDATE message_retention SET finished_at = now(), ${LEASE.release(SECONDS_BETWEEN_RUNS)} WHERE ${LEASE.isHeldBy(token)}`;
}

/** The run continues when its lease ends. */
async function recordFailure(db: Database, { token }: Claim, error: unknown): Promise<void> {
  const failure = (error instanceof Error ? error.message : String(error)).trim().split('\n').at(-1);
  await db.messageRetention.updateMany({ where: { leaseToken: token }, data: { leaseToken: null, failure } });
}
