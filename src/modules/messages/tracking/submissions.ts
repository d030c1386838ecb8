import type { OutcomeCause } from '@/lib/mail/outcome-causes';
import type { SubmitOutcome } from '@/mail/submission/submit';
import type { Tx } from '@/server/db';
import type { Prisma } from '@/server/prisma/client';
import { failureReason } from './bounce-category';
import { isUnanswered, type LockedMessage, lockMessage, recordAccepted, statusOf, UNANSWERED } from './locked-message';
import { emitOutcome } from './outcome-event';

export type Submitted = { id: string; outcome: SubmitOutcome; at: Date };

/** Records the mail server's reply to a submission. A delivery report that was recorded first is kept. */
export async function recordSubmission(tx: Tx, { id, outcome, at }: Submitted): Promise<void> {
  const message = await lockMessage(tx, id);
  const isAccepted = outcome.outcome === 'accepted';
  const queueId = message.queueId ?? (isAccepted ? outcome.queueId : null);
  if (isUnanswered(message)) {
    const status = STATUS_OF[outcome.outcome];
    await tx.message.update({ where: { id }, data: { status, queueId }, select: { id: true } });
    await tx.messageRecipient.updateMany({
      where: { messageId: id, status: { in: [...UNANSWERED] } },
      data: { status, ...replyOf(outcome) },
    });
    if (isAccepted) {
      await recordAccepted(tx, message, { at, detail: { queue_id: queueId, response: outcome.response } });
    } else {
      await tx.messageEvent.create({ data: { messageId: id, at, ...traceOf(outcome) }, select: { id: true } });
      if (outcome.outcome === 'refused') await emitFailures(tx, message, outcome, at);
    }
  } else if (queueId !== message.queueId) {
    await tx.message.update({ where: { id }, data: { queueId }, select: { id: true } });
  }
  if (isAccepted && outcome.refusedRecipients.length > 0) {
    await failRejected(tx, { ...message, queueId }, outcome.refusedRecipients, at);
  }
}

/** Emits mail.failed for each recipient of a message that the mail server rejected. */
async function emitFailures(tx: Tx, message: LockedMessage, reply: Reply, at: Date): Promise<void> {
  const recipients = await tx.messageRecipient.findMany({
    where: { messageId: message.id },
    select: { address: true },
  });
  const outcome = { kind: 'failed', queueId: null, remoteMta: null, at, ...answerOf(reply) } as const;
  for (const { address } of recipients) await emitOutcome(tx, message, address, outcome);
}

type Reply = { cause: OutcomeCause; smtpCode: number | null; enhancedCode: string | null; response: string };

type Rejected = Omit<Reply, 'cause'> & { address: string };

async function failRejected(tx: Tx, message: LockedMessage, rejected: Rejected[], at: Date): Promise<void> {
  const { id, queueId } = message;
  for (const { address, ...answer } of rejected) {
    const reply = { ...answer, cause: 'rejected' } as const;
    const { count } = await tx.messageRecipient.updateMany({
      where: { messageId: id, address, status: { in: [...UNANSWERED, 'sent'] } },
      data: { status: 'failed', ...reply, category: failureReason(reply.cause, reply.enhancedCode) },
    });
    if (count === 0) continue;
    const event = { messageId: id, type: 'refused', at, recipient: address, detail: detailOf(reply) };
    await tx.messageEvent.create({ data: event, select: { id: true } });
    await emitOutcome(tx, message, address, { kind: 'failed', queueId, remoteMta: null, at, ...reply });
  }
  const recipients = await tx.messageRecipient.findMany({ where: { messageId: id }, select: { status: true } });
  const status = statusOf(recipients.map((recipient) => recipient.status));
  await tx.message.update({ where: { id }, data: { status }, select: { id: true } });
}

const STATUS_OF = { accepted: 'sent', refused: 'failed', uncertain: 'uncertain' } as const;

function replyOf(outcome: SubmitOutcome): Partial<Reply> & { category?: string } {
  if (outcome.outcome === 'uncertain') return {};
  if (outcome.outcome === 'accepted') return { smtpCode: 250, response: outcome.response };
  return { ...answerOf(outcome), category: failureReason(outcome.cause, outcome.enhancedCode) };
}

function answerOf({ cause, smtpCode, enhancedCode, response }: Reply): Reply {
  return { cause, smtpCode, enhancedCode, response };
}

function traceOf(outcome: Exclude<SubmitOutcome, { outcome: 'accepted' }>) {
  if (outcome.outcome === 'uncertain') return { type: 'uncertain', detail: { reason: outcome.reason } };
  return { type: 'refused', detail: detailOf(outcome) };
}

function detailOf({ cause, smtpCode, enhancedCode, response }: Reply): Prisma.InputJsonObject {
  return { cause, smtp_code: smtpCode, enhanced_code: enhancedCode, response };
}
