import { type Finding, measured } from '@/lib/health/finding';
import type { Database } from '@/server/database/db';
import { dueSlot, PERIOD_SECONDS } from './schedule/slots';

/** Tolerated difference between the clocks of instances. */
const MAX_AHEAD_MS = 3_600_000;

/** No time of a backup is later, unless a clock was wrong. */
export function latestTime(now: Date): Date {
  return new Date(now.getTime() + MAX_AHEAD_MS);
}

/**
 * Returns the filter for completed backups that this server made. Archives that were found don't count, because anyone can
 * choose their names and times, and neither do backups of the future.
 */
export function ownCompleted(now: Date) {
  return { status: 'completed', trigger: { not: 'found' }, startedAt: { lte: latestTime(now) } } as const;
}

/**
 * How old the last backup is, and the last proven one. Nothing before the first one is due, or without a schedule. Neither
 * counts if its archive is gone.
 */
export async function checkBackups(db: Database, now: Date): Promise<Finding[]> {
  const dueAt = await dueSlot(db, now);
  if (!dueAt) return [];
  const scheduled = { trigger: 'schedule' as const };
  const completed = ownCompleted(now);
  const newest = { orderBy: { startedAt: 'desc' as const } };
  const [first, last, proven, latest, proof] = await Promise.all([
    db.backup.findFirst({ where: scheduled, orderBy: { dueAt: 'asc' } }),
    db.backup.findFirst({ where: completed, ...newest }),
    db.backup.findFirst({ where: { ...completed, proofState: 'proven' }, ...newest }),
    db.backup.findFirst({ where: { ...scheduled, dueAt: { lte: latestTime(now) } }, orderBy: { dueAt: 'desc' } }),
    db.backupOperation.findFirst({ where: { action: 'prove', finishedAt: { not: null } }, ...newest }),
  ]);
  // Without any backup: as if there had been one the day before the first was due.
  const beginning = new Date((first?.dueAt ?? dueAt).getTime() - PERIOD_SECONDS * 1000);
  const ageOf = (at: Date | undefined) => Math.max(Math.round((now.getTime() - (at ?? beginning).getTime()) / 1000), 0);

  const backup = measured('backup', ageOf(last?.startedAt));
  const failure = latest?.status === 'failed' ? `The last attempt failed: ${latest.error}` : '';
  const proofCheck = measured('backup_proof', ageOf(proven?.startedAt));
  const unproven = proof && proof.state !== 'succeeded' ? `The last proof failed: ${proof.message}` : '';
  return [
    explained(backup, failure),
    last?.proofState === 'failed'
      ? { ...proofCheck, status: 'down', message: `The last backup is not proven: ${last.proofMessage}` }
      : explained(proofCheck, unproven),
  ];
}

/** With the reason, if it is not ok. */
function explained(finding: Finding, message: string): Finding {
  return finding.status === 'ok' ? finding : { ...finding, message };
}
