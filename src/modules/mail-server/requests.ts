import type { AgentAction, AgentHandlers, ShownRelay } from '@/mail/agent/requests';
import type { Database } from '@/server/database/db';
import { log } from '@/server/log';
import { Prisma } from '@/server/prisma/client';

/** The Postgres channel that agents listen to. */
export const AGENT_CHANNEL = 'postroom_agent';

/** One run of the agent on a mail server's host. */
export type AgentInstance = { host: string; instance: string; version: string };

export type ClaimedRequest = { id: string; action: AgentAction; input: unknown };

export type Answer = { output: unknown } | { failure: string };

const RETENTION_MINUTES = 60;
const MAX_CONCURRENT = 4;

/**
 * Shows that the agent is running. Called every few seconds.
 * @param relay as in {@link recordRelay}, for the first heartbeat; without it, what is known of the relay stays
 */
export async function recordHeartbeat(
  db: Database,
  { host, instance, version }: AgentInstance,
  relay?: ShownRelay | null,
): Promise<void> {
  const shown = relay ? JSON.stringify(relay) : null;
  await db.$executeRaw`
    INSERT INTO mail_agent AS existing (host, instance, version, started_at, beat_at, relay, relay_known)
    VALUES (${host}, ${instance}::uuid, ${version}, now(), now(), ${shown}::jsonb, ${relay !== undefined})
    ON CONFLICT (host) DO UPDATE SET
      beat_at = now(), instance = EXCLUDED.instance, version = EXCLUDED.version,
      relay = CASE WHEN EXCLUDED.relay_known THEN EXCLUDED.relay ELSE existing.relay END,
      relay_known = existing.relay_known OR EXCLUDED.relay_known,
      started_at = CASE WHEN existing.instance = EXCLUDED.instance THEN existing.started_at ELSE now() END`;
}

/** Shows the relay of the mail server of an agent that has sent a heartbeat. */
export async function recordRelay(db: Database, host: string, relay: ShownRelay | null): Promise<void> {
  await db.mailAgent.updateMany({ where: { host }, data: { relay: relay ?? Prisma.DbNull, relayKnown: true } });
}

/** Removes the heartbeat when the agent ends, so that later calls fail immediately. */
export async function detach(db: Database, { host, instance }: AgentInstance): Promise<void> {
  await db.mailAgent.deleteMany({ where: { host, instance } });
}

/** Claims the oldest request that has not expired. A claimed request is never claimed again. */
export async function claimRequest(db: Database, { instance }: AgentInstance): Promise<ClaimedRequest | null> {
  const [request] = await db.$queryRaw<ClaimedRequest[]>`
    UPDATE mail_request SET claimed_by = ${instance}::uuid, claimed_at = now()
     WHERE id = (SELECT id FROM mail_request WHERE claimed_at IS NULL AND expires_at > now()
                  ORDER BY created_at LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING id, action, input`;
  return request ?? null;
}

export async function answerRequest(db: Database, id: string, answer: Answer): Promise<void> {
  await db.$executeRaw`
    UPDATE mail_request SET finished_at = now(), answer = ${JSON.stringify(answer)}::jsonb WHERE id = ${id}::uuid`;
}

/**
 * Runs requests from the app, several at once. `startPending` starts as many as the limit allows and must not run
 * concurrently with itself; `onDone` is called when a request is finished and another one can start.
 */
export function createRequestRunner(
  { db, agent, handlers }: { db: Database; agent: AgentInstance; handlers: Partial<AgentHandlers> },
  onDone: () => void,
) {
  const running = new Set<Promise<void>>();
  const answer = async (request: ClaimedRequest) => answerRequest(db, request.id, await handle(request, handlers));
  return {
    async startPending(): Promise<void> {
      while (running.size < MAX_CONCURRENT) {
        const request = await claimRequest(db, agent);
        if (!request) return;
        const work = answer(request)
          .catch((error: unknown) => log.error({ action: request.action, error }, 'storing the response failed'))
          .then(() => {
            running.delete(work);
            onDone();
          });
        running.add(work);
      }
    },
    /** Resolves when the running requests are finished. */
    async end(): Promise<void> {
      await Promise.all(running);
    },
  };
}

async function handle({ action, input }: ClaimedRequest, handlers: Partial<AgentHandlers>): Promise<Answer> {
  const handler = handlers[action] as ((input: unknown) => Promise<unknown>) | undefined;
  if (!handler) return { failure: 'The agent doesn’t support this operation.' };
  try {
    return { output: await handler(input) };
  } catch (error) {
    log.error({ action, error }, 'mail server operation failed');
    return { failure: 'The mail agent’s log has the reason.' };
  }
}

export async function deleteOldRequests(db: Database): Promise<void> {
  await db.$executeRaw`DELETE FROM mail_request WHERE created_at < now() - make_interval(mins => ${RETENTION_MINUTES})`;
}
