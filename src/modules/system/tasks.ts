import type { Task } from '@/server/background/task';
import { CHECKS_CHANNEL } from './health/check-now';
import { sendOutsideHeartbeat } from './health/outside-heartbeat';
import { checkInstance, checkSystem } from './health/run';
import { HEARTBEAT_TASK, SYSTEM_TASK } from './health/scheduled-tasks';

export const systemTasks: Task[] = [
  // Also while draining, since the machine is still there.
  {
    name: 'checking this instance',
    on: 'every instance',
    everySeconds: 15,
    runsWhileDraining: true,
    wokenBy: CHECKS_CHANNEL,
    run: checkInstance,
  },
  {
    name: SYSTEM_TASK,
    on: 'one instance',
    everySeconds: 15,
    runsWhileDraining: true,
    wokenBy: CHECKS_CHANNEL,
    run: checkSystem,
  },
  {
    name: HEARTBEAT_TASK,
    on: 'one instance',
    everySeconds: 60,
    run: ({ db }) => sendOutsideHeartbeat(db),
  },
];
