import type { Database } from '@/server/db';
import { env } from '@/server/settings/env';
import type { BackupPlan } from '../schema';
import { dueSlot, isUnmade, nextSlot } from './slots';

/** When the next backup is made, or tried again. */
export async function describeSchedule(db: Database, now: Date): Promise<BackupPlan['schedule']> {
  const { backupTime: time } = env();
  if (time === null) return null;
  const dueAt = await dueSlot(db, now);
  const last = dueAt && (await db.backup.findUnique({ where: { dueAt } }));
  const isDone = !dueAt || (last && !isUnmade(last));
  const next = isDone ? nextSlot(time, now) : (last?.nextAttemptAt ?? dueAt);
  return { time, next_run_at: next.toISOString() };
}
