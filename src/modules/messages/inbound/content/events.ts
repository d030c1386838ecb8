import type { InboundMail } from '@/mail/inbound/port';
import { createSlots } from '@/mail/submission/slots';
import { eventBody } from '@/modules/events/schema';
import { emitBody, findSubscribed } from '@/modules/events/service';
import { groupCalls } from '@/server/background/group-calls';
import { database, type Tx } from '@/server/database/db';
import { log } from '@/server/log';
import { type DeliveredDomain, deliveredDomains } from '../delivered-mailboxes';
import type { Header } from '../header';
import { encodeFields, type HeadFields, headerFields } from './fields';
import { createFieldsParser, MAX_THREADS, type ParseFields } from './parser';

/** Encoded events; `emit` stores them in the transaction that creates the message rows. */
export type ContentEvents = {
  totalBytes: number;
  emit: (tx: Tx, rowIds: ReadonlyMap<string, string>) => Promise<void>;
};

/**
 * Builds mail.received.full for each domain that received the message and has a webhook subscribed to it. All bodies share
 * one buffer. Long messages take a slot, because each is held in memory until `record` is done.
 */
export async function withContentEvents(
  mail: InboundMail,
  header: Header,
  record: (full: ContentEvents) => Promise<void>,
  parse: ParseFields = parseContent,
): Promise<void> {
  const domains = await subscribedDomains(mail);
  if (domains.length === 0) return record(NONE);
  const isLong = mail.sizeBytes > LONG_BYTES;
  if (isLong && !(await slots.take(performance.now() + MAX_WAIT_MS)))
    throw new Error('too many long messages in progress');
  try {
    const heads = domains.map((domain) => encodeHead(mail, header, domain));
    const headBytes = Math.max(...heads.map(({ byteLength }) => byteLength));
    const text = await encodeRest(mail, header, headBytes, parse);
    const emit: ContentEvents['emit'] = async (tx, rowIds) => {
      for (const [index, { domainId, viaDomainId, address: recipient }] of domains.entries()) {
        const head = heads[index] as Uint8Array;
        const start = headBytes - head.byteLength;
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
const NONE: ContentEvents = { totalBytes: 0, emit: async () => {} };
// Shorter than the timeout of SMTP clients.
const MAX_WAIT_MS = 20_000;
const LONG_BYTES = 1024 * 1024;
const slots = createSlots(MAX_THREADS);
const parseContent = createFieldsParser();

async function subscribedDomains(mail: InboundMail): Promise<DeliveredDomain[]> {
  const domains = mail.spam === 'blocked' ? [] : deliveredDomains(mail);
  const subscribed = await Promise.all(domains.map(({ domainId }) => isSubscribed(domainId)));
  return domains.filter((_, index) => subscribed[index]);
}

const isSubscribed = groupCalls(
  async (domainIds: string[]) => {
    const subscribed = await findSubscribed(database(), TYPE, [...new Set(domainIds)]);
    return domainIds.map((id) => subscribed.has(id));
  },
  { maxRunning: 1, maxItems: 100 },
);

/** The start of the event, which differs by domain. */
function encodeHead(mail: InboundMail, { messageId, subject }: Header, { name, rcptTo }: DeliveredDomain): Uint8Array {
  const data: HeadFields = {
    message_id: messageId,
    subject,
    domain: name,
    envelope: { mail_from: mail.mailFrom.toWellFormed(), rcpt_to: rcptTo },
    size: mail.sizeBytes,
    spam_score: mail.verdict.score,
    spam_action: mail.verdict.action,
    queue_id: mail.queueId,
  };
  const body = eventBody({ type: TYPE, id: messageId, at: mail.receivedAt, data });
  return new TextEncoder().encode(`${body.slice(0, -'}}'.length)},`);
}

/** The rest of the event. If the message cannot be parsed, its only attachment is the whole message. */
async function encodeRest(
  mail: InboundMail,
  { whole }: Header,
  headBytes: number,
  parse: ParseFields,
): Promise<Uint8Array> {
  const { mailFrom, queueId } = mail;
  try {
    return await parse({ raw: await mail.read(), mailFrom, headBytes });
  } catch (error) {
    log.warn({ error, queue_id: queueId }, 'cannot parse inbound message, attaching the whole message to its event');
    const fields = { ...headerFields(whole, mailFrom), body_text: null, body_html: null };
    const content = await mail.read();
    const file = {
      filename: 'message.eml',
      contentType: 'message/rfc822',
      disposition: null,
      contentId: null,
      content,
    };
    return encodeFields(fields, [file], headBytes);
  }
}
