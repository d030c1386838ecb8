import { setTimeout } from 'node:timers/promises';
import { v7 as uuidv7 } from 'uuid';
import { parseAddress } from '@/lib/address';
import type { SmtpReply } from '@/mail/smtp-reply';
import type { SubmitOutcome } from '@/mail/submit';
import { refuseSend, uncountSend } from '@/modules/abuse/service';
import { recordSubmission } from '@/modules/messages/service';
import { kickDeliveries } from '@/modules/webhooks/service';
import { type AuthorizedDomain, authorizeDomain } from '@/server/access';
import type { ActorContext } from '@/server/context';
import { isForeignKeyViolation, type Tx } from '@/server/db';
import { AppError } from '@/server/errors';
import { log } from '@/server/log';
import { env } from '@/server/settings/env';
import type { ReadyMessage } from './composing/message-work';
import { createMessage, type Slot } from './message-row';
import { outboundMta } from './mta';

const OUTCOME_ATTEMPTS = 5;
const OUTCOME_RETRY_MS = 300;

export type Delivery = { id: string; messageId: string; domain: AuthorizedDomain; outcome: SubmitOutcome };

type Options = {
  slot?: Slot;
  /** Runs in the transaction that tells the outcome. */
  onOutcome?: (delivery: Delivery, tx: Tx) => Promise<void>;
};

/**
 * Hands one message to the MTA. Its row with its Message-ID stands before SMTP begins, so that a crash can be settled; no
 * transaction is open while the MTA is spoken to; status, trace and event are told in one transaction.
 * @throws DOMAIN_NOT_FOUND (403), FORBIDDEN, API_KEY_DOMAIN_SCOPE, DOMAIN_INACTIVE, MAILBOX_SUSPENDED,
 *   SEND_UNAVAILABLE, MESSAGE_TOO_LARGE, RATE_LIMIT_EXCEEDED; and SEND_FAILED for what the MTA did not clearly accept
 */
export async function deliver(ctx: ActorContext, message: ReadyMessage, options: Options = {}): Promise<Delivery> {
  const domain = await requireSender(ctx, message.from);
  const mta = await outboundMta();
  if (!mta) throw new AppError('SEND_UNAVAILABLE', 'Sending is switched off on this server (SMTP_URL=off).');
  refuseOversize(message.raw.byteLength);

  const id = uuidv7();
  await admitMessage(ctx, id, domain, message, options.slot);
  const outcome = await mta.submit({
    envelope: message.envelope,
    raw: Buffer.from(message.raw.buffer, message.raw.byteOffset, message.raw.byteLength),
  });
  const delivery = { id, messageId: message.messageId, domain, outcome };
  await tellOutcome(ctx, delivery, options);
  if (outcome.outcome === 'accepted') return delivery;
  throw outcome.outcome === 'uncertain' ? uncertain(id, message.messageId) : notAccepted(delivery, outcome);
}

/** Its row stands afterwards, and it counts for the hourly rates; or neither. */
async function admitMessage(
  ctx: ActorContext,
  id: string,
  domain: AuthorizedDomain,
  message: ReadyMessage,
  slot: Slot | undefined,
): Promise<void> {
  const counting = await createMessage(ctx, { id, domain, message, slot }).catch((error) => {
    throw isForeignKeyViolation(error) ? unmanaged(domain.name) : error;
  });
  if (counting.verdict === 'counted') return;
  if (counting.verdict === 'suspended') throw suspended(message.from);
  throw await refuseSend(ctx, { domain, address: message.from.toLowerCase(), counting });
}

/**
 * The MTA has answered, and the database may be away just now: it is tried again for a while. If it stays away the row
 * stays `submitting`, which nobody sends again, and the caller hears that the outcome is uncertain.
 */
async function tellOutcome(ctx: ActorContext, delivery: Delivery, { onOutcome }: Options): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await ctx.database.$transaction(async (tx) => {
        await recordSubmission(tx, { id: delivery.id, outcome: delivery.outcome, at: ctx.clock.now() });
        if (delivery.outcome.outcome === 'refused') await uncountSend(tx, delivery.id);
        await onOutcome?.(delivery, tx);
      });
      kickDeliveries();
      return;
    } catch (error) {
      log.error({ request_id: ctx.request.id, message_id: delivery.messageId, attempt, error }, 'outcome not stored');
      if (attempt === OUTCOME_ATTEMPTS) throw uncertain(delivery.id, delivery.messageId);
      await setTimeout(attempt * OUTCOME_RETRY_MS);
    }
  }
}

/** What a caller is told of a message that the MTA took and never answered for. */
export function uncertain(id: string, messageId: string): AppError {
  const message =
    'The mail server took the message but did not answer. It may have been sent; do not send it again yet.';
  return new AppError('SEND_FAILED', message, { details: { outcome: 'uncertain', id, message_id: messageId } });
}

export function isUncertain(error: unknown): boolean {
  return error instanceof AppError && error.details?.outcome === 'uncertain';
}

/** Settles what a process left behind that died between its row and the answer: nobody knows whether it was sent. */
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
  const detail = { reason: 'The server stopped before the mail server answered.' };
  await db.messageEvent.create({ data: { messageId: id, type: 'uncertain', at, detail }, select: { id: true } });
}

async function requireSender(ctx: ActorContext, from: string): Promise<AuthorizedDomain> {
  const sender = parseAddress(from);
  if (!sender) throw new AppError('INVALID_SENDER', 'The sender address is invalid.');
  const domain = await authorizeDomain(ctx, { name: sender.domain }, { missingStatus: 403 });
  const mailbox = await ctx.database.mailbox.findUnique({
    where: { domainId_localPart: { domainId: domain.id, localPart: sender.local.toLowerCase() } },
    select: { suspendedAt: true },
  });
  if (mailbox?.suspendedAt) throw suspended(sender.address);
  return domain;
}

function suspended(address: string): AppError {
  return new AppError('MAILBOX_SUSPENDED', `Sending is suspended for ${address}.`);
}

// The domain was deleted since it was looked up.
function unmanaged(name: string): AppError {
  return new AppError('DOMAIN_NOT_FOUND', `The domain ${name} is not managed by this server.`, { status: 403 });
}

function refuseOversize(sizeBytes: number): void {
  const limitBytes = env().maxMessageSizeMb * 1024 * 1024;
  if (sizeBytes <= limitBytes) return;
  throw new AppError('MESSAGE_TOO_LARGE', `The message is ${sizeBytes} bytes; the limit is ${limitBytes}.`, {
    details: { size_bytes: sizeBytes, limit_bytes: limitBytes },
  });
}

function notAccepted({ id, messageId }: Delivery, { smtpCode, response }: SmtpReply): AppError {
  const answer = smtpCode === null ? {} : { smtp_code: smtpCode, response };
  return new AppError('SEND_FAILED', 'The mail server did not accept the message.', {
    details: { outcome: 'refused', id, message_id: messageId, ...answer },
  });
}
