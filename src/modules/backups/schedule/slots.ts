import type { Database } from '@/server/database/db';
import { env } from '@/server/settings/env';

/** One backup is due in each period. */
export const PERIOD_SECONDS = 86_400;

const DAY_MS = PERIOD_SECONDS * 1000;
const MINUTE_MS = 60_000;
const MAX_PAUSE_MINUTES = 60;

/** The last time that a backup was due at or before `now`. @param time HH:MM in UTC */
export function lastSlot(time: string, now: Date): Date {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  const today = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate(), hours, minutes);
  return new Date(today <= now.getTime() ? today : today - DAY_MS);
}

export function nextSlot(time: string, now: Date): Date {
  return new Date(lastSlot(time, now).getTime() + DAY_MS);
}

/** Before another attempt: 1, 2, 4 … 60 minutes. */
export function pauseMs(attempts: number): number {
  return Math.min(2 ** (attempts - 1), MAX_PAUSE_MINUTES) * MINUTE_MS;
}

/** Whether the backup of a slot has to be made again: it failed, or its archive is gone. */
export function isUnmade({ status }: { status: string }): boolean {
  return status === 'failed' || status === 'missing';
}

/** The slot that must have a backup by now; null for none, such as on a server that is newer than its last slot. */
export async function dueSlot(db: Database, now: Date): Promise<Date | null> {
  const { backupTime } = env();
  if (backupTime === null) return null;
  const slot = lastSlot(backupTime, now);
  return slot < (await installedAt(db)) ? null : slot;
}

/** When this database was made. */
async function installedAt(db: Database): Promise<Date> {
  const [row] = await db.$queryRaw<[{ at: Date }]>`SELECT min(started_at) AS at FROM _prisma_migrations`;
  return row.at;
}
