import type { Database } from '@/server/db';

const RETENTION_DAYS = 90;

/** Deletes finished operations, and records without an archive. Their audit entries stay. */
export async function deleteOldBackupRecords(db: Database): Promise<void> {
  await db.$executeRaw`
    DELETE FROM backup_operation WHERE finished_at < now() - make_interval(days => ${RETENTION_DAYS})`;
  await db.$executeRaw`
    DELETE FROM backup
     WHERE status IN ('failed', 'missing') AND started_at < now() - make_interval(days => ${RETENTION_DAYS})`;
}
