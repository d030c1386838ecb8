import { join } from 'node:path';
import { v7 as uuidv7 } from 'uuid';
import { createDkimStore } from '@/mail/agent/dkim-store';
import { type Installation, readInstallation } from '@/mail/agent/installation';
import { createKeptCopies } from '@/mail/agent/kept-copies';
import { rotateLog } from '@/mail/agent/logs/log-rotation';
import { type PolicyRequest, startPolicyServer } from '@/mail/agent/policy-server';
import { createQueueHandlers } from '@/mail/agent/queue/postfix-queue';
import { createServiceHandlers } from '@/mail/agent/services';
import { createSieveHandlers } from '@/mail/agent/sieve-check';
import type { AgentHandlers } from '@/mail/agent-requests';
import { admitSubmission } from '@/modules/abuse/submission';
import { publishDkimKeys } from '@/modules/domains/dkim/publish';
import {
  AGENT_CHANNEL,
  type AgentInstance,
  beat,
  createRequestTaker,
  deleteOldRequests,
  detach,
} from '@/modules/mail-server/requests';
import { submittedMessageId } from '@/modules/messages/mail-log/outbound/submitted';
import { createMailReader } from '@/modules/messages/mail-log/reader';
import { deleteOldLoggedMail } from '@/modules/messages/mail-log/retention';
import { listen } from '@/server/background/notifications';
import { repeat } from '@/server/background/repeat';
import { systemClock } from '@/server/clock';
import { type Database, database } from '@/server/db';
import { log } from '@/server/log';
import { connectRedis } from '@/server/redis';
import { env } from '@/server/settings/env';
import packageJson from '../package.json';

const READ_INTERVAL_MS = 250;
// Kicked for what is new, so that these are for kicks that got lost.
const REQUEST_INTERVAL_MS = 1_000;
const PUBLISH_INTERVAL_MS = 5_000;
const BEAT_INTERVAL_MS = 5_000;
const TIDY_INTERVAL_MS = 10 * 60_000;

/** Until it is told to stop, or whoever started it is gone. */
async function run(): Promise<void> {
  const end = await startAgent().catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    process.exit(1);
  });
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.once(signal, () => void end().then(() => process.exit(0)));
  process.on('disconnect', () => process.exit(1));
  process.send?.('started');
}

/**
 * Runs beside the mail server, as root on its host, and connects it with Postroom through the database alone: reads what
 * happens to mail into it, does what the app asks from a list, and counts what mailboxes submit.
 * @returns what ends it, when all that is under way is done
 */
async function startAgent(): Promise<() => Promise<void>> {
  const installation = readInstallation(env().mailServerConfig);
  const db = database();
  const agent: AgentInstance = { host: installation.host, instance: uuidv7(), version: packageJson.version };
  const { port, password } = installation.redis;
  const redis = connectRedis(`redis://:${password}@127.0.0.1:${port}`, REDIS_TOLD);
  const policy = await startPolicyServer(installation.policySocket, (request) => decide(db, request), tellPolicyError);
  const copies = createKeptCopies(installation);
  const readMail = createMailReader({ db, redis, installation, copies, clock: systemClock });
  const handlers = handlersOf(installation);
  const dkimStore = createDkimStore(redis);

  await beat(db, agent);
  const requests = createRequestTaker({ db, agent, handlers }, () => taking.runNow());
  const taking = repeat('doing what the app asks', REQUEST_INTERVAL_MS, requests.take);
  const whenKicked = [
    repeat('publishing DKIM keys', PUBLISH_INTERVAL_MS, () => publishDkimKeys(db, dkimStore)),
    taking,
  ];
  const tasks = [
    ...whenKicked,
    repeat('telling that the agent is here', BEAT_INTERVAL_MS, () => beat(db, agent)),
    repeat('reading what happened to mail', READ_INTERVAL_MS, readMail),
    repeat('forgetting what is dealt with', TIDY_INTERVAL_MS, () => tidy(db, installation)),
  ];
  const endListening = listen(AGENT_CHANNEL, () => {
    for (const { runNow } of whenKicked) runNow();
  });
  log.info({ host: agent.host, config: installation.config }, 'the agent of the mail server runs');
  return async () => {
    await Promise.all([...tasks.map(({ end }) => end()), policy.close(), endListening()]);
    await requests.end();
    await detach(db, agent);
    redis.disconnect();
    await db.$disconnect();
  };
}

const REDIS_TOLD = {
  answers: 'what the filter says is read from there',
  away: 'inbound mail is told of with what its mailbox holds',
};

function handlersOf(installation: Installation): AgentHandlers {
  const { config, data } = installation;
  return {
    ...createServiceHandlers(installation),
    ...createQueueHandlers({ configFolder: join(config, 'postfix') }),
    ...createSieveHandlers({ configFolder: config, dataFolder: data }),
  };
}

async function decide(db: Database, request: PolicyRequest): Promise<string> {
  const value = (name: string) => request.get(name) ?? '';
  if (value('protocol_state') !== 'END-OF-MESSAGE') return 'DUNNO';
  const context = {
    database: db,
    clock: systemClock,
    request: { id: uuidv7(), ip: value('client_address'), userAgent: 'SMTP', idempotencyKey: null, cookies: '' },
  };
  return admitSubmission(context, { id: submittedMessageId(value('queue_id')), login: value('sasl_username') });
}

function tellPolicyError(error: unknown): void {
  log.error({ error }, 'a submission could not be counted: its sender tries again');
}

async function tidy(db: Database, installation: Installation): Promise<void> {
  await deleteOldLoggedMail(db);
  await deleteOldRequests(db);
  await rotateLog(installation, systemClock.now());
}

await run();
