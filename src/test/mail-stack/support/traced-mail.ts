import { beforeEach, vi } from 'vitest';
import type { Prisma } from '@/server/prisma/client';
import { keyClient } from '../../rest';
import { makeDomain, makeMailbox, newName, PASSWORD } from './directory';
import { db, startRemoteServer } from './mail-server';
import { messageText, openInbound, openSubmission } from './smtp-session';

/** Longer than Postfix waits until it tries a message again that could not be delivered. */
const EVENTS_TIMEOUT_MS = 150_000;

export type WebhookEvent = { event: string; data: Record<string, unknown> };

/** The reply to `verbose` addresses. Postfix cuts the line that it logs. */
export const LONG_REPLY = `550 5.7.1 ${'Read our policy. '.repeat(112)}`;

/** Addresses that the remote server defers. */
export const deferredAddresses = new Set<string>();
export let remoteServer: Awaited<ReturnType<typeof startRemoteServer>>;
export const api = await keyClient();
/** A new domain for each test, with the mailboxes ann and bo. */
export let domain: { id: string; name: string };

/** Starts the remote server, and makes the domain before each test. Every test file calls it, since one process runs them all. */
export async function traceMail(): Promise<void> {
  deferredAddresses.clear();
  remoteServer = await startRemoteServer({
    onRecipient: (address) => {
      if (address.startsWith('verbose')) return { code: 550, text: LONG_REPLY.slice('550 '.length) };
      if (address.startsWith('nobody')) return { code: 550, text: '5.1.1 No such user here' };
      return deferredAddresses.has(address) ? { code: 451, text: '4.3.0 Later please' } : undefined;
    },
  });
  beforeEach(async () => {
    domain = await makeDomain();
    await makeMailbox(domain.id, 'ann');
    await makeMailbox(domain.id, 'bo');
  });
}

export const at = (local: string) => `${local}@${domain.name}`;
export const remoteAddress = () => `${newName()}@far.example`;

/** The webhook events of the domain, in no particular order. */
export async function webhookEvents(type?: string): Promise<WebhookEvent[]> {
  const rows = await db.event.findMany({ where: { domainId: domain.id, type }, select: { body: true } });
  return rows.map(({ body }) => JSON.parse(body ?? '') as WebhookEvent);
}

/** Waits for at least `count` events of the type. */
export function waitForEvents(type: string, count: number): Promise<WebhookEvent[]> {
  return vi.waitFor(
    async () => {
      const events = await webhookEvents(type);
      if (events.length < count) throw new Error(`${events.length} of ${count} ${type}`);
      return events;
    },
    { timeout: EVENTS_TIMEOUT_MS, interval: 100 },
  );
}

/** Sends through the API. */
export function sendTo(to: string[], subject = newName()) {
  return api.post('/send', {
    from: { email: at('app') },
    to: to.map((email) => ({ email })),
    subject,
    text_body: 'Good morning.',
  });
}

/** Submits by SMTP as ann. */
export async function submit(to: string[], subject = newName()): Promise<string> {
  const session = await openSubmission(at('ann'), PASSWORD);
  return session
    .send(at('ann'), to, messageText({ from: at('ann'), to: to.join(', '), subject }))
    .finally(session.quit);
}

/**
 * Sends a message from an external server. Quits like one: during a reload Postfix may leave the next connection waiting
 * for an `smtpd` process whose session stays open. @returns the reply
 */
export async function receive(to: string[], { body = 'Good morning.', subject = newName() } = {}): Promise<string> {
  const session = await openInbound();
  const from = 'Someone <someone@elsewhere.example>';
  const text = messageText({ from, to: to.join(', '), subject, body });
  return session.send('someone@elsewhere.example', to, text).finally(session.quit);
}

export async function traceOf(where: Prisma.MessageWhereInput) {
  const row = await db.message.findFirstOrThrow({ where: { domainId: domain.id, ...where }, select: { id: true } });
  return (await api.get(`/messages/${row.id}`)).data;
}

export const typesOf = ({ events }: { events: { type: string }[] }) => events.map(({ type }) => type);
