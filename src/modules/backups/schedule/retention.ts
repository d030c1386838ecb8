import type { Clock } from '@/server/clock';
import type { Database } from '@/server/database/db';
import { env } from '@/server/settings/env';
import { latestTime } from '../health';
import { ownTransaction } from '../operations/begin';
import { ownRequester } from '../operations/requester';
import type { BackupRow } from '../records/present';
import { isJudge } from '../records/reconcile';
import { openTarget } from '../target/open';

const DAY_MS = 86_400_000;

type Kept = { daily: number; weekly: number; monthly: number };
type Scheduled = { id: string; dueAt: Date; proofState: string };

/**
 * Deletes scheduled backups that are no longer kept, unless the last one failed. Those that a wrong clock has dated in the
 * future neither count nor are deleted until then.
 */
export async function deleteSurplus(db: Database, clock: Clock): Promise<void> {
  const target = await openTarget();
  const scheduledByNow = { trigger: 'schedule' as const, dueAt: { lte: latestTime(clock.now()) } };
  const last = await db.backup.findFirst({ where: scheduledByNow, orderBy: { dueAt: 'desc' } });
  if (last?.status !== 'completed') return;
  const rows = await db.backup.findMany({
    where: { ...scheduledByNow, status: 'completed', location: target.label },
  });
  const scheduled: (BackupRow & { dueAt: Date })[] = [];
  for (const row of rows)
    if (row.dueAt && (target.isShared || (await isJudge(db, row)))) scheduled.push({ ...row, dueAt: row.dueAt });
  const { backupKeepDaily: daily, backupKeepWeekly: weekly, backupKeepMonthly: monthly } = env();
  for (const { id, name, location } of surplus(scheduled, { daily, weekly, monthly })) {
    if ((await db.backupOperation.count({ where: { backupId: id, finishedAt: null } })) > 0) continue;
    await target.requirePlace({ isNew: false });
    await target.remove(name);
    await ownTransaction(
      db,
      clock,
      ownRequester('schedule'),
      'backup.delete',
    )(async ({ tx, audit }) => {
      await tx.backup.deleteMany({ where: { id } });
      await audit({ resource: `backup:${id}`, before: { name, location } });
    });
  }
}

/** Returns the backups that are kept for no day, week or month. The newest proven one is kept in any case. */
export function surplus<Row extends Scheduled>(rows: readonly Row[], { daily, weekly, monthly }: Kept): Row[] {
  const newestFirst = rows.toSorted((one, other) => other.dueAt.getTime() - one.dueAt.getTime());
  const kept = new Set<Row>();
  for (const [count, periodOf] of [
    [daily, dayOf],
    [weekly, weekOf],
    [monthly, monthOf],
  ] as const) {
    const newest = new Map<string | number, Row>();
    for (const row of newestFirst) if (!newest.has(periodOf(row.dueAt))) newest.set(periodOf(row.dueAt), row);
    for (const row of [...newest.values()].slice(0, count)) kept.add(row);
  }
  const proven = newestFirst.find(({ proofState }) => proofState === 'proven');
  if (proven) kept.add(proven);
  return newestFirst.filter((row) => !kept.has(row));
}

function dayOf(at: Date): number {
  return Math.floor(at.getTime() / DAY_MS);
}

/** From Monday; the first of January 1970 was a Thursday. */
function weekOf(at: Date): number {
  return Math.floor((dayOf(at) + 3) / 7);
}

function monthOf(at: Date): string {
  return at.toISOString().slice(0, 7);
}
