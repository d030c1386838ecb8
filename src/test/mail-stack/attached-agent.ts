import { afterAll } from 'vitest';
import type { AgentHandlers } from '@/mail/agent-requests';
import { startAgent } from '../agent';
import { db } from './mail-server';

/** Answers the app's requests as the agent does, with some of its parts, until the file's tests end. */
export async function attachAgent(handlers: Partial<AgentHandlers>): Promise<void> {
  afterAll(await startAgent(db, handlers));
}
