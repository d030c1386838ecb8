import { cleanUp, type Task } from '@/server/background/task';
import type { Database } from '@/server/database/db';
import { interruptExpired } from './lease';

const RETENTION_DAYS = 90;

export const serviceTasks: Task[] = [
  {
    name: 'ending interrupted operations',
    on: 'one instance',
    everySeconds: 5,
    run: ({ db, clock }) => db.$transaction((tx) => interruptExpired(tx, clock)),
  },
  cleanUp('deleting old operations', ({ db }) => deleteOldOperations(db)),
];

/** Deletes operations with their output. Their audit entries stay. */
export async function deleteOldOperations(db: Database): Promise<void> {
  await db.$executeRaw`DELETE FROM operation WHERE finished_at < now() - make_interval(days => ${RETENTION_DAYS})`;
}
