import type { DeliveryReport } from '@/mail/delivery-report';
import { oneLine } from '@/mail/smtp-reply';
import type { Tx } from '@/server/db';
import type { MessageStatus } from '../schema';
import {
  isFinal,
  isUnanswered,
  type LockedMessage,
  lockReportedMessage,
  statusOf,
  recordAccepted,
  UNANSWERED,
} from './locked-message';
import { emitOutcome } from './outcome-event';

type RecordResult = 'recorded' | 'repeated' | 'unknown';

/**
 * Records what the MTA tells of one recipient: status, trace and event in the caller's transaction, under the message's
 * lock. A recipient's status only moves forward: no answer < deferred < delivered, bounced or failed. So a report that
 * comes again, or late, or for a recipient that was deferred already changes and emits nothing.
 *
 * The MTA may report before the sender has stored its acceptance, or where its answer was lost: then the report settles
 * the message as accepted, and mail.sent goes out first.
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

  const { smtpCode, enhancedCode, response } = report;
  await tx.messageRecipient.update({
    where: { id: recipient.id },
    data: { status: report.kind, smtpCode, enhancedCode, response },
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

/** The MTA has the message whose answer was lost. */
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

// A local part may be case-sensitive where it goes, but an MTA may also fold it.
function findRecipient(recipients: Recipient[], address: string): Recipient | undefined {
  const folded = address.toLowerCase();
  return (
    recipients.find((recipient) => recipient.address === address) ??
    recipients.find((recipient) => recipient.address.toLowerCase() === folded)
  );
}

async function addToTrace(tx: Tx, { id }: LockedMessage, recipient: string, report: DeliveryReport): Promise<void> {
  const { kind, at, smtpCode, enhancedCode, response, remoteMta } = report;
  const detail = { smtp_code: smtpCode, enhanced_code: enhancedCode, response, remote_mta: remoteMta };
  await tx.messageEvent.create({
    data: { messageId: id, type: kind, at, recipient, detail },
    select: { id: true },
  });
}
