import { cleanUp, type Task } from '@/server/background/task';
import { deleteOldFailures } from './attempt-delay';
import { deleteOldDevices } from './sessions/device';
import { deleteExpiredSessions } from './sessions/session';
import { deleteExpiredTotpSessions } from './totp/pending';

export const authTasks: Task[] = [
  cleanUp('deleting expired sessions', ({ db, clock }) => deleteExpiredSessions(db, clock.now())),
  cleanUp('deleting unfinished sign-ins', ({ db, clock }) => deleteExpiredTotpSessions(db, clock.now())),
  cleanUp('deleting old devices', ({ db, clock }) => deleteOldDevices(db, clock.now())),
  cleanUp('deleting old failed sign-ins', ({ db, clock }) => deleteOldFailures(db, clock.now())),
];
