import { setTimeout } from 'node:timers/promises';
import { uuidv7 } from '@/lib/uuid';
import type { AgentAction, AgentRequests, ShownRelay } from '@/mail/agent/requests';
import type { Database, Tx } from '@/server/database/db';
import { AppError, type ErrorDetails } from '@/server/errors';
import type { MutationContext } from '@/server/procedures/mutation';
import { AGENT_CHANNEL, type Answer } from './requests';
import type { MailServerState } from './schema';

const ATTACHED_SECONDS = 20;
const ANSWER_WITHIN_MS = 15_000;
const FIRST_PAUSE_MS = 10;
const MAX_PAUSE_MS = 150;
const UNAVAILABLE_TEXTS = {
  none: 'No mail server is attached.',
  silent: 'The mail agent is not responding. Start it on the mail server’s host with: npm run mail-agent',
};

/** Whether an agent has sent a heartbeat in the last 20 seconds. */
export async function isMailServerAttached(db: Tx): Promise<boolean> {
  const [row] = await db.$queryRaw<[{ isAttached: boolean }]>`
    SELECT EXISTS (SELECT FROM mail_agent WHERE beat_at > now() - make_interval(secs => ${ATTACHED_SECONDS})) AS "isAttached"`;
  return row.isAttached;
}

/** The hosts of the agents that have sent a heartbeat in the last 20 seconds. */
export async function attachedHosts(db: Tx): Promise<string[]> {
  const rows = await db.$queryRaw<{ host: string }[]>`
    SELECT host FROM mail_agent WHERE beat_at > now() - make_interval(secs => ${ATTACHED_SECONDS}) ORDER BY host`;
  return rows.map(({ host }) => host);
}

/** The relays of the agents that have sent a heartbeat in the last 20 seconds. */
export async function findRelays(db: Tx): Promise<{ host: string; relay: ShownRelay }[]> {
  return db.$queryRaw<{ host: string; relay: ShownRelay }[]>`
    SELECT host, relay FROM mail_agent
     WHERE beat_at > now() - make_interval(secs => ${ATTACHED_SECONDS}) AND relay IS NOT NULL ORDER BY host`;
}

/** An agent that was attached before has left a cursor. */
export async function mailServerState(db: Tx): Promise<MailServerState> {
  if (await isMailServerAttached(db)) return 'attached';
  return (await db.mailCursor.findFirst({ select: { source: true } })) ? 'silent' : 'none';
}

/** @throws MAIL_STACK_UNAVAILABLE if no agent is attached */
export async function requireMailServer(db: Tx): Promise<void> {
  const state = await mailServerState(db);
  if (state !== 'attached') throw unavailable(UNAVAILABLE_TEXTS[state], { mail_server: state });
}

/** Tells the agents to check for requests, operations and changed DKIM keys when the transaction commits. */
export async function kickAgents(tx: Tx): Promise<void> {
  await tx.$executeRaw`SELECT pg_notify(${AGENT_CHANNEL}, '')`;
}

/**
 * Sends a request to the mail server's agent and waits for the answer. Don't call it in a transaction, because the agent
 * sees only committed requests.
 * @throws MAIL_STACK_UNAVAILABLE if no agent is attached, it doesn't respond in time, or the operation fails
 */
export async function askAgent<Action extends AgentAction>(
  database: Database,
  action: Action,
  input: AgentRequests[Action]['input'],
  { withinMs = ANSWER_WITHIN_MS }: { withinMs?: number } = {},
): Promise<AgentRequests[Action]['output']> {
  await requireMailServer(database);
  const id = uuidv7();
  await database.$executeRaw`
    WITH request AS (
      INSERT INTO mail_request (id, action, input, expires_at)
      VALUES (${id}::uuid, ${action}, ${JSON.stringify(input)}::jsonb, now() + make_interval(secs => ${withinMs / 1000}))
      RETURNING id
    ) SELECT pg_notify(${AGENT_CHANNEL}, id::text) FROM request`;
  const answer = await waitForAnswer(database, id, withinMs);
  if ('failure' in answer) throw unavailable(`The mail server could not complete the operation. ${answer.failure}`);
  return answer.output as AgentRequests[Action]['output'];
}

/** Audits a failed call too, because the operation may have been completed without an answer. */
export async function auditFailure<Answer>(
  { auditAlone }: MutationContext,
  target: { resource: string; domainId?: string | null },
  call: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof AppError) {
      await auditAlone({ ...target, outcome: 'error', details: { code: error.apiCode, message: error.message } });
    }
    throw error;
  }
}

/** Looks for what an agent stores, with growing pauses. @returns null if it isn't there in time */
export async function waitForAgent<Found>(look: () => Promise<Found | null>, withinMs: number): Promise<Found | null> {
  const deadline = performance.now() + withinMs;
  for (let pauseMs = FIRST_PAUSE_MS; performance.now() < deadline; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
    await setTimeout(pauseMs);
    const found = await look();
    if (found !== null) return found;
  }
  return null;
}

async function waitForAnswer(database: Database, id: string, withinMs: number): Promise<Answer> {
  const answer = await waitForAgent(async () => {
    const row = await database.mailRequest.findUnique({ where: { id }, select: { answer: true } });
    return row?.answer ?? null;
  }, withinMs);
  if (answer) return answer as Answer;
  const { count } = await database.mailRequest.deleteMany({ where: { id, claimedAt: null } });
  if (count === 1) throw unavailable('The mail agent did not respond in time. Nothing was changed.');
  throw unavailable('The mail agent did not respond in time. The operation may still have been completed.');
}

function unavailable(message: string, details?: ErrorDetails): AppError {
  return new AppError('MAIL_STACK_UNAVAILABLE', message, { details });
}
