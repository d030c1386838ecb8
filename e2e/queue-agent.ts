import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { type QueueFile, queueInMemory } from '../src/test/queued-mail';

const PAUSE_MS = 20;

export type QueueAgent = {
  /** What waits; a test changes it as it likes. */
  files: QueueFile[];
  /** While it is set, every request fails, as with a Postfix that is stopped. */
  isDown: boolean;
  end: () => Promise<void>;
};

/** Answers the app's requests as the agent beside a mail server does, from a queue in memory. */
export async function attachQueueAgent(files: QueueFile[]): Promise<QueueAgent> {
  const client = new pg.Client(process.env.E2E_DATABASE_URL);
  await client.connect();
  const instance = randomUUID();
  const host = `${instance}.example`;
  const handlers = queueInMemory(files) as Record<string, (input: unknown) => Promise<object>>;
  let isEnding = false;
  const agent: QueueAgent = { files, isDown: false, end };

  const answerNext = async () => {
    await client.query(
      `INSERT INTO mail_agent (host, instance, version, started_at, beat_at) VALUES ($1, $2, 'test', now(), now())
       ON CONFLICT (host) DO UPDATE SET beat_at = now()`,
      [host, instance],
    );
    const { rows } = await client.query(
      `UPDATE mail_request SET claimed_by = $1, claimed_at = now()
        WHERE id = (SELECT id FROM mail_request WHERE claimed_at IS NULL AND expires_at > now()
                     ORDER BY created_at LIMIT 1 FOR UPDATE SKIP LOCKED)
       RETURNING id, action, input`,
      [instance],
    );
    const [request] = rows;
    if (!request) return;
    const answer = agent.isDown
      ? { failure: 'its log tells why.' }
      : { output: await handlers[request.action]?.(request.input) };
    await client.query('UPDATE mail_request SET finished_at = now(), answer = $2 WHERE id = $1', [
      request.id,
      JSON.stringify(answer),
    ]);
  };
  await answerNext();
  const answering = (async () => {
    while (!isEnding) {
      await answerNext();
      await setTimeout(PAUSE_MS);
    }
  })();

  async function end() {
    isEnding = true;
    await answering;
    await client.query('DELETE FROM mail_agent WHERE host = $1', [host]);
    await client.end();
  }
  return agent;
}
