import type { KeptCopies } from '@/mail/agent/kept-copies';
import type { Delivery, LogEntry, LogFact } from '@/mail/agent/logs/log-line';
import { readCursor } from '@/modules/messages/mail-log/cursor';
import { FilterMeta } from '@/modules/messages/mail-log/filter-meta';
import { recordFilterEntries } from '@/modules/messages/mail-log/filter-entries';
import type { ReportRun } from '@/modules/messages/mail-log/inbound/deliveries';
import { recordLog } from '@/modules/messages/mail-log/log';
import { db } from '../database';
import { unique } from '../factories';

export const LOG = 'mail.example.test log';
const STREAM = 'mail.example.test stream';

export const AT = new Date('2026-11-21T10:00:00Z');

export function newQueueId(): string {
  return unique().slice(-15);
}

export function lines(queueId: string, ...facts: LogFact[]): LogEntry[] {
  return facts.map((fact) => ({ at: AT, queueId, ...fact }));
}

/** Records lines of the log as the next piece of it. */
export async function readLines(...entries: LogEntry[]): Promise<void> {
  const from = await readCursor(db, LOG);
  await recordLog(db, from, { entries, position: { file: '1', offset: Number(from.position) + 1 } });
}

export type FilterFields = Partial<Omit<FilterMeta, 'queue_id'>>;

/** Records what the filter wrote of one message into its stream. */
export async function readFilter(queueId: string, says: FilterFields, raw: string | null = null): Promise<void> {
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
    ...says,
  });
  const from = await readCursor(db, STREAM);
  const id = `${Number(from.position.split('-')[0]) + 1}-0`;
  await recordFilterEntries(db, from, [{ id, at: AT, meta, raw: raw === null ? null : Buffer.from(raw) }]);
}

/** A message comes, from outside or by a mailbox that signed in. */
export function accepted(from: string, { login = null as string | null, messageId = '<a@b.example>' } = {}): LogFact[] {
  return [
    { kind: 'client', login, clientAddress: '192.0.2.1' },
    { kind: 'named', messageId },
    { kind: 'queued', from, sizeBytes: 500 },
  ];
}

/** Another server took it for this address, or said what `over` says. */
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

/** It reached a mailbox here. */
export function stored(mailbox: string, addressedTo = mailbox): LogFact {
  return delivery(mailbox, { agent: 'lmtp', addressedTo, remoteMta: 'mail.example.test' });
}

export type EmittedEvent = { id: string; event: string; data: Record<string, unknown> };

/** What webhooks are told of a domain, of each event its data. */
export async function emittedEvents(domainId: string, type?: string): Promise<EmittedEvent[]> {
  const rows = await db.event.findMany({ where: { domainId, type }, include: { parts: true }, orderBy: { id: 'asc' } });
  return rows.map(({ body }) => JSON.parse(body ?? ''));
}

/** What the mail server kept: nothing, but for what a test says. */
export function keptCopies(over: Partial<KeptCopies> = {}): KeptCopies {
  return { fetch: async () => null, findVerdict: async () => null, ...over };
}

const LONG_AFTER_MS = 4_000;

/** A turn of the teller, when it waits for no more recipients. */
export function reportRun(over: { afterMs?: number; isStreamRead?: boolean } = {}): ReportRun {
  const { afterMs = LONG_AFTER_MS, isStreamRead = true } = over;
  return { now: new Date(AT.getTime() + afterMs), isStreamRead };
}
