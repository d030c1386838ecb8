import { cleanUp, type Task } from '@/server/background/task';
import { deleteOldSignIns } from './sign-ins';

export const mailboxTasks: Task[] = [
  cleanUp('deleting old sign-ins of mailboxes', ({ db, clock }) => deleteOldSignIns(db, clock.now())),
];
