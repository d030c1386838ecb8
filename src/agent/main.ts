import { once } from 'node:events';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { checkMailDisk } from '@/agent/watching';
import { uuidv7 } from '@/lib/uuid';
import { createCertificateKeeper } from '@/mail/agent/certificate/keeper';
import { createDkimStore } from '@/mail/agent/dkim-store';
import { checkMailServer, writeToRedis } from '@/mail/agent/health/check';
import { type Installation, readInstallation } from '@/mail/agent/installation';
import { createMessageCopies } from '@/mail/agent/message-copies';
import { createQueueHandlers } from '@/mail/agent/queue/postfix-queue';
import { createRelayCheck, createRelayHandlers, readShownRelay } from '@/mail/agent/relay';
import { startReportServer } from '@/mail/agent/report-server';
import type { AgentHandlers } from '@/mail/agent/requests';
import { createServiceControl } from '@/mail/agent/services/control';
import { createSieveHandlers } from '@/mail/agent/sieve-check';
import { rotateLog } from '@/mail/log/log-rotation';
import { joinCluster } from '@/modules/cluster/heartbeat';
import { publishDkimKeys } from '@/modules/domains/dkim/publish';
import {
  AGENT_CHANNEL,
  type AgentInstance,
  createRequestRunner,
  deleteOldRequests,
  detach,
  recordHeartbeat,
  recordRelay,
} from '@/modules/mail-server/requests';
import { contentSettled } from '@/modules/messages/content/keeping/keep';
import { createMailReader } from '@/modules/messages/mail-log/reader';
import { deleteOldLoggedMail } from '@/modules/messages/mail-log/retention';
import { findAuthors } from '@/modules/messages/returned/authors';
import { storeReturnedMail } from '@/modules/messages/returned/store';
import { storeReportMail } from '@/modules/reports/service';
import { CHECKS_CHANNEL } from '@/modules/system/health/check-now';
import { forgetFinding, recordFindings } from '@/modules/system/health/record';
import { checkClock } from '@/modules/system/health/run';
import { startTasks } from '@/server/background/start-tasks';
import type { Task } from '@/server/background/task';
import { systemClock } from '@/server/clock';
import { type Database, database, isDatabaseAway } from '@/server/database/db';
import { log } from '@/server/log';
import { checkMemory } from '@/server/machine';
import { connectRedis } from '@/server/redis';
import { env } from '@/server/settings/env';
import { applySavedSettings, followSavedSettings } from '@/server/settings/saved';
import packageJson from '../../package.json';
import type { AnswersSettings } from './answers';
import { prepareBackups } from './backups';
import { prepareOperations, recoverOperation } from './operations';
import { watchingTasks } from './watching';

const DATABASE_INTERVAL_MS = 1_000;
const REQUEST_TASK = 'running requests from the app';
/** Asks scripts/mail-agent.mjs to start the agent again. */
const RESTART_EXIT_CODE = 75;

/** Runs until SIGTERM or SIGINT, until the parent process is gone, or until its settings changed. */
async function run(): Promise<void> {
  const restart = () => void end().then(() => process.exit(RESTART_EXIT_CODE));
  const end = await startAgent(restart).catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    process.exit(1);
  });
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.once(signal, () => void end().then(() => process.exit(0)));
  process.on('disconnect', () => process.exit(1));
  process.send?.('started');
}

/**
 * Runs on the mail server's host as root and connects it with Postroom through the database only: reads the mail log,
 * runs requests from the app from a fixed list, and counts SMTP submissions of mailboxes.
 * @returns a function that ends the agent after the current work is finished
 */
async function startAgent(restart: () => void): Promise<() => Promise<void>> {
  const db = database();
  const { mailServerConfig: config } = env();
  const recoveredOperation = await recoverOperation(config);
  const installation = readInstallation(config);
  const agent: AgentInstance = { host: installation.host, instance: uuidv7(), version: packageJson.version };
  const { port, password } = installation.redis;
  const redis = connectRedis(`redis://:${password}@127.0.0.1:${port}`, REDIS_STATUS_MESSAGES);
  const endAnswers = await startAnswers(installation);
  const copies = createMessageCopies(installation);
  const readMail = createMailReader({ db, redis, installation, copies, clock: systemClock });
  const handlers = handlersOf(db, installation);
  let logReadAt = new Date();
  const dkimStore = createDkimStore(redis);
  const reportServer = await startReportServer({
    path: installation.reportSocket,
    async accept(mail) {
      await storeReturnedMail(db, mail, systemClock.now());
      await storeReportMail(db, mail, systemClock.now());
    },
    onError: (error) => log.error({ error }, 'storing a report failed, Postfix retries'),
  });

  await waitForDatabase(db);
  await recordHeartbeat(db, agent, readShownRelay(installation.config));
  await applySavedSettings(db);
  const stopFollowing = followSavedSettings(db);
  const leaveCluster = await joinCluster(db, ['agent']);
  const requests = createRequestRunner({ db, agent, handlers }, () => running.runNow(REQUEST_TASK));
  const control = createServiceControl(() => installation);
  const ending = new AbortController();
  const certificate = createCertificateKeeper({
    installation,
    signal: ending.signal,
    reload: (service) => control.reload(service),
    now: () => systemClock.now(),
    onLine: (line) => log.info({ host: agent.host }, line),
  });
  const operations = await prepareOperations({
    db,
    agent,
    dkimStore,
    renewCertificate: certificate.renew,
    recovery: recoveredOperation,
    onOutdated: restart,
    runNow: (task) => running.runNow(task),
  });
  const watching = watchingTasks({ db, installation, control });
  const backups = await prepareBackups({
    db,
    host: agent.host,
    read: () => installation,
    redis,
    retryMail: watching.retryMail,
  });
  const checkRelay = createRelayCheck(installation, () => systemClock.now());
  const checkHealth = async () => {
    const checked = checkMailServer({
      installation,
      handlers,
      writeToRedis: () => writeToRedis(redis),
      logReadAt: () => logReadAt,
    });
    const [relay, ...results] = await Promise.all([
      checkRelay(),
      checked,
      certificate.check(),
      checkMailDisk(installation),
      checkMemory(),
      checkClock(db, hostname()),
    ]);
    await recordFindings(db, [...results.flat(), ...(relay ? [relay] : [])]);
    if (!relay) await forgetFinding(db, 'relay', agent.host);
  };
  const tasks: Task[] = [
    { name: REQUEST_TASK, on: 'every instance', everySeconds: 1, wokenBy: AGENT_CHANNEL, run: requests.startPending },
    {
      name: 'publishing DKIM keys',
      on: 'every instance',
      everySeconds: 5,
      wokenBy: AGENT_CHANNEL,
      run: () => publishDkimKeys(db, dkimStore),
    },
    { name: 'keeping the certificate', on: 'every instance', everySeconds: 60, run: certificate.keep },
    {
      name: 'reporting that the agent is running',
      on: 'every instance',
      everySeconds: 5,
      run: () => recordHeartbeat(db, agent),
    },
    {
      name: 'reporting the relay',
      on: 'every instance',
      everySeconds: 5,
      run: () => recordRelay(db, agent.host, readShownRelay(installation.config)),
    },
    {
      name: 'reading mail log',
      on: 'every instance',
      everySeconds: 0.25,
      run: async () => {
        await readMail();
        logReadAt = new Date();
      },
    },
    { name: 'checking health', on: 'every instance', everySeconds: 30, wokenBy: CHECKS_CHANNEL, run: checkHealth },
    {
      name: 'deleting old records',
      on: 'every instance',
      everySeconds: 600,
      run: () => deleteOldData(db, installation),
    },
    ...operations.tasks,
    ...backups.tasks,
    ...watching.tasks,
  ];
  const running = startTasks(
    tasks.map((task) => ({ ...task, isAwaited: true })),
    { db, clock: systemClock },
  );
  log.info({ host: agent.host, config: installation.config }, 'mail agent started');
  return async () => {
    ending.abort();
    // First, so that a long operation doesn't keep the agent from its other work.
    await Promise.all([operations.stop(), backups.stop()]);
    await Promise.all([running.end(), endAnswers(), reportServer.close()]);
    await requests.end();
    await contentSettled();
    stopFollowing();
    await leaveCluster();
    await detach(db, agent);
    redis.disconnect();
    await db.$disconnect();
  };
}

const REDIS_STATUS_MESSAGES = {
  answers: 'spam verdicts are read from there',
  away: 'the content of received mail is read from the mailboxes',
};

function handlersOf(db: Database, installation: Installation): AgentHandlers {
  const { config, data } = installation;
  return {
    ...createQueueHandlers({
      configFolder: join(config, 'postfix'),
      findAuthors: (addresses) => findAuthors(db, addresses),
      warn: (error, text) => log.warn({ error }, text),
    }),
    ...createSieveHandlers({ configFolder: config, dataFolder: data }),
    ...createRelayHandlers(installation),
  };
}

/** When the host boots, Postgres may start last. */
async function waitForDatabase(db: Database): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      await db.$queryRaw`SELECT 1`;
      return;
    } catch (error) {
      if (!isDatabaseAway(error)) throw error;
      if (attempt === 0) log.warn({ error }, 'the database is unavailable, waiting for it');
    }
    await sleep(DATABASE_INTERVAL_MS);
  }
}

/**
 * Starts the thread that answers Postfix and Dovecot, so that reading mail, whatever it contains, never delays an answer. If the thread
 * fails, so does the agent.
 */
async function startAnswers({ policySocket, signIns, filters, redis }: Installation): Promise<() => Promise<unknown>> {
  const settings: AnswersSettings = { policySocket, signIns, filters, redis };
  const thread = new Worker(new URL('./answers.ts', import.meta.url), { workerData: settings });
  await once(thread, 'message');
  thread.once('error', (error) => {
    log.error({ error }, 'answering the mail server failed');
    process.exit(1);
  });
  return async () => {
    const ended = once(thread, 'exit');
    thread.postMessage('end');
    await ended;
  };
}

async function deleteOldData(db: Database, installation: Installation): Promise<void> {
  await deleteOldLoggedMail(db);
  await deleteOldRequests(db);
  await rotateLog(installation, systemClock.now());
}

await run();
