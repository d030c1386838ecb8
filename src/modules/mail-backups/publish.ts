import { isDeepStrictEqual } from 'node:util';
import type { MailBackupPlan } from '@/mail/agent/backup/plan';
import { ownBackupSecret } from '@/modules/backups/service';
import type { Database } from '@/server/database/db';
import { log } from '@/server/log';
import { env } from '@/server/settings/env';
import { publishPlan, readPlan } from './plan';

let isReported = false;

/**
 * Leaves this instance's settings to the mail agents. A repository keeps the password that it was made with: another key, for
 * example that of another instance, counts only for another target. Without a key yet, there is no plan.
 */
export async function publishOwnPlan(db: Database): Promise<void> {
  const password = ownBackupSecret();
  if (password === null) return;
  const own = { ...settings(), password };
  const known = await readPlan(db);
  const isOther = known !== null && hasOtherKey(known, own);
  if (isOther && !isReported)
    log.warn({}, 'mail is backed up with another backup key than that of this instance, which is not used');
  isReported = isOther;
  await publishPlan(db, isOther ? { ...own, password: known.password } : own);
}

/** Whether a repository was made with another key than this instance has. */
export function isKeyOther(plan: MailBackupPlan): boolean {
  const password = ownBackupSecret();
  return password !== null && hasOtherKey(plan, { ...settings(), password });
}

function hasOtherKey(known: MailBackupPlan, own: MailBackupPlan): boolean {
  return known.password !== own.password && isDeepStrictEqual(known.target, own.target);
}

function settings(): Omit<MailBackupPlan, 'password'> {
  const { backupTarget: target, isBackupTargetDefault, bucketCredentials, backupTime: time, ...rest } = env();
  return {
    target: isBackupTargetDefault ? null : target,
    credentials: bucketCredentials,
    schedule: time === null ? null : { time },
    keep: { daily: rest.backupKeepDaily, weekly: rest.backupKeepWeekly, monthly: rest.backupKeepMonthly },
  };
}
