import type { DeliveryReport } from '@/mail/delivery-report';
import { oneLine } from '@/mail/submission/smtp-reply';
import type { Tx } from '@/server/database/db';
import { failureReason } from './bounce-category';
import { type FailureReason, finalReply } from './failure-reason';
import { isFinal, isUnanswered, sentEvent } from './locked-message';
import { outcomeEvent } from './outcome-event';
import {
  type Changes,
  lockReported,
  noChanges,
  type ReportedMessage,
  type ReportedRecipient,
  saveChanges,
} from './reported';
import { unknownRecipient } from './unknown-recipient';

/** A report in the mail server's log about a whole message. */
type QueueReport = Pick<DeliveryReport, 'messageId' | 'at'> & { queueId: string };

export type Report =
  | DeliveryReport
  /** A server says that the message still waits there, or that it went on to one that sends no reports. */
  | (Omit<DeliveryReport, 'kind' | 'cause' | 'delaySeconds'> & { kind: 'delayed' | 'relayed' })
  /** The message was accepted, whether its submission got a reply or not. */
  | (QueueReport & { kind: 'accepted' })
  /** It left the queue: every recipient without a final status failed. */
  | (QueueReport & { kind: 'removed'; reason: FailureReason });

type RecordResult = 'recorded' | 'repeated' | 'unknown';

/**
 * Records reports in the given order, in the caller's transaction: statuses, traces and events. A recipient's status only
 * moves from no result to deferred to final, and from delivered to bounced if the receiving server reports that later. Repeated
 * reports and those that come too late change nothing. The message's status follows from them, in
 * the SQL function message_status_of. A report that arrives before the reply
 * to the submission is stored, or after that reply was lost, also marks the message as accepted.
 */
export async function recordReports(tx: Tx, reports: readonly Report[]): Promise<RecordResult[]> {
  const messages = await lockReported(tx, reports);
  const results: RecordResult[] = [];
  let changes = noChanges();
  for (const [index, report] of reports.entries()) {
    const message = messages[index];
    // Statistics count every status that is stored, so one that is replaced soon is stored first.
    const isDeferred = ({ recipients }: ReportedMessage) => recipients.some(({ status }) => status === 'deferred');
    if (message && isDeferred(message) && report.kind !== 'deferred' && changes.messages.has(message)) {
      await saveChanges(tx, changes);
      changes = noChanges();
    }
    results.push(message ? apply(report, message, changes) : 'unknown');
  }
  await saveChanges(tx, changes);
  return results;
}

export async function recordReport(tx: Tx, report: Report): Promise<RecordResult> {
  const [result] = await recordReports(tx, [report]);
  return result as RecordResult;
}

function apply(report: Report, message: ReportedMessage, changes: Changes): RecordResult {
  const { queueId } = report;
  // Another report may have stored the queue id only now.
  if (queueId !== null && message.queueId !== null && message.queueId !== queueId) return 'unknown';
  if (message.status === 'scheduled' && !message.isHeld) return 'unknown';
  if (report.kind === 'accepted') return settle(report, message, changes);
  if (report.kind !== 'removed') {
    const recipient = findRecipient(message.recipients, report.recipient);
    if (!recipient) return 'unknown';
    if (!('cause' in report)) return addNotice(report, message, recipient, changes);
    return applyOutcome(report, message, recipient, changes);
  }
  const result = settle(report, message, changes);
  const waiting = message.queueId === queueId ? message.recipients.filter(({ status }) => !isFinal(status)) : [];
  for (const recipient of waiting) {
    const { address, smtp_code: smtpCode, response } = recipient;
    const { messageId, at } = report;
    const reply = finalReply(report.reason, { smtpCode, response });
    const failed = { kind: 'failed', messageId, queueId, recipient: address, remoteMta: null, at, ...reply } as const;
    applyOutcome(failed, message, recipient, changes);
  }
  return waiting.length > 0 ? 'recorded' : result;
}

/** Marks a message as accepted whose submission has no reply yet, or has lost it, also with a database that was put back. */
function settle(
  { queueId, at }: Pick<Report, 'queueId' | 'at'>,
  message: ReportedMessage,
  changes: Changes,
): RecordResult {
  if (!isUnanswered(message) && !message.isHeld) return 'repeated';
  for (const recipient of message.recipients.filter((each) => isUnanswered(each) || each.status === 'scheduled')) {
    recipient.status = 'sent';
    changes.recipients.add(recipient);
  }
  if (message.isHeld) changes.left.add(message);
  Object.assign(message, { status: 'sent', isHeld: false });
  message.queueId ??= queueId;
  changes.messages.add(message);
  changes.trace.push({ messageId: message.id, type: 'queued', at, detail: { queue_id: queueId } });
  changes.events.push(sentEvent(message, at));
  return 'recorded';
}

/** Only the trace has it: the message may still be delivered. */
function addNotice(
  { kind, smtpCode, enhancedCode, response, remoteMta, at }: Extract<Report, { kind: 'delayed' | 'relayed' }>,
  message: ReportedMessage,
  { address: recipient }: ReportedRecipient,
  changes: Changes,
): RecordResult {
  const detail = { smtp_code: smtpCode, enhanced_code: enhancedCode, response, remote_mta: remoteMta };
  changes.messages.add(message);
  changes.trace.push({ messageId: message.id, type: kind, at, recipient, detail });
  return 'recorded';
}

function applyOutcome(
  given: DeliveryReport,
  message: ReportedMessage,
  recipient: ReportedRecipient,
  changes: Changes,
): RecordResult {
  const isLate = given.cause === 'bounce_report';
  // All recipients know the bounce address of the message, and one could report another, whose server hasn't answered yet.
  const isProven = !isLate || message.recipients.length === 1;
  const isOpen = (isProven && !isFinal(recipient.status)) || (isLate && recipient.status === 'delivered');
  if (!isOpen || recipient.status === given.kind) return 'repeated';
  settle(given, message, changes);
  const response = oneLine(given.response);
  const remoteMta = given.remoteMta && oneLine(given.remoteMta);
  const { kind, cause, smtpCode, enhancedCode, at } = given;
  const reply = { cause, smtp_code: smtpCode, enhanced_code: enhancedCode, response };
  const result =
    kind === 'delivered'
      ? { category: null, delivered_at: at }
      : { category: failureReason(cause, enhancedCode), delivered_at: null };
  Object.assign(recipient, { status: kind, ...reply, ...result });
  message.queueId ??= given.queueId;
  changes.messages.add(message);
  changes.recipients.add(recipient);
  const { id: messageId, queueId } = message;
  const detail = { ...reply, remote_mta: remoteMta, ...(isLate && { late: true }) };
  changes.trace.push({ messageId, type: kind, at, recipient: recipient.address, detail });
  changes.events.push(outcomeEvent(message, recipient.address, { ...given, response, remoteMta, queueId }));
  const unknown =
    kind === 'bounced' && isProven ? unknownRecipient(recipient.address, { smtpCode, enhancedCode, response }) : null;
  if (unknown) {
    const { address } = recipient;
    changes.suppressions.push({
      message,
      address,
      detail: response,
      enhancedCode,
      needsEarlier: unknown === 'repeated',
      at,
    });
  }
  return 'recorded';
}

// Local parts can be case-sensitive, but mail servers may lower-case them: an exact match comes first.
function findRecipient(recipients: ReportedRecipient[], address: string): ReportedRecipient | undefined {
  const folded = address.toLowerCase();
  return (
    recipients.find((recipient) => recipient.address === address) ??
    recipients.find((recipient) => recipient.address.toLowerCase() === folded)
  );
}
