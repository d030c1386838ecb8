import { REPOSITORY_DAMAGED } from '@/lib/mail/operations';
import type { MailBackupPlan } from '@/mail/agent/backup/plan';
import { startScheduled } from '@/modules/services/service';
import type { Clock } from '@/server/clock';
import type { Database } from '@/server/database/db';
import { readPlan } from './plan';

const DAY_MS = 86_400_000;
const FIRST_PAUSE_MS = 15 * 60_000;
const MAX_PAUSE_MS = 6 * 60 * 60_000;

/** The data is checked in parts, so that ten checks read all of it. */
const CHECK_EVERY_MS = 7 * DAY_MS;
/** The storage may have been away for a moment. */
const CHECK_AGAIN_MS = 6 * 60 * 60_000;

/**
 * Starts the backup of a host if it is due, or else the check of its repository. The agent of the host calls it every ten
 * seconds, so a backup that was missed starts with the agent. What is due is a matter of the database's clock alone.
 */
export async function startDueBackup(db: Database, clock: Clock, host: string): Promise<void> {
  const plan = await readPlan(db);
  if (!plan?.schedule) return;
  await db.$executeRaw`
    INSERT INTO mail_backup (host, planned_since) VALUES (${host}, now())
    ON CONFLICT (host) DO UPDATE SET seen_at = now()`;
  const history = await pastHistory(db, host);
  const [row] = await db.$queryRaw<[{ now: Date }]>`SELECT now()`;
  const now = row.now;
  const next = nextRun(plan, history);
  if (next && next <= now) await startScheduled(db, clock, host, 'backup_mail');
  else if (isCheckDue(history, now)) await startScheduled(db, clock, host, 'check_mail');
}

/** A clock that was wrong has left moments in the future, after which nothing would be due until then. */
async function pastHistory(db: Database, host: string) {
  await db.$executeRaw`
    UPDATE mail_backup
       SET planned_since = least(planned_since, now()),
           last_success_at = CASE WHEN last_success_at > now() THEN now() ELSE last_success_at END,
           last_failure_at = CASE WHEN last_failure_at > now() THEN now() ELSE last_failure_at END,
           last_check_at = CASE WHEN last_check_at > now() THEN now() ELSE last_check_at END
     WHERE host = ${host}
       AND greatest(planned_since, last_success_at, last_failure_at, last_check_at) > now()`;
  return db.mailBackup.findUniqueOrThrow({ where: { host } });
}

/** The first check is a week after the first backup. */
function isCheckDue(
  { plannedSince, lastSuccessAt, lastCheckAt, checkFailure }: BackupHistory & CheckHistory,
  now: Date,
): boolean {
  const last = lastCheckAt ?? plannedSince;
  const pauseMs = checkFailure === '' || checkFailure === REPOSITORY_DAMAGED ? CHECK_EVERY_MS : CHECK_AGAIN_MS;
  return lastSuccessAt !== null && now.getTime() - last.getTime() > pauseMs;
}

type CheckHistory = { lastCheckAt: Date | null; checkFailure: string };

type BackupHistory = {
  plannedSince: Date;
  lastSuccessAt: Date | null;
  failures: number;
  lastFailureAt: Date | null;
};

/**
 * When the next scheduled backup is due; in the past for one that was missed. After a failure: 15 minutes later, then twice
 * as long, up to six hours.
 */
export function nextRun(
  { schedule }: Pick<MailBackupPlan, 'schedule'>,
  { plannedSince, lastSuccessAt, failures, lastFailureAt }: BackupHistory,
): Date | null {
  if (!schedule) return null;
  const due = nextTime(schedule.time, lastSuccessAt ?? plannedSince);
  if (failures === 0 || !lastFailureAt) return due;
  const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), MAX_PAUSE_MS);
  return new Date(Math.max(due.getTime(), lastFailureAt.getTime() + pauseMs));
}

/** The first time of day, such as 03:00 in UTC, after a moment. */
function nextTime(time: string, after: Date): Date {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  const next = new Date(after);
  next.setUTCHours(hours, minutes, 0, 0);
  return next > after ? next : new Date(next.getTime() + DAY_MS);
}
