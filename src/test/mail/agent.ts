import { setTimeout } from 'node:timers/promises';
import { uuidv7 } from '@/lib/uuid';
import type { AgentHandlers } from '@/mail/agent/requests';
import { createRequestRunner, detach, recordHeartbeat } from '@/modules/mail-server/requests';
import type { Database } from '@/server/database/db';

const PAUSE_MS = 20;
const ROUNDS_PER_HEARTBEAT = 50;

/** Answers the app's requests like the mail server's agent, with the given handlers. @returns a function that stops it */
export async function startAgent(db: Database, handlers: Partial<AgentHandlers>): Promise<() => Promise<void>> {
  const agent = { host: 'mail.example.test', instance: uuidv7(), version: 'test' };
  await recordHeartbeat(db, agent);
  const requests = createRequestRunner({ db, agent, handlers }, () => {});
  let isEnding = false;
  const answering = (async () => {
    for (let round = 1; !isEnding; round++) {
      if (round % ROUNDS_PER_HEARTBEAT === 0) await recordHeartbeat(db, agent);
      await requests.startPending();
      await setTimeout(PAUSE_MS);
    }
  })();
  return async () => {
    isEnding = true;
    await answering;
    await requests.end();
    await detach(db, agent);
  };
}
