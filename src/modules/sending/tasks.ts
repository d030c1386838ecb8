import { cleanUp, type Task } from '@/server/background/task';
import { settleAbandonedMessages } from './service';
import { deleteOldKeys } from './submission/idempotency';

export const sendingTasks: Task[] = [
  cleanUp('settling abandoned messages', ({ db, clock }) => settleAbandonedMessages(db, clock.now())),
  cleanUp('deleting old idempotency keys', ({ db }) => deleteOldKeys(db)),
];
