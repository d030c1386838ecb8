import { afterAll, beforeEach, expect } from 'vitest';
import { contentSettled } from '@/modules/messages/content/keeping/keep';
import { sendDueMessages } from '@/modules/sending/scheduled/due';
import { systemClock } from '@/server/clock';
import { db } from '../database';
import { makeDomain } from '../factories';
import { keyClient } from '../rest';
import { startScriptedMta } from '../servers/scripted-mta';

export const HOUR_MS = 3_600_000;

export const inHours = (hours: number) => new Date(Date.now() + hours * HOUR_MS).toISOString();

type Made = { api: Awaited<ReturnType<typeof keyClient>>; domain: Awaited<ReturnType<typeof makeDomain>> };

/** A mail server for the tests of a file, and before each of them a new domain with the API key of its admin. */
export async function setUpScheduling() {
  const mta = await startScriptedMta();
  const made = {} as Made;
  afterAll(() => mta.server.close());
  beforeEach(async () => {
    made.domain = await makeDomain();
    made.api = await keyClient({ role: 'domain_admin', domainIds: [made.domain.id] });
    mta.server.messages.length = 0;
    mta.state.script = () => undefined;
  });
  const show = async (id: string) => (await made.api.get(`/messages/${id}`)).data;
  return {
    mta,
    made,
    show,
    traceOf: async (id: string) => (await show(id)).events.map(({ type }: { type: string }) => type),
    schedule: async (over: object = {}) => {
      const { status, data } = await made.api.post('/send', laterMessage(made.domain, over));
      expect(status).toBe(202);
      return data as { id: string; message_id: string; send_at: string };
    },
  };
}

/** The body of a send in an hour. */
export function laterMessage({ name }: { name: string }, over: object = {}) {
  const from = { email: `shop@${name}` };
  return { from, to: [{ email: 'ann@far.example' }], subject: 'Later', text_body: 'Hi', send_at: inHours(1), ...over };
}

/** Sends what is due, as the background task does. */
export async function sendDue(signal = new AbortController().signal): Promise<void> {
  await sendDueMessages({ db, clock: systemClock, signal });
  await contentSettled();
}

/** Makes a message due, as if its time had come so many hours ago. */
export async function makeDue(id: string, hoursAgo = 0): Promise<void> {
  const sendAt = new Date(Date.now() - hoursAgo * HOUR_MS);
  await db.message.update({ where: { id }, data: { sendAt } });
  await db.scheduledMessage.update({ where: { messageId: id }, data: { nextAttemptAt: new Date(0) } });
}

/** The bodies of the events about a message. */
export async function eventBodies(id: string) {
  const events = await db.event.findMany({ where: { messageRowId: id }, orderBy: { id: 'asc' } });
  return events.map(({ body }) => JSON.parse(String(body)));
}

export async function isWaiting(id: string): Promise<boolean> {
  return (await db.scheduledMessage.count({ where: { messageId: id } })) === 1;
}
