import { cleanUp, type Task } from '@/server/background/task';
import { deleteOldSends, raiseSpikeAlerts } from './spikes';

export const abuseTasks: Task[] = [
  cleanUp('checking for volume spikes', ({ db, clock }) => raiseSpikeAlerts(db, clock.now())),
  cleanUp('deleting old send counts', ({ db, clock }) => deleteOldSends(db, clock.now())),
];
