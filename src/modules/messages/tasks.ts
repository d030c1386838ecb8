import { cleanUp, type Task } from '@/server/background/task';
import { env } from '@/server/settings/env';
import { checkContentStore } from './content/keeping/keep';
import { cleanUpContent } from './content/retention/clean-up';
import { deleteOldMessages, RETENTION_TASK } from './retention/run';
import { deleteOldUnread } from './returned/unread';

export const messageTasks: Task[] = [
  {
    name: 'checking the content store',
    on: 'every instance',
    everySeconds: 60,
    runsWhileDraining: true,
    run: ({ db, clock }) => checkContentStore(db, clock.now()),
  },
  // On every instance, because each may have a store of its own.
  {
    name: 'deleting old message content',
    on: 'every instance',
    everySeconds: 300,
    run: ({ db, clock }) => cleanUpContent(db, clock.now()),
  },
  cleanUp('deleting unread bounces', ({ db, clock }) => deleteOldUnread(db, clock.now())),
  // The first run takes an hour with millions of messages.
  {
    name: RETENTION_TASK,
    on: 'one instance',
    everySeconds: 3600,
    run: (context) => {
      const { messageRetentionDays: keptDays } = env();
      return deleteOldMessages(context, { keptDays, isWanted: () => env().messageRetentionDays === keptDays });
    },
  },
];
