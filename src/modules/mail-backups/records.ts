import type { BackupRecords, Snapshot } from '@/mail/agent/backup/plan';
import type { Database, Tx } from '@/server/database/db';
import { readPlan } from './plan';

/** Returns the functions with which the agent of a host reads and records its backups. */
export function backupRecords(db: Database, host: string): BackupRecords {
  return {
    plan: () => readPlan(db),
    knownRepository: async () =>
      (await db.mailBackup.findUnique({ where: { host }, select: { repository: true } }))?.repository ?? null,
    saveSnapshots: (repository, snapshots, latest) =>
      db.$transaction(async (tx) => {
        await saveSnapshots(tx, host, snapshots, latest);
        await tx.$executeRaw`
          INSERT INTO mail_backup (host, repository, planned_since) VALUES (${host}, ${repository}, now())
          ON CONFLICT (host) DO UPDATE SET repository = excluded.repository`;
      }),
    saveSuccess: async () => {
      await db.$executeRaw`
        INSERT INTO mail_backup (host, planned_since, last_success_at) VALUES (${host}, now(), now())
        ON CONFLICT (host) DO UPDATE
          SET last_success_at = now(), failures = 0, last_failure_at = NULL, failure = ''`;
    },
    saveFailure: async (message) => {
      await db.$executeRaw`
        INSERT INTO mail_backup AS known (host, planned_since, failures, last_failure_at, failure)
        VALUES (${host}, now(), 1, now(), ${message})
        ON CONFLICT (host) DO UPDATE
          SET failures = known.failures + 1, last_failure_at = now(), failure = excluded.failure`;
    },
    saveCheck: async (failure) => {
      await db.$executeRaw`
        UPDATE mail_backup SET last_check_at = now(), check_failure = ${failure} WHERE host = ${host}`;
    },
  };
}

/** Forgets the snapshots that aren't there any more. Only of the latest it is known what was added. */
async function saveSnapshots(tx: Tx, host: string, snapshots: Snapshot[], latest: Snapshot | null): Promise<void> {
  const ids = snapshots.map(({ id }) => id);
  await tx.mailSnapshot.deleteMany({ where: { host, id: { notIn: ids } } });
  await tx.mailSnapshot.createMany({
    data: snapshots.map(({ id, takenAt }) => ({
      host,
      id,
      takenAt,
      ...(latest && isSame(id, latest) ? latest.sizes : null),
    })),
    skipDuplicates: true,
  });
}

/** Restic names the snapshot that it took by the start of its id. */
function isSame(id: string, latest: Snapshot): boolean {
  return id.startsWith(latest.id);
}
