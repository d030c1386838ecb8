import { cleanUp, type Task } from '@/server/background/task';
import type { Database } from '@/server/database/db';
import { interruptExpired } from './operations/lease';
import { reconcileBackups } from './records/reconcile';
import { runSchedule } from './schedule/run';

export const backupTasks: Task[] = [
  {
    name: 'making backups',
    on: 'every instance',
    everySeconds: 60,
    run: ({ db, clock }) => runSchedule(db, clock),
  },
  {
    name: 'looking for backups',
    on: 'every instance',
    everySeconds: 60,
    run: ({ db, clock }) => reconcileBackups(db, clock.now()),
  },
  {
    name: 'ending interrupted work on backups',
    on: 'one instance',
    everySeconds: 5,
    run: ({ db, clock }) => db.$transaction((tx) => interruptExpired(tx, clock)),
  },
  cleanUp('deleting old records of backups', ({ db }) => deleteOldBackupRecords(db)),
];

const RETENTION_DAYS = 90;

/** Deletes finished operations, and records without an archive. Their audit entries stay. */
export async function deleteOldBackupRecords(db: Database): Promise<void> {
  await db.$executeRaw`
    DELETE FROM backup_operation WHERE finished_at < now() - make_interval(days => ${RETENTION_DAYS})`;
  await db.$executeRaw`
    DELETE FROM backup
     WHERE status IN ('failed', 'missing') AND started_at < now() - make_interval(days => ${RETENTION_DAYS})`;
}
