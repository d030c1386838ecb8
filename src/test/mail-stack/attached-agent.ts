import { setTimeout } from 'node:timers/promises';
import { v7 as uuidv7 } from 'uuid';
import { afterAll } from 'vitest';
import type { AgentHandlers } from '@/mail/agent-requests';
import { answerNextRequest, beat, detach } from '@/modules/mail-server/requests';
import { database } from '@/server/db';

const PAUSE_MS = 20;

/** Answers the app's requests as the agent does, with some of its parts, until the file's tests end. */
export async function attachAgent(handlers: Partial<AgentHandlers>): Promise<void> {
  const db = database();
  const agent = { host: 'mail.example.test', instance: uuidv7(), version: 'test' };
  await beat(db, agent);
  let isEnding = false;
  const answering = (async () => {
    for (let turn = 0; !isEnding; turn++) {
      if (turn % 50 === 0) await beat(db, agent);
      if (!(await answerNextRequest(db, agent, handlers))) await setTimeout(PAUSE_MS);
    }
  })();
  afterAll(async () => {
    isEnding = true;
    await answering;
    await detach(db, agent);
  });
}
