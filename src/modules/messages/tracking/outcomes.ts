import type { DeliveryReport } from '@/mail/delivery-report';
import { oneLine } from '@/mail/submission/smtp-reply';
import type { Tx } from '@/server/db';
import type { MessageStatus } from '../schema';
import { failureReason } from './bounce-category';
import {
  isFinal,
  isUnanswered,
  type LockedMessage,
  lockReportedMessage,
  recordAccepted,
  statusOf,
  UNANSWERED,
} from './locked-message';
import { emitOutcome } from './outcome-event';

type RecordResult = 'recorded' | 'repeated' | 'unknown';

/**
 * Records a delivery report for one recipient: status, trace and event, in the caller's transaction. A status only moves
 * from no result to deferred to final; repeated or late reports change nothing. A report that arrives before the reply to
 * the submission is stored, or after that reply was lost, also marks the message as accepted.
 */
export async function recordOutcome(tx: Tx, given: DeliveryReport): Promise<RecordResult> {
  const report = {
    ...given,
    response: oneLine(given.response),
    remoteMta: given.remoteMta && oneLine(given.remoteMta),
  };
  const message = await lockReportedMessage(tx, report);
  if (!message) return 'unknown';
  const recipients = await tx.messageRecipient.findMany({
    where: { messageId: message.id },
    select: { id: true, address: true, status: true },
  });
  const recipient = findRecipient(recipients, report.recipient);
  if (!recipient) return 'unknown';
  if (isFinal(recipient.status) || recipient.status === report.kind) return 'repeated';

  const { kind: status, cause, smtpCode, enhancedCode, response, at } = report;
  const result =
    status === 'delivered' ? { category: null, deliveredAt: at } : { category: failureReason(cause, enhancedCode) };
  await tx.messageRecipient.update({
    where: { id: recipient.id },
    data: { status, cause, smtpCode, enhancedCode, response, ...result },
    select: { id: true },
  });
  const others = recipients.filter(({ id }) => id !== recipient.id).map(({ status }) => status);
  if (isUnanswered(message)) await settleAccepted(tx, message, report);
  await tx.message.update({
    where: { id: message.id },
    data: { status: statusOf([...others, report.kind]), queueId: message.queueId ?? report.queueId },
    select: { id: true },
  });
  await addToTrace(tx, message, recipient.address, report);
  await emitOutcome(tx, message, recipient.address, report);
  return 'recorded';
}

type Accepted = Pick<DeliveryReport, 'messageId' | 'queueId' | 'at'>;

/** Settles a message as accepted whose submission reply was lost, because the mail server's log shows it. */
export async function settleAsAccepted(tx: Tx, accepted: Accepted): Promise<void> {
  const message = await lockReportedMessage(tx, accepted);
  if (!message || !isUnanswered(message)) return;
  await settleAccepted(tx, message, accepted);
  const { id } = message;
  await tx.message.update({ where: { id }, data: { status: 'sent', queueId: accepted.queueId }, select: { id: true } });
}

async function settleAccepted(tx: Tx, message: LockedMessage, { queueId, at }: Accepted): Promise<void> {
  await tx.messageRecipient.updateMany({
    where: { messageId: message.id, status: { in: [...UNANSWERED] } },
    data: { status: 'sent' },
  });
  await recordAccepted(tx, message, { at, detail: { queue_id: queueId } });
}

type Recipient = { id: string; address: string; status: MessageStatus };

// Local parts can be case-sensitive, but mail servers may lower-case them: an exact match comes first.
function findRecipient(recipients: Recipient[], address: string): Recipient | undefined {
  const folded = address.toLowerCase();
  return (
    recipients.find((recipient) => recipient.address === address) ??
    recipients.find((recipient) => recipient.address.toLowerCase() === folded)
  );
}

async function addToTrace(tx: Tx, { id }: LockedMessage, recipient: string, report: DeliveryReport): Promise<void> {
  const { kind, at, cause, smtpCode, enhancedCode, response, remoteMta } = report;
  const detail = { cause, smtp_code: smtpCode, enhanced_code: enhancedCode, response, remote_mta: remoteMta };
  await tx.messageEvent.create({
    data: { messageId: id, type: kind, at, recipient, detail },
    select: { id: true },
  });
}
