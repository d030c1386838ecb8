import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import type { AgentAction, AgentRequests } from '../src/mail/agent-requests';

const PAUSE_MS = 25;

/**
 * Stands in for the agent beside the mail server, for one kind of request: the specs share a database, and those of
 * another kind are for another stand-in. @returns what ends it
 */
export async function startMailAgent<Action extends AgentAction>(
  action: Action,
  handle: (input: AgentRequests[Action]['input']) => AgentRequests[Action]['output'],
): Promise<() => Promise<void>> {
  const client = new pg.Client(process.env.E2E_DATABASE_URL);
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
        WHERE id = (SELECT id FROM mail_request WHERE action = $2 AND claimed_at IS NULL LIMIT 1 FOR UPDATE SKIP LOCKED)
       RETURNING id, input`,
      [instance, action],
    );
    if (!rows[0]) return;
    const answer = { output: handle(rows[0].input) };
    await client.query('UPDATE mail_request SET finished_at = now(), answer = $2 WHERE id = $1', [rows[0].id, answer]);
  };
  let isEnding = false;
  const answering = (async () => {
    while (!isEnding) {
      await beat();
      await answerOne();
      await setTimeout(PAUSE_MS);
    }
  })();
  await beat();
  return async () => {
    isEnding = true;
    await answering;
    await client.query('DELETE FROM mail_agent WHERE host = $1', [host]);
    await client.end();
  };
}
