import { v7 as uuidv7 } from 'uuid';
import { parseAddress } from '@/lib/address';
import type { SubmitOutcome } from '@/mail/submit';
import { emitEvent } from '@/modules/webhooks/service';
import { type AuthorizedDomain, authorizeDomain } from '@/server/access';
import type { RecordAudit } from '@/server/audit';
import type { ActorContext } from '@/server/context';
import type { Tx } from '@/server/db';
import { env } from '@/server/env';
import { AppError } from '@/server/errors';
import type { Prisma } from '@/server/prisma/client';
import { composeMessage, newMessageId } from './compose';
import { outboundMta } from './mta';
import type { OutgoingMessage } from './outgoing-message';
import type { Sent } from './schema';

type SendContext = ActorContext & { audit: RecordAudit };

type Submission = {
  id: string;
  messageId: string;
  domain: AuthorizedDomain;
  from: string;
  to: string[];
  subject: string;
};

/**
 * Sends one message. Its row with its Message-ID stands before SMTP begins, so that a crash can be settled; no
 * transaction is open while the MTA is spoken to; what came of it is told in one transaction with audit and event.
 * @throws DOMAIN_NOT_FOUND (403), FORBIDDEN, API_KEY_DOMAIN_SCOPE, DOMAIN_INACTIVE, MAILBOX_SUSPENDED,
 *   SEND_UNAVAILABLE, MESSAGE_TOO_LARGE or SEND_FAILED
 */
export async function sendMessage(ctx: SendContext, message: OutgoingMessage): Promise<Sent> {
  const sender = parseAddress(message.from.email);
  if (!sender) throw new AppError('INVALID_SENDER', 'The sender is not a plain address.');
  const domain = await authorizeDomain(ctx, { name: sender.domain }, { missingStatus: 403 });
  await refuseSuspendedMailbox(ctx, domain, sender.local);
  const mta = await outboundMta();
  if (!mta) throw new AppError('SEND_UNAVAILABLE', 'Sending is switched off on this server (SMTP_URL=off).');

  const messageId = newMessageId(domain.name);
  const { raw, sizeBytes, envelope } = await composeMessage(message, { messageId, date: ctx.clock.now() });
  refuseOversize(sizeBytes);

  const submission: Submission = {
    id: uuidv7(),
    messageId,
    domain,
    from: sender.address,
    to: message.to.map(normalized),
    subject: message.subject,
  };
  await recordSubmission(ctx, submission, message, sizeBytes);
  const outcome = await mta.submit({ envelope, raw });
  await ctx.database.$transaction((tx) => recordOutcome(tx, ctx, submission, outcome));
  if (outcome.outcome !== 'accepted') throw sendFailed(submission, outcome);
  return { message_id: messageId };
}

async function refuseSuspendedMailbox(ctx: ActorContext, domain: AuthorizedDomain, localPart: string): Promise<void> {
  const mailbox = await ctx.db.mailbox.findUnique({
    where: { domainId_localPart: { domainId: domain.id, localPart: localPart.toLowerCase() } },
    select: { suspendedAt: true },
  });
  if (!mailbox?.suspendedAt) return;
  throw new AppError('MAILBOX_SUSPENDED', `Sending is suspended for ${localPart}@${domain.name}.`);
}

function refuseOversize(sizeBytes: number): void {
  const limitMb = env().maxMessageSizeMb;
  if (sizeBytes <= limitMb * 1024 * 1024) return;
  throw new AppError('MESSAGE_TOO_LARGE', `The message is ${sizeBytes} bytes; the limit is ${limitMb} MB.`, {
    details: { size_bytes: sizeBytes, limit_bytes: limitMb * 1024 * 1024 },
  });
}

async function recordSubmission(
  ctx: ActorContext,
  submission: Submission,
  message: OutgoingMessage,
  sizeBytes: number,
): Promise<void> {
  const { id, messageId, domain, from, to, subject } = submission;
  await ctx.database.message.create({
    select: { id: true },
    data: {
      id,
      messageId,
      domainId: domain.id,
      direction: 'outbound',
      fromAddress: from,
      toAddresses: to,
      subject,
      sizeBytes,
      status: 'submitting',
      createdAt: ctx.clock.now(),
      recipients: { createMany: { data: recipientsOf(message) } },
      events: {
        create: { type: 'accepted', at: ctx.clock.now(), detail: { by: ctx.actor.admin.email, ...door(ctx) } },
      },
    },
  });
}

function recipientsOf(message: OutgoingMessage): Prisma.MessageRecipientCreateManyMessageInput[] {
  const byAddress = new Map<string, 'to' | 'cc' | 'bcc'>();
  for (const kind of ['to', 'cc', 'bcc'] as const) {
    for (const recipient of message[kind] ?? []) {
      const address = normalized(recipient);
      if (!byAddress.has(address)) byAddress.set(address, kind);
    }
  }
  return [...byAddress].map(([address, kind]) => ({ id: uuidv7(), address, kind, status: 'submitting' as const }));
}

function door(ctx: ActorContext): { api_key_id: string } | { session_id: string | null } {
  return ctx.actor.key ? { api_key_id: ctx.actor.key.id } : { session_id: ctx.actor.session?.id ?? null };
}

async function recordOutcome(tx: Tx, ctx: SendContext, submission: Submission, outcome: SubmitOutcome): Promise<void> {
  const { id, messageId, domain, from, to, subject } = submission;
  const at = ctx.clock.now();
  const status = ({ accepted: 'sent', refused: 'failed', uncertain: 'uncertain' } as const)[outcome.outcome];
  const answer = outcome.outcome === 'uncertain' ? {} : answerOf(outcome);
  await tx.message.update({
    where: { id },
    select: { id: true },
    data: {
      status,
      queueId: outcome.outcome === 'accepted' ? outcome.queueId : null,
      events: { create: { at, ...traceOf(outcome) } },
      recipients: { updateMany: { where: {}, data: { status, ...answer } } },
    },
  });
  for (const refusal of outcome.outcome === 'accepted' ? outcome.refusedRecipients : []) {
    const { address, ...reply } = refusal;
    const where = { messageId_address: { messageId: id, address } };
    await tx.messageRecipient.update({ where, data: { status: 'failed', ...reply }, select: { id: true } });
    await tx.messageEvent.create({
      data: { messageId: id, type: 'refused', at, recipient: address, detail: detailOf(reply) },
    });
  }
  if (outcome.outcome === 'accepted') {
    const data = { message_id: messageId, from, to, subject, domain: domain.name };
    await emitEvent(tx, { type: 'mail.sent', messageId, domainId: domain.id, at, data });
  }
  await ctx.audit(
    {
      resource: `message:${id}`,
      domainId: domain.id,
      outcome: outcome.outcome === 'accepted' ? 'success' : 'error',
      details: { message_id: messageId, from, to, subject, status },
    },
    tx,
  );
}

type Answer = { smtpCode: number | null; enhancedCode: string | null; response: string };

function answerOf(outcome: Exclude<SubmitOutcome, { outcome: 'uncertain' }>): Answer {
  if (outcome.outcome === 'accepted') return { smtpCode: 250, enhancedCode: null, response: outcome.response };
  return { smtpCode: outcome.smtpCode, enhancedCode: outcome.enhancedCode, response: outcome.response };
}

function traceOf(outcome: SubmitOutcome): { type: string; detail: Prisma.InputJsonObject } {
  if (outcome.outcome === 'accepted') {
    return { type: 'queued', detail: { queue_id: outcome.queueId, response: outcome.response } };
  }
  if (outcome.outcome === 'uncertain') return { type: 'uncertain', detail: { reason: outcome.reason } };
  return { type: 'refused', detail: detailOf(outcome) };
}

function detailOf({ smtpCode, enhancedCode, response }: Answer): Prisma.InputJsonObject {
  return { smtp_code: smtpCode, enhanced_code: enhancedCode, response };
}

function sendFailed(submission: Submission, outcome: Exclude<SubmitOutcome, { outcome: 'accepted' }>): AppError {
  const { id, messageId } = submission;
  if (outcome.outcome === 'uncertain') {
    const message =
      'The mail server took the message but did not answer. It may have been sent; do not send it again yet.';
    return new AppError('SEND_FAILED', message, { details: { outcome: 'uncertain', id, message_id: messageId } });
  }
  const { smtpCode, response } = outcome;
  const answer = smtpCode === null ? {} : { smtp_code: smtpCode, response };
  return new AppError('SEND_FAILED', 'The mail server did not accept the message.', {
    details: { outcome: 'refused', id, message_id: messageId, ...answer },
  });
}

function normalized({ email }: { email: string }): string {
  return parseAddress(email)?.address ?? email;
}
