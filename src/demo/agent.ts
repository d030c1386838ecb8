import { uuidv7 } from '@/lib/uuid';
import type { AgentHandlers } from '@/mail/agent/requests';
import {
  AGENT_CHANNEL,
  createRequestRunner,
  deleteOldRequests,
  detach,
  recordHeartbeat,
} from '@/modules/mail-server/requests';
import { createOperationRunner } from '@/modules/orchestrator/run';
import { recordServices } from '@/modules/orchestrator/services';
import { listen } from '@/server/background/notifications';
import { repeat } from '@/server/background/repeat';
import { systemClock } from '@/server/clock';
import { database } from '@/server/db';
import packageJson from '../../package.json';
import { createQueueHandlers } from './mail-server/queue';
import { performInDemo, servicesInDemo } from './mail-server/services';
import { checkSieve } from './mail-server/sieve-check';

const REQUEST_INTERVAL_MS = 1_000;
const BEAT_INTERVAL_MS = 5_000;
const TIDY_INTERVAL_MS = 10 * 60_000;

/** Stands in for the mail agent, so that the pages of the queue and the services work in the demo. */
async function run(): Promise<void> {
  const db = database();
  const agent = { host: 'mail.postroom.example', instance: uuidv7(), version: packageJson.version };
  const handlers: AgentHandlers = {
    ...createQueueHandlers(db),
    'sieve.check': async ({ script }) => ({ errors: checkSieve(script) }),
  };
  await recordHeartbeat(db, agent);
  const requests = createRequestRunner({ db, agent, handlers }, () => taking.runNow());
  const runners = (['services', 'mail_backup'] as const).map((lane) =>
    createOperationRunner({ db, clock: systemClock, host: agent.host, lane, perform: performInDemo }, () => {}),
  );
  const performing = repeat('running operations', REQUEST_INTERVAL_MS, async () => {
    for (const { runPending } of runners) await runPending();
  });
  const report = () => recordServices(db, agent.host, servicesInDemo(agent.version));
  await report();
  const taking = repeat('answering the app', REQUEST_INTERVAL_MS, requests.startPending);
  const tasks = [
    taking,
    performing,
    repeat('reporting the services', BEAT_INTERVAL_MS, report),
    repeat('reporting that the agent is running', BEAT_INTERVAL_MS, () => recordHeartbeat(db, agent)),
    repeat('deleting old requests', TIDY_INTERVAL_MS, () => deleteOldRequests(db)),
  ];
  const endListening = listen(AGENT_CHANNEL, () => {
    taking.runNow();
    performing.runNow();
  });
  const end = async () => {
    await Promise.all([...tasks.map((task) => task.end()), endListening()]);
    await requests.end();
    await detach(db, agent);
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
