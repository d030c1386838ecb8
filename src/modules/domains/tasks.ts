import { cleanUp, type Task } from '@/server/background/task';
import { createMissingDkimKeys } from './dkim/missing';
import { checkDueDomains } from './dns/schedule';

export const domainTasks: Task[] = [
  {
    name: 'checking DNS',
    on: 'every instance',
    everySeconds: 60,
    run: ({ db, clock }) => checkDueDomains(db, clock),
  },
  cleanUp('creating missing DKIM keys', ({ db, clock }) => createMissingDkimKeys(db, clock.now())),
];
