import { cleanUp, type Task } from '@/server/background/task';
import { interruptExpired } from './operations/lease';
import { deleteOldBackupRecords } from './operations/retention';
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
