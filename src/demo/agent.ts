import { uuidv7 } from '@/lib/uuid';
import type { AgentHandlers } from '@/mail/agent/requests';
import { joinCluster } from '@/modules/cluster/heartbeat';
import {
  AGENT_CHANNEL,
  createRequestRunner,
  deleteOldRequests,
  detach,
  recordHeartbeat,
} from '@/modules/mail-server/requests';
import { recordServices } from '@/modules/services/record';
import { createOperationRunner } from '@/modules/services/run';
import { startTasks } from '@/server/background/start-tasks';
import type { Task } from '@/server/background/task';
import { systemClock } from '@/server/clock';
import { database } from '@/server/database/db';
import packageJson from '../../package.json';
import { createQueueHandlers } from './mail-server/queue';
import { performInDemo, servicesInDemo } from './mail-server/services';
import { checkSieve } from './mail-server/sieve-check';

const REQUEST_TASK = 'running requests from the app';

/** Stands in for the mail agent, so that the pages of the queue and the services work in the demo. */
async function run(): Promise<void> {
  const db = database();
  const agent = { host: 'mail.postroom.example', instance: uuidv7(), version: packageJson.version };
  const handlers: AgentHandlers = {
    ...createQueueHandlers(db),
    'sieve.check': async ({ script }) => ({ errors: checkSieve(script) }),
    'relay.test': async () => ({ host: agent.host, result: null }),
  };
  const leave = await joinCluster(db, ['agent']);
  await recordHeartbeat(db, agent, null);
  const requests = createRequestRunner({ db, agent, handlers }, () => running.runNow(REQUEST_TASK));
  const runners = (['services', 'mail_backup'] as const).map((lane) =>
    createOperationRunner({ db, clock: systemClock, host: agent.host, lane, perform: performInDemo }, () => {}),
  );
  const report = () => recordServices(db, agent.host, servicesInDemo(agent.version));
  await report();
  const tasks: Task[] = [
    { name: REQUEST_TASK, on: 'every instance', everySeconds: 1, wokenBy: AGENT_CHANNEL, run: requests.startPending },
    {
      name: 'running operations',
      on: 'every instance',
      everySeconds: 1,
      wokenBy: AGENT_CHANNEL,
      run: async () => {
        for (const { runPending } of runners) await runPending();
      },
    },
    { name: 'watching the services', on: 'every instance', everySeconds: 5, run: report },
    {
      name: 'reporting that the agent is running',
      on: 'every instance',
      everySeconds: 5,
      run: () => recordHeartbeat(db, agent),
    },
    { name: 'deleting old records', on: 'every instance', everySeconds: 600, run: () => deleteOldRequests(db) },
  ];
  const running = startTasks(
    tasks.map((task) => ({ ...task, isAwaited: true })),
    { db, clock: systemClock },
  );
  const end = async () => {
    await running.end();
    await requests.end();
    await detach(db, agent);
    await leave();
    await db.$disconnect();
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void end());
  process.on('disconnect', () => process.exit(1));
  process.send?.('started');
}

await run().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
  process.exit(1);
});
