import { cleanUp, type Task } from '@/server/background/task';
import { forgetDeletedRecords } from './service';

export const deletedRecordTasks: Task[] = [
  cleanUp('purging deleted records after 30 days', ({ db, clock }) => forgetDeletedRecords(db, clock.now())),
];
