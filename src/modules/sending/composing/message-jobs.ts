import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { deserialize, serialize } from 'node:v8';
import type { ErrorCode } from '@/lib/error-codes';
import { parseAddress } from '@/lib/mail/address';
import { REQUIRED } from '@/lib/texts/field-messages';
import { type Labels, labelsOf } from '@/modules/messages/schema';
import type { UsedTemplate } from '@/modules/templates/schema';
import type { RenderedTemplate, TemplateUse } from '@/modules/templates/service';
import { AppError } from '@/server/errors';
import { parseJsonObject } from '@/server/http/body/json';
import { distinctRecipients } from '../fields/addresses';
import { isSentAtOnce, sendTimeError } from '../scheduled/send-time';
import type { OutgoingMessage } from '../schema';
import { MAX_BATCH } from '../schema';
import { checkOutgoingMessage, type MessageError } from './check-outgoing-message';
import { composeMessage, newMessageId } from './compose';

/** After so many messages of a batch, other requests have a turn. */
const TURN = 10;

/** Work whose duration grows with the size of a message. It can run outside the main thread. */
export type Job =
  | { kind: 'message' | 'batch'; bytes: Uint8Array; at: Date }
  | { kind: 'rendered'; unrendered: UnrenderedMessage; rendered: RenderedTemplate };

/** A checked message whose text a template makes. It can be completed once: its bytes are moved to a thread. */
export type UnrenderedMessage = Pick<PreparedMessage, 'from' | 'messageId'> & {
  /** The checked message as bytes, which pass between threads without a copy, so that its attachments don't hold the main thread. */
  message: Uint8Array;
  template: TemplateUse;
  /** Whether it leaves later, when its sender may send again. */
  isScheduled: boolean;
  at: Date;
};

/** A checked message. */
export type CheckedMessage = PreparedMessage | UnrenderedMessage;

export type PreparedMessage = Labels & {
  from: string;
  recipients: { address: string; kind: 'to' | 'cc' | 'bcc' }[];
  subject: string;
  messageId: string;
  raw: Uint8Array;
  envelope: { from: string; to: string[] };
  /** Whether it goes to recipients who unsubscribed, too. */
  isTransactional?: boolean;
  /** The mailing list that it belongs to. */
  list?: string | null;
  /** The template that made its text. */
  template?: UsedTemplate;
  /** When it is sent, if not at once. */
  sendAt?: Date;
};

export type JobResult =
  | { kind: 'message'; fingerprint: Uint8Array; message: CheckedMessage }
  | { kind: 'batch'; fingerprint: Uint8Array; items: (CheckedMessage | MessageError)[] }
  | { kind: 'rendered'; message: PreparedMessage }
  | { kind: 'error'; error: MessageError };

/** A batch of 100 messages has 60,000 with all fields of all recipients. */
const VALUE_LIMIT = { maxValues: 200_000, hint: ' Is a file in it a list of bytes instead of base64 text?' };

/** Parses, checks and composes the body of a send request, or composes what a template has made the text of. */
export async function runJob(job: Job): Promise<JobResult> {
  if (job.kind === 'rendered') return { kind: 'rendered', message: composeRendered(job.unrendered, job.rendered) };
  const { kind, bytes, at } = job;
  try {
    const body = parseJsonObject(bytes, VALUE_LIMIT);
    const fingerprint = fingerprintOf(kind, body);
    if (kind === 'batch') return { kind, fingerprint, items: await prepareItems(body, at) };
    const message = prepareMessage(body, at);
    return 'code' in message ? { kind: 'error', error: message } : { kind, fingerprint, message };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { apiCode: code, message, details } = error;
    return { kind: 'error', error: { code, message, fields: details?.fields ?? [] } };
  }
}

/** The same for the same content, however its fields are ordered and its text is escaped. */
function fingerprintOf(kind: string, body: unknown): Uint8Array {
  const hash = createHash('sha256').update(kind);
  const add = (value: unknown) => {
    if (typeof value === 'string') hash.update(`"${Buffer.byteLength(value)}:`).update(value);
    else if (Array.isArray(value)) {
      hash.update(`[${value.length}:`);
      for (const each of value) add(each);
    } else if (typeof value === 'object' && value !== null) {
      const names = Object.keys(value).sort();
      hash.update(`{${names.length}:`);
      for (const name of names) {
        add(name);
        add((value as Record<string, unknown>)[name]);
      }
    } else hash.update(`${value};`);
  };
  add(body);
  return new Uint8Array(hash.digest());
}

async function prepareItems(body: Record<string, unknown>, at: Date): Promise<(CheckedMessage | MessageError)[]> {
  const prepared: (CheckedMessage | MessageError)[] = [];
  for (const item of itemsOf(body)) {
    prepared.push(prepareMessage(item, at));
    if (prepared.length % TURN === 0) await setImmediate();
  }
  return prepared;
}

function itemsOf(body: Record<string, unknown>): unknown[] {
  const { messages, ...unknown } = body;
  if (messages === undefined || messages === null) throw invalidBatch('MISSING_FIELDS', 'messages', REQUIRED);
  const [unknownField] = Object.keys(unknown);
  if (unknownField !== undefined) throw invalidBatch('VALIDATION_ERROR', unknownField, 'Unknown field.');
  if (!Array.isArray(messages)) throw invalidBatch('VALIDATION_ERROR', 'messages', 'Enter a list of messages.');
  if (messages.length === 0) throw invalidBatch('EMPTY_BATCH', 'messages', 'Enter at least one message.');
  if (messages.length > MAX_BATCH)
    throw invalidBatch('BATCH_TOO_LARGE', 'messages', `Enter at most ${MAX_BATCH} messages.`);
  return messages;
}

function prepareMessage(raw: unknown, at: Date): CheckedMessage | MessageError {
  const checked = checkOutgoingMessage(raw);
  if (!('message' in checked) || 'code' in checked) return checked as MessageError;
  const { message } = checked;
  const sendAt = message.send_at === undefined ? null : new Date(message.send_at);
  const timeError = sendAt && sendTimeError(sendAt, at);
  if (timeError) return invalidTime(timeError);
  const sender = parseAddress(message.from.email);
  if (!sender) throw new TypeError('a checked message has a sender');
  const { address: from, domain } = sender;
  const messageId = newMessageId(domain);
  if (!message.template) return composePrepared(message, { from, messageId, at });
  const { id, variables = {} } = message.template;
  const [hasSubject, hasAttachments] = [message.subject !== undefined, Boolean(message.attachments?.length)];
  const isScheduled = 'sendAt' in laterOf(sendAt, at);
  const template = { id, variables, hasSubject, hasAttachments };
  return { from, messageId, message: serialize(message), template, isScheduled, at };
}

function composeRendered(unrendered: UnrenderedMessage, { used, text }: RenderedTemplate): PreparedMessage {
  const message = deserialize(unrendered.message) as OutgoingMessage;
  const { subject = text.subject } = message;
  const complete = { ...message, subject, text_body: text.text_body, html_body: text.html_body ?? undefined };
  return { ...composePrepared(complete, unrendered), template: used };
}

type Sender = Pick<UnrenderedMessage, 'from' | 'messageId' | 'at'>;

function composePrepared(message: OutgoingMessage, { from, messageId, at }: Sender): PreparedMessage {
  const { raw, envelope } = composeMessage(message, { messageId, date: at });
  const { subject = '', transactional: isTransactional, tags, metadata, send_at } = message;
  return {
    from,
    recipients: recipientsOf(message),
    subject,
    messageId,
    raw,
    envelope,
    isTransactional,
    list: message.unsubscribe?.list,
    ...labelsOf({ tags, metadata }),
    ...laterOf(send_at === undefined ? null : new Date(send_at), at),
  };
}

function laterOf(sendAt: Date | null, at: Date): Pick<PreparedMessage, 'sendAt'> {
  return sendAt && !isSentAtOnce(sendAt, at) ? { sendAt } : {};
}

function invalidTime(message: string): MessageError {
  return {
    code: 'VALIDATION_ERROR',
    message: `Some fields are invalid: send_at.`,
    fields: [{ path: 'send_at', message }],
  };
}

/** An address in several fields counts as to before cc before bcc. */
function recipientsOf(message: OutgoingMessage): PreparedMessage['recipients'] {
  return distinctRecipients(
    (['to', 'cc', 'bcc'] as const).flatMap((kind) =>
      (message[kind] ?? []).map(({ email }) => ({ address: parseAddress(email)?.address ?? email, kind })),
    ),
  );
}

function invalidBatch(code: ErrorCode, path: string, message: string): AppError {
  return new AppError(code, `${path}: ${message}`, { details: { fields: [{ path, message }] } });
}
