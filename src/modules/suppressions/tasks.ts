import { cleanUp, type Task } from '@/server/background/task';
import { deleteExpiredSuppressions } from './service';

export const suppressionTasks: Task[] = [
  cleanUp('deleting expired suppressions', ({ db, clock }) => deleteExpiredSuppressions(db, clock.now())),
];
