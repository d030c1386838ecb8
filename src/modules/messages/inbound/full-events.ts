import type { InboundMail } from '@/mail/inbound';
import { createSlots } from '@/mail/slots';
import { eventBody } from '@/modules/events/schema';
import { emitBody, hasSubscribers } from '@/modules/events/service';
import type { Database, Tx } from '@/server/db';
import { log } from '@/server/log';
import { encodeFields, headerFields } from './full-fields';
import { createFieldsParser, MAX_THREADS, type ParseFields } from './full-threads';
import type { Header } from './header';
import { type ReachedDomain, reachedDomains } from './reached';

/** Events that are made but for their rows. */
export type FullEvents = { totalBytes: number; emit: (tx: Tx, rowIds: ReadonlyMap<string, string>) => Promise<void> };

/**
 * Makes mail.received.full for each domain that mail reached and that has a webhook for it, one body after the other in
 * the same memory. Few long ones at once: until `record` is done each holds the whole message.
 */
export async function withFullEvents(
  database: Database,
  mail: InboundMail,
  header: Header,
  record: (full: FullEvents) => Promise<void>,
  parse: ParseFields = parseAside,
): Promise<void> {
  const domains = await subscribedDomains(database, mail);
  if (domains.length === 0) return record(NONE);
  const isLong = mail.sizeBytes > LONG_BYTES;
  if (isLong && !(await slots.take(performance.now() + MAX_WAIT_MS))) throw new Error('too many long messages at once');
  try {
    const heads = domains.map((domain) => encodeHead(mail, header, domain));
    const roomBytes = Math.max(...heads.map(({ byteLength }) => byteLength));
    const text = await encodeRest(mail, header, roomBytes, parse);
    const emit: FullEvents['emit'] = async (tx, rowIds) => {
      for (const [index, { domainId, viaDomainId, address: recipient }] of domains.entries()) {
        const head = heads[index] as Uint8Array;
        const start = roomBytes - head.byteLength;
        text.set(head, start);
        const messageRowId = rowIds.get(viaDomainId) ?? null;
        await emitBody(
          tx,
          { type: TYPE, messageRowId, domainId, recipient, at: mail.receivedAt },
          text.subarray(start),
        );
      }
    };
    await record({ totalBytes: text.byteLength * domains.length, emit });
  } finally {
    if (isLong) slots.free();
  }
}

const TYPE = 'mail.received.full';
const NONE: FullEvents = { totalBytes: 0, emit: async () => {} };
// Shorter than an SMTP client waits.
const MAX_WAIT_MS = 20_000;
const LONG_BYTES = 1024 * 1024;
const slots = createSlots(MAX_THREADS);
const parseAside = createFieldsParser();

async function subscribedDomains(database: Database, mail: InboundMail): Promise<ReachedDomain[]> {
  const subscribed: ReachedDomain[] = [];
  for (const domain of mail.spam === 'kept' ? [] : reachedDomains(mail)) {
    if (await hasSubscribers(database, TYPE, [domain.domainId])) subscribed.push(domain);
  }
  return subscribed;
}

/** The event up to where all domains read the same. */
function encodeHead(mail: InboundMail, { messageId, subject }: Header, { name, rcptTo }: ReachedDomain): Uint8Array {
  const data = {
    message_id: messageId,
    subject,
    domain: name,
    envelope: { mail_from: mail.mailFrom.toWellFormed(), rcpt_to: rcptTo },
    size: mail.sizeBytes,
    spam_score: mail.verdict.score,
    spam_action: mail.verdict.action,
    queue_id: mail.queueId,
  };
  const body = eventBody({ type: TYPE, messageId, at: mail.receivedAt, data });
  return new TextEncoder().encode(`${body.slice(0, -'}}'.length)},`);
}

/** The rest of the event, or where the message cannot be parsed, the message itself as the one attachment. */
async function encodeRest(
  mail: InboundMail,
  { parsed }: Header,
  roomBytes: number,
  parse: ParseFields,
): Promise<Uint8Array> {
  const { mailFrom, queueId } = mail;
  try {
    return await parse({ raw: await mail.read(), mailFrom, roomBytes });
  } catch (error) {
    log.warn({ error, queueId }, 'inbound mail could not be parsed: its event holds it whole');
    const fields = { ...headerFields(parsed, mailFrom), body_text: null, body_html: null };
    const whole = { filename: 'message.eml', contentType: 'message/rfc822', content: await mail.read() };
    return encodeFields(fields, [whole], roomBytes);
  }
}
