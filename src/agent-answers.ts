import { parentPort, workerData } from 'node:worker_threads';
import { v7 as uuidv7 } from 'uuid';
import { type PolicyRequest, startPolicyServer } from '@/mail/agent/policy-server';
import { admitSubmission } from '@/modules/abuse/submission';
import { submittedMessageId } from '@/modules/messages/mail-log/outbound/submitted';
import { systemClock } from '@/server/clock';
import { type Database, database } from '@/server/db';
import { log } from '@/server/log';

export type AnswersSettings = { policySocket: string };

/** The thread of the mail agent that answers Postfix. It runs until it gets a message. */
async function run({ policySocket }: AnswersSettings): Promise<void> {
  const db = database();
  const policy = await startPolicyServer(policySocket, (request) => answerPolicyRequest(db, request), logPolicyError);
  parentPort?.once('message', async () => {
    await policy.close();
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

await run(workerData as AnswersSettings);
