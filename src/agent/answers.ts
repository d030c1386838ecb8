import { parentPort, workerData } from 'node:worker_threads';
import { uuidv7 } from '@/lib/uuid';
import { type Installation, keyIdIn } from '@/mail/agent/installation';
import { type PolicyRequest, startPolicyServer } from '@/mail/agent/policy-server';
import { readProcess, secondsSinceStart } from '@/mail/agent/services/processes';
import { startSignInServer } from '@/mail/agent/sign-in-server';
import { ownerOfConnection } from '@/mail/agent/socket-owner';
import { admitSubmission } from '@/modules/abuse/service';
import { createSignInPolicy } from '@/modules/abuse/sign-ins';
import { findSessionsToEnd } from '@/modules/mailboxes/open-sessions';
import { createSignInRecorder } from '@/modules/mailboxes/sign-ins';
import { submittedMessageId } from '@/modules/messages/mail-log/outbound/submitted';
import { admitByKey, checkKeyRecipient } from '@/modules/sending/submission/by-key';
import { submittedSender } from '@/modules/sending/submission/envelope-sender';
import { systemClock } from '@/server/clock';
import { type Database, database } from '@/server/database/db';
import { log } from '@/server/log';
import { connectRedis } from '@/server/redis';
import { applySavedSettings, followSavedSettings } from '@/server/settings/saved';

export type AnswersSettings = Pick<Installation, 'policySocket' | 'signIns' | 'filters' | 'redis'>;

// Rspamd reads it while it checks the message, see rspamd.local.lua.
const PREFIX = 'postroom:sender:';
const KEPT_SECONDS = 600;

/** The thread of the mail agent that answers Postfix and Dovecot. It runs until it gets a message. */
async function run({ policySocket, signIns, filters, redis }: AnswersSettings): Promise<void> {
  const db = database();
  const senders = createSubmittedSenders(redis);
  const settings = threadSettings(db);
  const answer = async (request: PolicyRequest) => {
    if (request.get('policy_context') === 'filters') return admitFilter(filters, request);
    await settings.areApplied();
    return answerSubmission(db, senders, request);
  };
  const policy = await startPolicyServer(policySocket, answer, logPolicyError);
  const signInServer = await startSignInServer(
    { ...signIns, onError: logSignInError },
    createSignInPolicy({ db, clock: systemClock, recordSuccess: createSignInRecorder({ db, clock: systemClock }) }),
  );
  parentPort?.once('message', async () => {
    await Promise.all([policy.close(), signInServer.close()]);
    senders.end();
    settings.end();
    await db.$disconnect();
  });
  parentPort?.postMessage('started');
}

/**
 * The saved settings in this thread, which has its own, as a process does. The database may still be starting when the thread starts, so
 * the first submission that gets an answer is the first to need them.
 */
function threadSettings(db: Database) {
  let applied: Promise<void> | null = null;
  return {
    areApplied(): Promise<void> {
      applied ??= applySavedSettings(db).catch((error: unknown) => {
        applied = null;
        throw error;
      });
      return applied;
    },
    end: followSavedSettings(db),
  };
}

/** Any user of the host can connect, but only Dovecot can send. */
async function admitFilter({ port, uid }: AnswersSettings['filters'], request: PolicyRequest): Promise<string> {
  const owner = await ownerOfConnection(Number(request.get('client_port')), port);
  return owner === uid ? 'DUNNO' : '550 5.7.1 Only filters can send mail here';
}

async function answerSubmission(db: Database, senders: SubmittedSenders, request: PolicyRequest): Promise<string> {
  const action = await decideSubmission(db, request);
  const [queueId, sender] = [request.get('queue_id') ?? '', request.get('sender') ?? ''];
  // A report that a mail program sends, such as a receipt, has no sender and gets none.
  if (action !== 'DUNNO' || !isWhole(request) || sender === '') return action;
  const address = await submittedSender(db, submittedMessageId(queueId), sender);
  if (address !== null) await senders.change(queueId, address);
  return action;
}

function isWhole(request: PolicyRequest): boolean {
  return request.get('protocol_state') === 'END-OF-MESSAGE';
}

async function decideSubmission(db: Database, request: PolicyRequest): Promise<string> {
  const value = (name: string) => request.get(name) ?? '';
  const login = value('sasl_username');
  const keyId = keyIdIn(login);
  const context = {
    db,
    clock: systemClock,
    request: { id: uuidv7(), ip: value('client_address'), userAgent: 'SMTP', idempotencyKey: null, cookies: '' },
    response: { headers: new Headers(), status: null },
  };
  const id = submittedMessageId(value('queue_id'));
  const recipientCount = Number(value('recipient_count'));
  if (keyId) {
    const session = { keyId, sender: value('sender') };
    return isWhole(request)
      ? admitByKey(context, session, id, recipientCount)
      : checkKeyRecipient(context, session, value('recipient'));
  }
  if (!isWhole(request)) return 'DUNNO';
  const secondsOpen = await ageOfSmtpSession(value('instance'));
  const ended = await findSessionsToEnd(db, [{ address: login, secondsOpen }]);
  if (ended.length > 0) return '421 4.7.0 The password or the mailbox was changed, sign in again';
  return admitSubmission(context, { id, sender: login, recipientCount });
}

/** Each session has an smtpd process of its own (max_use in master.cf), whose id in hexadecimal begins the instance. */
async function ageOfSmtpSession(instance: string): Promise<number> {
  const smtpd = await readProcess(Number.parseInt(instance, 16));
  if (!smtpd) throw new Error(`no session of Postfix has the instance ${instance}`);
  return secondsSinceStart(smtpd);
}

function logPolicyError(error: unknown): void {
  log.error({ error }, 'answering Postfix failed, the sender retries');
}

function logSignInError(error: unknown): void {
  log.error({ error }, 'counting wrong passwords failed');
}

await run(workerData as AnswersSettings);

type SubmittedSenders = ReturnType<typeof createSubmittedSenders>;

/** Tells the mail server which envelope senders submitted messages get, by a Redis connection of its own. */
function createSubmittedSenders({ port, password }: Installation['redis']) {
  const redis = connectRedis(`redis://:${password}@127.0.0.1:${port}`, {
    answers: 'messages sent by SMTP get bounce addresses',
    away: 'messages sent by SMTP keep their envelope sender',
  });
  return {
    /** Changes the envelope sender of a message whose text the mail server has received and not accepted yet. */
    async change(queueId: string, address: string): Promise<void> {
      try {
        await redis.set(PREFIX + queueId, address, 'EX', KEPT_SECONDS);
      } catch (error) {
        // Only the status would not follow a late bounce, which comes to the sender.
        log.warn({ queue_id: queueId, error }, 'a message keeps its envelope sender');
      }
    },
    end: () => redis.disconnect(),
  };
}
