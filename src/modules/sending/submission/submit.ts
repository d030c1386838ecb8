import { setTimeout } from 'node:timers/promises';
import { v7 as uuidv7 } from 'uuid';
import { parseAddress } from '@/lib/mail/address';
import type { SmtpReply } from '@/mail/submission/smtp-reply';
import type { SubmitOutcome } from '@/mail/submission/submit';
import { rejectSend, uncountSend } from '@/modules/abuse/service';
import { keepContent, recordSubmission } from '@/modules/messages/service';
import { kickDeliveries } from '@/modules/webhooks/service';
import { type AuthorizedDomain, authorizeDomain } from '@/server/access/authorize';
import { isForeignKeyViolation, type Tx } from '@/server/db';
import { AppError } from '@/server/errors';
import { log } from '@/server/log';
import type { ActorContext } from '@/server/procedures/context';
import { env } from '@/server/settings/env';
import type { PreparedMessage } from '../composing/message-jobs';
import { createMessage, type IdempotencySlot } from './message-row';
import { outboundMta } from './mta';

const SAVE_ATTEMPTS = 5;
const SAVE_RETRY_MS = 300;

export type SubmittedMessage = { id: string; messageId: string; domain: AuthorizedDomain; outcome: SubmitOutcome };

/** Runs `store` in a transaction. */
export type StoreOutcome = (submission: SubmittedMessage, store: (tx: Tx) => Promise<void>) => Promise<void>;

type Options = { slot?: IdempotencySlot; storeOutcome: StoreOutcome };

/**
 * Submits one message to the mail server (docs/security-rules.md 5): its row is stored before SMTP starts, no transaction
 * is open during SMTP, and status, trace and event are stored in one transaction.
 * @throws DOMAIN_NOT_FOUND (403), FORBIDDEN, API_KEY_DOMAIN_SCOPE, DOMAIN_INACTIVE, MAILBOX_SUSPENDED,
 *   SEND_UNAVAILABLE, MESSAGE_TOO_LARGE, RATE_LIMIT_EXCEEDED; SEND_FAILED unless the mail server accepted the message
 */
export async function submitMessage(
  ctx: ActorContext,
  message: PreparedMessage,
  { slot, storeOutcome }: Options,
): Promise<SubmittedMessage> {
  const domain = await requireSender(ctx, message.from);
  const mta = await outboundMta();
  if (!mta) throw new AppError('SEND_UNAVAILABLE', 'Sending is disabled on this server (SMTP_URL=off).');
  rejectOversize(message.raw.byteLength);

  const id = uuidv7();
  await admitMessage(ctx, id, domain, message, slot);
  const outcome = await mta.submit({
    envelope: message.envelope,
    raw: Buffer.from(message.raw.buffer, message.raw.byteOffset, message.raw.byteLength),
  });
  const submission = { id, messageId: message.messageId, domain, outcome };
  keepContentOf(submission, message.raw, ctx.clock.now());
  await saveOutcome(ctx, submission, storeOutcome);
  if (outcome.outcome === 'accepted') return submission;
  throw outcome.outcome === 'uncertain' ? uncertain(id, message.messageId) : notAccepted(submission, outcome);
}

/** A connection that broke may still hold the bytes, and storing large ones takes them from this thread. */
function keepContentOf({ id, domain, outcome }: SubmittedMessage, sent: Uint8Array, at: Date): void {
  const raw = outcome.outcome === 'accepted' ? sent : sent.slice();
  keepContent({ messageId: id, domainId: domain.id, sizeBytes: raw.byteLength, at, read: async () => raw });
}

/** Stores the message and counts it against the hourly limits, or does neither. */
async function admitMessage(
  ctx: ActorContext,
  id: string,
  domain: AuthorizedDomain,
  message: PreparedMessage,
  slot: IdempotencySlot | undefined,
): Promise<void> {
  const counting = await createMessage(ctx, { id, domain, message, slot }).catch((error) => {
    throw isForeignKeyViolation(error) ? domainNotManaged(domain.name) : error;
  });
  if (counting.result === 'counted') return;
  if (counting.result === 'suspended') throw sendingSuspended(message.from);
  throw await rejectSend(ctx, { domain, address: message.from.toLowerCase(), counting });
}

/**
 * Retries while the database is away. After the last attempt the row stays `submitting`, which is never sent again, and
 * the caller gets an uncertain outcome.
 */
async function saveOutcome(ctx: ActorContext, submission: SubmittedMessage, storeOutcome: StoreOutcome): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await storeOutcome(submission, async (tx) => {
        await recordSubmission(tx, { id: submission.id, outcome: submission.outcome, at: ctx.clock.now() });
        if (submission.outcome.outcome === 'refused') await uncountSend(tx, submission.id);
      });
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

/** The error for a message that the mail server received completely without a reply. */
export function uncertain(id: string, messageId: string): AppError {
  const message =
    'The mail server did not reply after the message was submitted. The message may have been sent. Check its status before you send it again.';
  return new AppError('SEND_FAILED', message, { details: { outcome: 'uncertain', id, message_id: messageId } });
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
  await db.messageEvent.create({ data: { messageId: id, type: 'uncertain', at, detail }, select: { id: true } });
}

async function requireSender(ctx: ActorContext, from: string): Promise<AuthorizedDomain> {
  const sender = parseAddress(from);
  if (!sender) throw new AppError('INVALID_SENDER', 'Enter a plain sender address such as ann@example.com.');
  const domain = await authorizeDomain(ctx, { name: sender.domain }, { missingStatus: 403 });
  const mailbox = await ctx.db.mailbox.findUnique({
    where: { domainId_localPart: { domainId: domain.id, localPart: sender.local.toLowerCase() } },
    select: { suspendedAt: true },
  });
  if (mailbox?.suspendedAt) throw sendingSuspended(sender.address);
  return domain;
}

function sendingSuspended(address: string): AppError {
  return new AppError('MAILBOX_SUSPENDED', `Sending is suspended for ${address}.`);
}

// The domain was deleted in the meantime.
function domainNotManaged(name: string): AppError {
  return new AppError('DOMAIN_NOT_FOUND', `The domain ${name} is not managed by this server.`, { status: 403 });
}

function rejectOversize(sizeBytes: number): void {
  const limitBytes = env().maxMessageSizeMb * 1024 * 1024;
  if (sizeBytes <= limitBytes) return;
  throw new AppError('MESSAGE_TOO_LARGE', `The message is ${sizeBytes} bytes; the limit is ${limitBytes} bytes.`, {
    details: { size_bytes: sizeBytes, limit_bytes: limitBytes },
  });
}

function notAccepted({ id, messageId }: SubmittedMessage, { smtpCode, response }: SmtpReply): AppError {
  const reply = smtpCode === null ? {} : { smtp_code: smtpCode, response };
  return new AppError('SEND_FAILED', 'The mail server did not accept the message.', {
    details: { outcome: 'refused', id, message_id: messageId, ...reply },
  });
}
