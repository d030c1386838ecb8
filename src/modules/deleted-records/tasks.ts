import { cleanUp, type Task } from '@/server/background/task';
import { forgetDeletedRecords } from './service';

export const deletedRecordTasks: Task[] = [
  cleanUp('forgetting records deleted 30 days ago', ({ db, clock }) => forgetDeletedRecords(db, clock.now())),
];
