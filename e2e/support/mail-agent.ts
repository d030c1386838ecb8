import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { AgentAction, AgentRequests } from '../../src/mail/agent/requests';
import { AGENT_CHANNEL } from '../../src/modules/mail-server/requests';

type Handlers = {
  [Action in AgentAction]?: (
    input: AgentRequests[Action]['input'],
  ) => AgentRequests[Action]['output'] | Promise<AgentRequests[Action]['output']>;
};

const BEAT_MS = 1_000;

/**
 * A stand-in for the mail agent. Specs share a database, so requests without a handler here are left to other specs'
 * stand-ins. @returns a function that ends it
 */
export async function startMailAgent(handlers: Handlers): Promise<() => Promise<void>> {
  const client = new pg.Client(process.env.DATABASE_URL);
  await client.connect();
  const [host, instance] = [`${randomUUID()}.example`, randomUUID()];
  const beat = () =>
    client.query(
      `INSERT INTO mail_agent (host, instance, version, started_at, beat_at) VALUES ($1, $2, 'test', now(), now())
       ON CONFLICT (host) DO UPDATE SET beat_at = now()`,
      [host, instance],
    );
  const answerOne = async () => {
    const { rows } = await client.query(
      `UPDATE mail_request SET claimed_by = $1, claimed_at = now()
        WHERE id = (SELECT id FROM mail_request
                     WHERE action = ANY($2) AND claimed_at IS NULL AND expires_at > now()
                     ORDER BY created_at LIMIT 1 FOR UPDATE SKIP LOCKED)
       RETURNING id, action, input`,
      [instance, Object.keys(handlers)],
    );
    const [request] = rows;
    if (!request) return false;
    const answer = await handle(handlers, request.action, request.input);
    await client.query('UPDATE mail_request SET finished_at = now(), answer = $2 WHERE id = $1', [request.id, answer]);
    return true;
  };
  let working: Promise<unknown> = beat();
  const answerAll = async () => {
    while (await answerOne());
  };
  const work = () => {
    working = working.then(answerAll);
  };
  client.on('notification', work);
  await client.query(`LISTEN ${AGENT_CHANNEL}`);
  work();
  const beating = setInterval(() => {
    working = working.then(beat);
  }, BEAT_MS);
  return async () => {
    clearInterval(beating);
    client.off('notification', work);
    await working;
    await client.query('DELETE FROM mail_agent WHERE host = $1', [host]);
    await client.end();
  };
}

async function handle(handlers: Handlers, action: AgentAction, input: unknown): Promise<object> {
  const handler = handlers[action] as (input: unknown) => unknown;
  try {
    return { output: await handler(input) };
  } catch {
    return { failure: 'The mail agent’s log has the reason.' };
  }
}
