import type { AgentAction, AgentHandlers } from '@/mail/agent-requests';
import type { Database } from '@/server/db';
import { log } from '@/server/log';

/** What agents listen to in Postgres. */
export const AGENT_CHANNEL = 'postroom_agent';

/** One run of an agent beside the mail server of that host name. */
export type AgentInstance = { host: string; instance: string; version: string };

export type ClaimedRequest = { id: string; action: AgentAction; input: unknown };

export type Answer = { output: unknown } | { failure: string };

const KEPT_MINUTES = 60;
const AT_ONCE = 4;

/** Says that the agent is here; several times a minute. */
export async function beat(db: Database, { host, instance, version }: AgentInstance): Promise<void> {
  await db.$executeRaw`
    INSERT INTO mail_agent AS known (host, instance, version, started_at, beat_at)
    VALUES (${host}, ${instance}::uuid, ${version}, now(), now())
    ON CONFLICT (host) DO UPDATE SET
      beat_at = now(), instance = EXCLUDED.instance, version = EXCLUDED.version,
      started_at = CASE WHEN known.instance = EXCLUDED.instance THEN known.started_at ELSE now() END`;
}

/** The agent ends: nobody waits for it any more. */
export async function detach(db: Database, { host, instance }: AgentInstance): Promise<void> {
  await db.mailAgent.deleteMany({ where: { host, instance } });
}

/** The oldest request that is still waited for, for this instance alone. One that was begun is never begun again. */
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
 * Does what the app asks, several requests at once, and others as those are done. `take` begins what there is to begin,
 * and is not for two at once; `onDone` hears when there may be more to take.
 */
export function createRequestTaker(
  { db, agent, handlers }: { db: Database; agent: AgentInstance; handlers: Partial<AgentHandlers> },
  onDone: () => void,
) {
  const underWay = new Set<Promise<void>>();
  const answer = async (request: ClaimedRequest) => answerRequest(db, request.id, await handle(request, handlers));
  return {
    async take(): Promise<void> {
      while (underWay.size < AT_ONCE) {
        const request = await claimRequest(db, agent);
        if (!request) return;
        const work = answer(request)
          .catch((error: unknown) => log.error({ action: request.action, error }, 'an answer could not be given'))
          .then(() => {
            underWay.delete(work);
            onDone();
          });
        underWay.add(work);
      }
    },
    /** Once what was begun is done. */
    async end(): Promise<void> {
      await Promise.all(underWay);
    },
  };
}

async function handle({ action, input }: ClaimedRequest, handlers: Partial<AgentHandlers>): Promise<Answer> {
  const handler = handlers[action] as ((input: unknown) => Promise<unknown>) | undefined;
  if (!handler) return { failure: 'this is not done here.' };
  try {
    return { output: await handler(input) };
  } catch (error) {
    log.error({ action, error }, 'the mail server could not do what it was asked');
    return { failure: 'its log tells why.' };
  }
}

export async function deleteOldRequests(db: Database): Promise<void> {
  await db.$executeRaw`DELETE FROM mail_request WHERE created_at < now() - make_interval(mins => ${KEPT_MINUTES})`;
}
