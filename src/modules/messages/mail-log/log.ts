import { APP_LOGIN } from '@/mail/agent/installation';
import type { LogPosition } from '@/mail/log/log-files';
import type { LogEntry } from '@/mail/log/log-line';
import type { Database, Tx } from '@/server/db';
import { lockInbound } from '../inbound/message-row';
import { recordOutcome, settleAsAccepted } from '../tracking/outcomes';
import { advanceCursor, type Cursor } from './cursor';
import { attemptCause, DELETED, EXPIRED, UNKNOWN } from './failure-reason';
import { storeRejected } from './filter-entries';
import { failUndelivered, recordUndelivered, settleUndelivered } from './inbound/undelivered';
import { fieldsOf, findLoggedMail, type LoggedMail, storeFields } from './logged-mail';
import { addRecipient, createSubmitted, failWaiting, recordQueueChange } from './outbound/submitted';

export type LogChunk = { entries: readonly LogEntry[]; position: LogPosition };

type DeliveryEntry = Extract<LogEntry, { kind: 'delivery' }>;
type UndeliveredEntry = DeliveryEntry & { status: 'deferred' | 'bounced' };

/**
 * Records a chunk of the mail server's log: cursor, statuses, traces and events in one transaction. The filter's entries
 * for these messages must be recorded first.
 */
export function recordLog(db: Database, from: Cursor, { entries, position }: LogChunk): Promise<Cursor> {
  const to = { file: position.file, position: String(position.offset) };
  return advanceCursor(db, from, to, entries, async (tx, rest, { each, together }) => {
    const fields = fieldsOf(rest);
    const undelivered = rest.filter(affectsUndelivered).map(({ queueId }) => queueId);
    if (undelivered.length > 0) await lockInbound(tx, undelivered);
    await storeFields(tx, fields);
    const queueIds = fields.map(({ queueId }) => queueId);
    const logged = await findLoggedMail(tx, queueIds);
    await each(async (entry) => {
      const mail = logged.get(entry.queueId);
      if (mail) await record(tx, entry, mail);
      if (isUndelivered(entry)) await recordUndelivered(tx, entry);
    });
    await together(async (shown) => {
      await storeDeliveries(tx, shown);
      await markRemoved(tx, shown);
    });
    if (undelivered.length > 0) await settleUndelivered(tx, undelivered);
  });
}

function isUndelivered(entry: LogEntry): entry is UndeliveredEntry {
  return entry.kind === 'delivery' && entry.status !== 'sent';
}

/** Whether the entry can change the status of undelivered inbound mail. */
function affectsUndelivered(entry: LogEntry): boolean {
  return isUndelivered(entry) || entry.kind === 'expired' || entry.kind === 'deleted';
}

async function record(tx: Tx, entry: LogEntry, mail: LoggedMail): Promise<void> {
  const { queueId, at } = entry;
  switch (entry.kind) {
    case 'queued':
      if (isSubmitted(mail)) await createSubmitted(tx, mail, at);
      return;
    case 'delivery':
      if (mail.login !== null) await recordDelivery(tx, entry, mail);
      return;
    case 'expired':
      await settleOwnSubmission(tx, entry, mail);
      await failWaiting(tx, queueId, at, EXPIRED);
      return failUndelivered(tx, queueId, at, EXPIRED);
    case 'deleted':
      await settleOwnSubmission(tx, entry, mail);
      await failWaiting(tx, queueId, at, DELETED);
      return failUndelivered(tx, queueId, at, DELETED);
    case 'held':
    case 'released':
      await settleOwnSubmission(tx, entry, mail);
      return recordQueueChange(tx, queueId, entry.kind, at);
    case 'removed':
      if (mail.login !== null) {
        await settleOwnSubmission(tx, entry, mail);
        await failWaiting(tx, queueId, at, UNKNOWN);
      }
      return;
    case 'rejected':
      return storeRejection(tx, entry, mail);
  }
}

/** Whether a mailbox submitted the message by SMTP. Messages submitted by the app already have a row. */
function isSubmitted({ login }: LoggedMail): boolean {
  return login !== null && login !== APP_LOGIN;
}

/** A queue action can be the first evidence that a message submitted by the app was accepted. */
async function settleOwnSubmission(tx: Tx, { queueId, at }: LogEntry, { login, messageId }: LoggedMail): Promise<void> {
  if (login === APP_LOGIN && messageId !== null) await settleAsAccepted(tx, { messageId, queueId, at });
}

async function recordDelivery(tx: Tx, entry: DeliveryEntry, mail: LoggedMail): Promise<void> {
  const { status, addressedTo, remoteMta, delaySeconds, enhancedCode, smtpCode, response, at, queueId } = entry;
  if (isSubmitted(mail)) await addRecipient(tx, queueId, addressedTo);
  await recordOutcome(tx, {
    kind: status === 'sent' ? 'delivered' : status,
    // Mail programs choose Message-IDs freely, so only those assigned by the app are trusted.
    messageId: isSubmitted(mail) ? null : mail.messageId,
    queueId,
    recipient: addressedTo,
    cause: status === 'sent' ? null : attemptCause(entry),
    smtpCode,
    enhancedCode,
    response,
    remoteMta,
    delaySeconds,
    at,
  });
}

/** Stores deliveries to mailboxes, and those that an alias forwarded to an external address. */
async function storeDeliveries(tx: Tx, entries: readonly LogEntry[]): Promise<void> {
  const data = entries.flatMap((entry) => {
    if (entry.kind !== 'delivery' || entry.status !== 'sent') return [];
    const { queueId, recipient, addressedTo, agent, at } = entry;
    const isForwarded = agent !== 'lmtp';
    if (isForwarded && recipient === addressedTo) return [];
    return [{ queueId, recipient: recipient.toLowerCase(), addressedTo: addressedTo.toLowerCase(), isForwarded, at }];
  });
  if (data.length > 0) await tx.inboundDelivery.createMany({ data, skipDuplicates: true });
}

async function markRemoved(tx: Tx, entries: readonly LogEntry[]): Promise<void> {
  const removed = entries.filter(({ kind }) => kind === 'removed' || kind === 'deleted');
  if (removed.length === 0) return;
  const at = new Map(removed.map((entry) => [entry.queueId, entry.at]));
  await tx.$executeRaw`/* prepared */
    UPDATE logged_mail m SET removed_at = removed.at
      FROM unnest(${[...at.keys()]}::text[], ${[...at.values()]}::timestamptz[]) AS removed(queue_id, at)
     WHERE m.queue_id = removed.queue_id`;
}

// The filter's stream reports rejected mail with all recipients. If it does not (Redis unavailable, or GTUBE, where Rspamd
// skips Lua), the recipients are read from the filter's log when the mail is reported.
async function storeRejection(
  tx: Tx,
  { queueId, enhancedCode, from, to, at }: Extract<LogEntry, { kind: 'rejected' }>,
  { login, verdict }: LoggedMail,
): Promise<void> {
  if (login !== null || verdict !== null || !enhancedCode.startsWith('5')) return;
  await storeRejected(tx, queueId, [to], at);
  await tx.loggedMail.update({
    where: { queueId },
    data: { mailFrom: from, verdict: { action: 'reject' } },
    select: { queueId: true },
  });
}
