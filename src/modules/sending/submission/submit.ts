import { setTimeout } from 'node:timers/promises';
import { parseAddress } from '@/lib/mail/address';
import { uuidv7 } from '@/lib/uuid';
import type { SmtpReply } from '@/mail/submission/smtp-reply';
import type { SubmitOutcome } from '@/mail/submission/submit';
import { rejectOverLimit } from '@/modules/abuse/service';
import {
  countInFlight,
  keepContent,
  recordSubmission,
  type Submission,
  WAIT_FOR_SENDS,
} from '@/modules/messages/service';
import { kickDeliveries } from '@/modules/webhooks/service';
import { type AuthorizedDomain, requireAccess, requireSender } from '@/server/access/authorize';
import type { AuditRow } from '@/server/audit';
import { groupCalls } from '@/server/background/group-calls';
import { database, isForeignKeyViolation, type Tx } from '@/server/database/db';
import { AppError } from '@/server/errors';
import { log } from '@/server/log';
import type { ActorContext } from '@/server/procedures/context';
import { env } from '@/server/settings/env';
import type { PreparedMessage } from '../composing/message-jobs';
import type { SuppressedRecipient } from '../schema';
import { envelopeSender } from './envelope-sender';
import {
  type Admission,
  admitMessages,
  type IdempotencySlot,
  type MessageRow,
  messageRow,
  type NewMessage,
  toAddresses,
} from './message-row';
import { outboundMta } from './mta';

const SAVE_ATTEMPTS = 5;
const SAVE_RETRY_MS = 300;

export type SubmittedMessage = {
  id: string;
  messageId: string;
  domain: AuthorizedDomain;
  outcome: SubmitOutcome;
  /** Recipients that were left out. */
  suppressed: SuppressedRecipient[];
};

/** Calls `store`, with the audit entry that is stored with the outcome if there is one. */
export type StoreOutcome = (
  submission: SubmittedMessage,
  store: (entry: AuditRow | null) => Promise<void>,
) => Promise<void>;

/** A scheduled message that is due: how it is admitted, and what happens to it on the way. */
type Due = {
  id: string;
  admit: (row: MessageRow) => Promise<Admission>;
  /** Called just before its text is sent; if it fails, nothing is sent. */
  beforeData: () => Promise<void>;
  /** Called if the mail server certainly did not accept it and may later, refused the connection, or beforeData failed. */
  putBack: (reason: string) => Promise<void>;
};

type Options = {
  slot?: IdempotencySlot;
  storeOutcome: StoreOutcome;
  /** Runs the submission to the mail server when there is room for one more. */
  limit?: <Result>(submit: () => Promise<Result>) => Promise<Result>;
  due?: Due;
};

/** The message is scheduled again, or another instance has it. */
export class PutBack extends Error {}

/** The context of a request, or of a message that was scheduled by one. */
type SubmitContext = Pick<ActorContext, 'db' | 'clock' | 'request' | 'actor'>;

/**
 * Submits one message to the mail server (docs/contributing/security-rules.md 5): its row is stored before SMTP starts, no transaction
 * is open during SMTP, and status, trace and event are stored in one transaction.
 * @throws DOMAIN_NOT_FOUND (403), FORBIDDEN, API_KEY_DOMAIN_SCOPE, DOMAIN_INACTIVE, MAILBOX_SUSPENDED,
 *   SEND_UNAVAILABLE, MESSAGE_TOO_LARGE, RECIPIENT_SUPPRESSED, RATE_LIMIT_EXCEEDED; SEND_FAILED unless the mail server accepted the message
 */
export async function submitMessage(
  ctx: SubmitContext,
  given: PreparedMessage,
  { slot, storeOutcome, limit = (submit) => submit(), due }: Options,
): Promise<SubmittedMessage> {
  const mta = await outboundMta();
  const [id, createdAt] = [due?.id ?? uuidv7(), ctx.clock.now()];
  const problem = mta ? oversize(given.raw.byteLength) : unavailable();
  const sent = { id, message: given, slot, isSendable: problem === null };
  const { domain, suppressed, returns } = await admitMessage(ctx, sent, due?.admit ?? admitTogether);
  if (problem || !mta) throw problem ?? unavailable();
  const message = withoutRecipients(given, suppressed);
  const { buffer, byteOffset, byteLength } = message.raw;
  const raw = Buffer.from(buffer, byteOffset, byteLength);
  const envelope = { ...message.envelope, from: envelopeSender(id, message.from, domain.name, returns) };
  const outcome = await countInFlight(() => limit(() => mta.submit({ envelope, raw, beforeData: due?.beforeData })));
  if (due && outcome.outcome === 'refused' && (outcome.isTemporary || outcome.isOfConnection)) {
    await due.putBack(outcome.response);
    throw new PutBack(outcome.response);
  }
  const submission = { id, messageId: message.messageId, domain, outcome, suppressed };
  keepContentOf(submission, message.raw, ctx.clock.now());
  await saveOutcome(ctx, submission, sentMessage(message, submission, createdAt), storeOutcome);
  if (outcome.outcome === 'accepted') return submission;
  throw outcome.outcome === 'uncertain' ? uncertain(id, message.messageId) : notAccepted(submission, outcome);
}

/** A connection that broke may still hold the bytes, and storing large ones takes them from this thread. */
function keepContentOf({ id, domain, outcome }: SubmittedMessage, sent: Uint8Array, at: Date): void {
  const raw = outcome.outcome === 'accepted' ? sent : sent.slice();
  keepContent({ messageId: id, domainId: domain.id, sizeBytes: raw.byteLength, at, read: async () => raw });
}

/** A second group need not wait for long while the domain of the first is locked. */
const admitTogether = groupCalls((rows: MessageRow[]) => admitMessages(database(), rows), {
  maxRunning: 2,
  maxItems: 25,
  ...WAIT_FOR_SENDS,
});

type Admitted = Pick<SubmittedMessage, 'domain' | 'suppressed'> & Pick<Admission, 'returns'>;

/**
 * Checks the sender and the recipients, stores the message and counts it against the hourly limits. If it throws, it has stored no
 * message.
 */
async function admitMessage(
  ctx: SubmitContext,
  given: NewMessage,
  admit: (row: MessageRow) => Promise<Admission>,
): Promise<Admitted> {
  const { from } = given.message;
  const sender = parseAddress(from);
  if (!sender) throw new AppError('INVALID_SENDER', 'Enter a plain sender address such as ann@example.com.');
  requireSender(ctx.actor, sender.address);
  const {
    domain: found,
    counting,
    suppressed,
    returns,
  } = await admit(messageRow(ctx, given)).catch((error) => {
    // The domain was deleted in the meantime.
    if (isForeignKeyViolation(error)) return { domain: null, counting: null, suppressed: [], returns: null };
    throw error;
  });
  const domain = requireAccess(ctx.actor, found, `The domain ${sender.domain}`, { missingStatus: 403 });
  if (suppressed.length > 0) kickDeliveries();
  if (suppressed.length === given.message.recipients.length) throw recipientSuppressed(suppressed);
  if (!counting || counting.result === 'counted') return { domain, suppressed, returns };
  if (counting.result === 'suspended') throw sendingSuspended(from);
  throw await rejectOverLimit(ctx, { domain, address: from.toLowerCase(), counting });
}

/** Suppressed recipients are left out of the envelope. The header stays as it is. */
function withoutRecipients(message: PreparedMessage, suppressed: SuppressedRecipient[]): PreparedMessage {
  if (suppressed.length === 0) return message;
  const left = new Set(suppressed.map(({ email }) => email));
  const recipients = message.recipients.filter(({ address }) => !left.has(address));
  return { ...message, recipients, envelope: { ...message.envelope, to: recipients.map(({ address }) => address) } };
}

/**
 * Retries while the database is away. After the last attempt the row stays `submitting`, which is never sent again, and
 * the caller gets an uncertain outcome.
 */
async function saveOutcome(
  ctx: SubmitContext,
  submission: SubmittedMessage,
  message: Submission['message'],
  storeOutcome: StoreOutcome,
): Promise<void> {
  const { outcome } = submission;
  for (let attempt = 1; ; attempt++) {
    try {
      await storeOutcome(submission, (entry) => recordSubmission({ message, outcome, at: ctx.clock.now(), entry }));
      kickDeliveries();
      return;
    } catch (error) {
      log.error(
        { request_id: ctx.request.id, message_id: submission.messageId, attempt, error },
        'storing the outcome failed',
      );
      if (attempt === SAVE_ATTEMPTS) throw uncertain(submission.id, submission.messageId);
      await setTimeout(attempt * SAVE_RETRY_MS);
    }
  }
}

function sentMessage(
  message: PreparedMessage,
  { id, domain }: SubmittedMessage,
  createdAt: Date,
): Submission['message'] {
  const { messageId, from: fromAddress, subject, tags, metadata, template } = message;
  const recipients = message.recipients.map(({ address }) => address);
  const sent = { id, messageId, fromAddress, toAddresses: toAddresses(message), subject, createdAt, recipients };
  return { ...sent, domainId: domain.id, domainName: domain.name, tags, metadata, template };
}

/** The error for a message that the mail server received completely without a reply. */
export function uncertain(id: string, messageId: string): AppError {
  const message =
    'The mail server did not reply after the message was submitted. The message may have been sent. Check its status before you send it again.';
  return new AppError('SEND_FAILED', message, { details: { outcome: 'uncertain', id, message_id: messageId } });
}

/** Whether the outcome of a submission is stored, or was to be. */
export function hasOutcome(error: unknown): error is AppError {
  return error instanceof AppError && error.apiCode === 'SEND_FAILED';
}

/** @throws SEND_UNAVAILABLE, MESSAGE_TOO_LARGE */
export async function requireSendable(sizeBytes: number): Promise<void> {
  const problem = (await outboundMta()) ? oversize(sizeBytes) : unavailable();
  if (problem) throw problem;
}

export function isUncertain(error: unknown): boolean {
  return error instanceof AppError && error.details?.outcome === 'uncertain';
}

/** Marks a message whose process ended before the mail server replied. It may have been sent. */
export async function markUncertain(db: Tx, id: string, at: Date): Promise<void> {
  const { count } = await db.message.updateMany({
    where: { id, status: 'submitting' },
    data: { status: 'uncertain' },
  });
  if (count === 0) return;
  await db.messageRecipient.updateMany({
    where: { messageId: id, status: 'submitting' },
    data: { status: 'uncertain' },
  });
  const detail = { reason: 'Postroom stopped before the mail server replied.' };
  await db.messageEvent.create({
    data: { id: uuidv7(), messageId: id, type: 'uncertain', at, detail },
    select: { id: true },
  });
}

function recipientSuppressed(suppressed: SuppressedRecipient[]): AppError {
  const [first] = suppressed;
  const message =
    suppressed.length === 1
      ? `${first?.email} is suppressed (${first?.reason}). The message was not sent.`
      : `All ${suppressed.length} recipients are suppressed. The message was not sent.`;
  return new AppError('RECIPIENT_SUPPRESSED', message, { details: { suppressed } });
}

export function sendingSuspended(address: string): AppError {
  return new AppError('MAILBOX_SUSPENDED', `Sending is suspended for ${address}.`);
}

function unavailable(): AppError {
  return new AppError('SEND_UNAVAILABLE', 'Sending is disabled on this server (SMTP_URL=off).');
}

function oversize(sizeBytes: number): AppError | null {
  const limitBytes = env().maxMessageSizeMb * 1024 * 1024;
  if (sizeBytes <= limitBytes) return null;
  return new AppError('MESSAGE_TOO_LARGE', `The message is ${sizeBytes} bytes; the limit is ${limitBytes} bytes.`, {
    details: { size_bytes: sizeBytes, limit_bytes: limitBytes },
  });
}

/** The error for a message that the mail server certainly did not accept. */
export const NOT_ACCEPTED = 'The mail server did not accept the message.';

function notAccepted({ id, messageId }: SubmittedMessage, { smtpCode, response }: SmtpReply): AppError {
  const reply = smtpCode === null ? {} : { smtp_code: smtpCode, response };
  return new AppError('SEND_FAILED', NOT_ACCEPTED, {
    details: { outcome: 'refused', id, message_id: messageId, ...reply },
  });
}
