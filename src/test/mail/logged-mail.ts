import type { MessageCopies } from '@/mail/agent/message-copies';
import type { Delivery, LogEntry, LogFact } from '@/mail/log/log-line';
import { readCursor } from '@/modules/messages/mail-log/cursor';
import { recordFilterEntries } from '@/modules/messages/mail-log/filter-entries';
import { FilterMeta } from '@/modules/messages/mail-log/filter-meta';
import type { ReportRun } from '@/modules/messages/mail-log/inbound/deliveries';
import { recordLog } from '@/modules/messages/mail-log/log';
import { db } from '../database';
import { checkedEvent } from '../envelope';
import { unique } from '../factories';
import { document } from '../rest';

export const LOG = 'mail.example.test log';
const STREAM = 'mail.example.test stream';

/** A moment ago, because what is kept of old messages expires. */
export const AT = new Date(Math.floor(Date.now() / 1000) * 1000 - 60_000);

export function newQueueId(): string {
  return unique().slice(-15);
}

export function lines(queueId: string, ...facts: LogFact[]): LogEntry[] {
  return facts.map((fact) => ({ at: AT, queueId, ...fact }));
}

/** Records log lines as the next chunk of the log. */
export async function readLines(...entries: LogEntry[]): Promise<void> {
  const from = await readCursor(db, LOG);
  await recordLog(db, from, { entries, position: { file: '1', offset: Number(from.position) + 1 } });
}

export type FilterFields = Partial<Omit<FilterMeta, 'queue_id'>>;

/** Records the filter's stream entry for one message. */
export async function readFilter(queueId: string, fields: FilterFields, raw: string | null = null): Promise<void> {
  const meta = FilterMeta.parse({
    queue_id: queueId,
    message_id: '',
    ip: '192.0.2.1',
    from: 'bo@far.example',
    recipients: [],
    action: 'no action',
    score: 1,
    subject: '',
    size: 100,
    ...fields,
  });
  const from = await readCursor(db, STREAM);
  const id = `${Number(from.position.split('-')[0]) + 1}-0`;
  await recordFilterEntries(db, from, [{ id, at: AT, meta, raw: raw === null ? null : Buffer.from(raw) }]);
}

/** The server accepts a message, from outside or from a mailbox that signed in. */
export function accepted(from: string, { login = null as string | null, messageId = '<a@b.example>' } = {}): LogFact[] {
  return [
    { kind: 'client', login, clientAddress: '192.0.2.1' },
    { kind: 'named', messageId },
    { kind: 'queued', from, sizeBytes: 500 },
  ];
}

/** A remote server accepts the message for this address, or replies as in `over`. */
export function delivery(recipient: string, over: Partial<Delivery> = {}): LogFact {
  const answered = over.status === undefined || over.status === 'sent' ? ACCEPTED : REFUSED;
  const addressedTo = over.addressedTo ?? recipient;
  return { kind: 'delivery', status: 'sent', agent: 'smtp', recipient, ...answered, ...over, addressedTo };
}

const ACCEPTED = {
  remoteMta: 'mx.far.example',
  delaySeconds: 1.5,
  enhancedCode: '2.0.0',
  smtpCode: 250,
  response: '250 2.0.0 Ok',
};
const REFUSED = { ...ACCEPTED, enhancedCode: '4.2.0', smtpCode: 450, response: '450 4.2.0 Later' };

/** The message is delivered to a local mailbox. */
export function stored(mailbox: string, addressedTo = mailbox): LogFact {
  return delivery(mailbox, { agent: 'lmtp', addressedTo, remoteMta: 'mail.example.test' });
}

export type EmittedEvent = { id: string; event: string; data: Record<string, unknown> };

/** The event bodies of a domain, in the order in which they were emitted. */
export async function emittedEvents(domainId: string, type?: string): Promise<EmittedEvent[]> {
  const rows = await db.event.findMany({ where: { domainId, type }, include: { parts: true }, orderBy: { id: 'asc' } });
  return rows.map(({ body }) => checkedEvent(document, JSON.parse(body ?? '')));
}

/** Access to the mail server's own copies; empty unless overridden. */
export function messageCopies(over: Partial<MessageCopies> = {}): MessageCopies {
  return { fetch: async () => null, findVerdict: async () => null, ...over };
}

const AFTER_WAITING_MS = 4_000;

/** A run of the delivery reporter, by default late enough that it no longer waits for more recipients. */
export function reportRun(over: { afterMs?: number; isStreamRead?: boolean } = {}): ReportRun {
  const { afterMs = AFTER_WAITING_MS, isStreamRead = true } = over;
  return { now: new Date(AT.getTime() + afterMs), isStreamRead };
}
