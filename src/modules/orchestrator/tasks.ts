import { cleanUp, type Task } from '@/server/background/task';
import { interruptExpired } from './lease';
import { deleteOldOperations } from './retention';

export const orchestratorTasks: Task[] = [
  {
    name: 'ending interrupted operations',
    on: 'one instance',
    everySeconds: 5,
    run: ({ db, clock }) => db.$transaction((tx) => interruptExpired(tx, clock)),
  },
  cleanUp('deleting old operations', ({ db }) => deleteOldOperations(db)),
];
