import { parentPort, workerData } from 'node:worker_threads';
import { v7 as uuidv7 } from 'uuid';
import type { Installation } from '@/mail/agent/installation';
import { type PolicyRequest, startPolicyServer } from '@/mail/agent/policy-server';
import { startSignInServer } from '@/mail/agent/sign-in-server';
import { createSignInPolicy } from '@/modules/abuse/sign-ins';
import { admitSubmission } from '@/modules/abuse/submission';
import { submittedMessageId } from '@/modules/messages/mail-log/outbound/submitted';
import { systemClock } from '@/server/clock';
import { type Database, database } from '@/server/db';
import { log } from '@/server/log';

export type AnswersSettings = Pick<Installation, 'policySocket' | 'signIns'>;

/** The thread of the mail agent that answers Postfix and Dovecot. It runs until it gets a message. */
async function run({ policySocket, signIns }: AnswersSettings): Promise<void> {
  const db = database();
  const policy = await startPolicyServer(policySocket, (request) => answerPolicyRequest(db, request), logPolicyError);
  const signInServer = await startSignInServer(
    { ...signIns, onError: logSignInError },
    createSignInPolicy({ db, clock: systemClock }),
  );
  parentPort?.once('message', async () => {
    await Promise.all([policy.close(), signInServer.close()]);
    await db.$disconnect();
  });
  parentPort?.postMessage('started');
}

async function answerPolicyRequest(db: Database, request: PolicyRequest): Promise<string> {
  const value = (name: string) => request.get(name) ?? '';
  if (value('protocol_state') !== 'END-OF-MESSAGE') return 'DUNNO';
  const context = {
    db,
    clock: systemClock,
    request: { id: uuidv7(), ip: value('client_address'), userAgent: 'SMTP', idempotencyKey: null, cookies: '' },
  };
  return admitSubmission(context, { id: submittedMessageId(value('queue_id')), login: value('sasl_username') });
}

function logPolicyError(error: unknown): void {
  log.error({ error }, 'counting a submission failed, its sender retries');
}

function logSignInError(error: unknown): void {
  log.error({ error }, 'counting wrong passwords failed');
}

await run(workerData as AnswersSettings);
