import { cleanUp, type Task } from '@/server/background/task';
import { sendDueMessages } from './scheduled/due';
import { settleAbandonedMessages } from './service';
import { deleteOldKeys } from './submission/idempotency';

export const sendingTasks: Task[] = [
  {
    name: 'sending scheduled messages',
    on: 'every instance',
    everySeconds: 2,
    isAwaited: true,
    run: sendDueMessages,
  },
  cleanUp('resolving interrupted submissions', ({ db, clock }) => settleAbandonedMessages(db, clock.now())),
  cleanUp('deleting old idempotency keys', ({ db }) => deleteOldKeys(db)),
];
