import { cleanUp, type Task } from '@/server/background/task';
import { env } from '@/server/settings/env';
import { deleteOldEvents } from './retention';
import { sequenceEvents } from './sequence';

export const eventTasks: Task[] = [
  {
    name: 'ordering events',
    on: 'every instance',
    everySeconds: 1,
    run: ({ db }) => sequenceEvents(db),
  },
  cleanUp('deleting old events', ({ db, clock }) => deleteOldEvents(db, clock.now(), env().eventRetentionDays)),
];
