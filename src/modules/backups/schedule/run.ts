import type { Clock } from '@/server/clock';
import type { Database } from '@/server/database/db';
import { AppError } from '@/server/errors';
import { beginCreating, beginWork, ownTransaction } from '../operations/begin';
import { CUT_OFF, type Outcome } from '../operations/lease';
import { ownRequester } from '../operations/requester';
import { proving } from '../operations/work';
import type { BackupRow } from '../records/present';
import { isJudge } from '../records/reconcile';
import { openTarget } from '../target/open';
import { deleteSurplus } from './retention';
import { dueSlot, isUnmade, pauseMs } from './slots';

/**
 * Makes the backup that is due, proves it, and deletes those that are no longer kept. Every instance runs this; one makes the
 * backup of a slot. What fails is tried again by a later run.
 */
export async function runSchedule(db: Database, clock: Clock): Promise<void> {
  const dueAt = await dueSlot(db, clock.now());
  if (!dueAt) return;
  if ((await makeDue(db, clock, dueAt)) === 'stopped') return;
  const made = await db.backup.findFirst({ where: { dueAt, status: 'completed' } });
  if (!made) return;
  if ((await proveLatest(db, clock, made)) === 'stopped') return;
  await deleteSurplus(db, clock);
}

async function makeDue(db: Database, clock: Clock, dueAt: Date): Promise<'stopped' | undefined> {
  const now = clock.now();
  const former = await db.backup.findUnique({ where: { dueAt } });
  if (former && (!isUnmade(former) || (former.nextAttemptAt && former.nextAttemptAt > now))) return;
  const requester = ownRequester('schedule');
  const transaction = ownTransaction(db, clock, requester, 'backup.create');
  const begun = await unlessBusy(beginCreating(clock, { requester, trigger: 'schedule', dueAt, transaction }));
  if (!begun) return;
  const { backup, ended } = begun;
  const { state } = await ended;
  if (state === 'failed') {
    const nextAttemptAt = new Date(clock.now().getTime() + pauseMs(backup.attempts));
    await db.backup.updateMany({ where: { id: backup.id, status: 'failed' }, data: { nextAttemptAt } });
  }
  return state === 'interrupted' ? 'stopped' : undefined;
}

type Made = { id: string; name: string; location: string; host: string; checksum: string | null } & Pick<
  BackupRow,
  'proofState' | 'proofMessage'
>;

/** Retries a proof that could not run, unless it filled the disk of the database; a failed proof is final. */
async function proveLatest(db: Database, clock: Clock, made: Made): Promise<'stopped' | undefined> {
  const { isShared } = await openTarget();
  if (made.proofState !== 'none' || made.proofMessage !== null || !(isShared || (await isJudge(db, made)))) return;
  const attempts = await db.backupOperation.findMany({
    where: {
      ...{ backupId: made.id, action: 'prove' },
      OR: [{ state: 'failed' }, { state: 'interrupted', message: CUT_OFF }],
    },
    orderBy: { startedAt: 'desc' },
  });
  const last = attempts[0]?.finishedAt;
  if (last && clock.now().getTime() < last.getTime() + pauseMs(attempts.length)) return;
  const requester = ownRequester('schedule');
  const transaction = ownTransaction(db, clock, requester, 'backup.prove');
  const work = { action: 'prove' as const, work: () => proving(made, clock) };
  const begun = await unlessBusy(beginWork(clock, { ...work, backup: made, requester, transaction }));
  const { state }: Partial<Outcome> = (await begun?.ended) ?? {};
  return state === 'interrupted' ? 'stopped' : undefined;
}

/** Null if another operation is running, or another instance was faster. */
async function unlessBusy<Begun>(beginning: Promise<Begun>): Promise<Begun | null> {
  return beginning.catch((error: unknown) => {
    if (error instanceof AppError && error.apiCode === 'CONFLICT') return null;
    throw error;
  });
}
