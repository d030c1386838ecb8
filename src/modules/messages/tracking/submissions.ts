import type { OutcomeCause } from '@/lib/mail/outcomes';
import { uuidv7 } from '@/lib/uuid';
import type { SubmitOutcome } from '@/mail/submission/submit';
import { encodeEvent } from '@/modules/events/service';
import type { AuditRow } from '@/server/audit';
import { groupCalls } from '@/server/background/group-calls';
import { database, type Tx } from '@/server/database/db';
import { jsonParameter } from '@/server/database/json-parameter';
import { failureReason } from './bounce-category';
import { WAIT_FOR_SENDS } from './in-flight';
import { lockMessage, type SentMessage, sentEvent } from './locked-message';
import { outcomeEvent } from './outcome-event';

/** A message as it was submitted, with the addresses of all its recipients. */
type SubmittedMessage = SentMessage & { recipients: readonly string[] };

export type Submission = {
  message: SubmittedMessage;
  outcome: SubmitOutcome;
  at: Date;
  /** Stored with the outcome, if the submission has an audit entry of its own. */
  entry?: AuditRow | null;
};

/**
 * Records the mail server's reply to a submission in one statement. A delivery report that was recorded first is kept. A
 * refused message no longer counts against the hourly limits.
 */
export async function recordAlone(db: Tx, submission: Submission): Promise<void> {
  await db.$executeRaw`/* prepared */
    SELECT record_submissions(${jsonParameter([encodeSubmission(submission)])}::jsonb, false)`;
}

/**
 * Records the reply in one statement with those of other messages that come at the same time. A message that another
 * transaction has locked is recorded alone, so that nothing waits for it. So is a refused one, which locks counts as well.
 */
export async function recordSubmission(submission: Submission): Promise<void> {
  if (submission.outcome.outcome !== 'refused' && (await recordUnlocked(submission))) return;
  await recordAlone(database(), submission);
}

const recordUnlocked = groupCalls(
  async (submissions: Submission[]) => {
    const [result] = await database().$queryRaw<{ recorded: string[] }[]>`/* prepared */
      SELECT record_submissions(${jsonParameter(submissions.map(encodeSubmission))}::jsonb, true) AS recorded`;
    const recorded = new Set(result?.recorded);
    return submissions.map(({ message }) => recorded.has(message.id));
  },
  { maxRunning: 1, maxItems: 25, ...WAIT_FOR_SENDS },
);

/** Returns a submission as the SQL function record_submissions stores it. `reply` has columns of message_recipient. */
function encodeSubmission({ message, outcome, at, entry = null }: Submission): object {
  const queueId = outcome.outcome === 'accepted' ? outcome.queueId : null;
  return {
    id: message.id,
    at,
    status: STATUS_OF[outcome.outcome],
    queue_id: queueId,
    reply: replyOf(outcome),
    trace: { id: uuidv7(), ...traceOf(outcome) },
    events: eventsOf(message, outcome, at).map(encodeEvent),
    rejected: rejectedOf(message, outcome, at),
    entry,
  };
}

function eventsOf(message: SubmittedMessage, outcome: SubmitOutcome, at: Date) {
  if (outcome.outcome === 'uncertain') return [];
  if (outcome.outcome === 'accepted') return [sentEvent(message, at)];
  const failed = { kind: 'failed', queueId: null, remoteMta: null, at, ...answerOf(outcome) } as const;
  return message.recipients.map((address) => outcomeEvent(message, address, failed));
}

/** The recipients that the mail server refused although it accepted the message. */
function rejectedOf(message: SubmittedMessage, outcome: SubmitOutcome, at: Date): object[] {
  if (outcome.outcome !== 'accepted') return [];
  const { queueId } = outcome;
  return outcome.refusedRecipients.map(({ address, ...answer }) => {
    const reply = { ...answer, cause: 'rejected' } as const;
    const event = outcomeEvent(message, address, { kind: 'failed', queueId, remoteMta: null, at, ...reply });
    const trace = { id: uuidv7(), type: 'refused', detail: detailOf(reply) };
    return { address, reply: columnsOf(reply), trace, event: encodeEvent(event) };
  });
}

type Reply = { cause: OutcomeCause; smtpCode: number | null; enhancedCode: string | null; response: string };

const STATUS_OF = { accepted: 'sent', refused: 'failed', uncertain: 'uncertain' } as const;

function replyOf(outcome: SubmitOutcome): object {
  if (outcome.outcome === 'uncertain') return {};
  if (outcome.outcome === 'accepted') return { smtp_code: 250, response: outcome.response };
  return columnsOf(outcome);
}

function columnsOf(reply: Reply): object {
  return { ...detailOf(reply), category: failureReason(reply.cause, reply.enhancedCode) };
}

function answerOf({ cause, smtpCode, enhancedCode, response }: Reply): Reply {
  return { cause, smtpCode, enhancedCode, response };
}

function traceOf(outcome: SubmitOutcome): { type: string; detail: object } {
  if (outcome.outcome === 'uncertain') return { type: 'uncertain', detail: { reason: outcome.reason } };
  if (outcome.outcome === 'refused') return { type: 'refused', detail: detailOf(outcome) };
  return { type: 'queued', detail: { queue_id: outcome.queueId, response: outcome.response } };
}

function detailOf({ cause, smtpCode, enhancedCode, response }: Reply): object {
  return { cause, smtp_code: smtpCode, enhanced_code: enhancedCode, response };
}

/** Records that a scheduled message, which the caller has locked, isn't sent: status, trace and an event for each recipient. */
export async function recordNotAllowed(
  tx: Tx,
  id: string,
  { reason, at }: { reason: string; at: Date },
): Promise<void> {
  await tx.message.update({ where: { id }, data: { status: 'submitting', createdAt: at }, select: { id: true } });
  await tx.messageRecipient.updateMany({ where: { messageId: id }, data: { status: 'submitting', createdAt: at } });
  await tx.messageTag.updateMany({ where: { messageId: id }, data: { createdAt: at } });
  const recipients = await tx.messageRecipient.findMany({ where: { messageId: id }, select: { address: true } });
  const message = { ...(await lockMessage(tx, id)), recipients: recipients.map(({ address }) => address) };
  const reply = { smtpCode: null, enhancedCode: null, response: reason };
  const refused = { outcome: 'refused', cause: 'not_allowed', isTemporary: false } as const;
  await recordAlone(tx, { message, outcome: { ...refused, ...reply, refusedRecipients: [] }, at });
}
