import type { MailBackupPlan, Snapshot } from './plan';
import { queryRestic, type Repository, runRestic } from './restic';

/** Marks the snapshots that are the agent's, in a repository that may have others. */
export const TAG = 'postroom-mail';
/** All of them, so that a backup made after a mishap doesn't replace the one before it. */
const ALL_WITHIN = '2d';

/** All snapshots of a host, the oldest first. @throws BackupFailure */
export async function listSnapshots(repository: Repository, host: string, signal: AbortSignal): Promise<Snapshot[]> {
  const args = ['snapshots', '--host', host, '--tag', TAG];
  const found = await queryRestic<{ id: string; time: string }[] | null>(repository, args, signal);
  const snapshots = (found ?? []).map(({ id, time }) => ({ id, takenAt: new Date(time), sizes: null }));
  return snapshots.sort((one, other) => one.takenAt.getTime() - other.takenAt.getTime());
}

/** Deletes the snapshots that the plan doesn't keep, and their data. @throws BackupFailure */
export async function forgetOld(
  repository: Repository,
  { host, keep }: { host: string; keep: MailBackupPlan['keep'] },
  signal: AbortSignal,
): Promise<void> {
  const kept = (['daily', 'weekly', 'monthly'] as const).flatMap((each) =>
    keep[each] > 0 ? [`--keep-${each}`, String(keep[each])] : [],
  );
  const own = ['--host', host, '--tag', TAG, '--group-by', 'host,tags'];
  const forget = ['forget', ...own, '--keep-within', ALL_WITHIN, ...kept, '--prune', '--quiet'];
  await runRestic(repository, forget, { signal });
}
