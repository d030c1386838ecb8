import { APP_LOGIN } from '@/mail/agent/installation';
import type { LogPosition } from '@/mail/agent/logs/log-files';
import type { LogEntry } from '@/mail/agent/logs/log-line';
import type { Database, Tx } from '@/server/db';
import { lockInbound } from '../inbound/message-row';
import { recordOutcome, settleAsAccepted } from '../tracking/outcomes';
import { type Cursor, advanceCursor } from './cursor';
import { storeRejected } from './filter-entries';
import { failUndelivered, recordUndelivered, settleUndelivered } from './inbound/undelivered';
import { addRecipient, createSubmitted, failWaiting, recordQueueChange } from './outbound/submitted';
import { storeFields, fieldsOf, findLoggedMail, type LoggedMail } from './logged-mail';

export type LogChunk = { entries: readonly LogEntry[]; position: LogPosition };

type DeliveryEntry = Extract<LogEntry, { kind: 'delivery' }>;
type UndeliveredEntry = DeliveryEntry & { status: 'deferred' | 'bounced' };

/**
 * Records what a piece of the mail server's log tells: the cursor, statuses, traces and events in one transaction. The
 * lines are in order, and nothing of them waits for anything else but the verdicts of the filter, which come before.
 */
export function recordLog(db: Database, from: Cursor, { entries, position }: LogChunk): Promise<Cursor> {
  const to = { file: position.file, position: String(position.offset) };
  return advanceCursor(db, from, to, entries, async (tx, rest, each) => {
    const facts = fieldsOf(rest);
    const undelivered = rest.filter(affectsUndelivered).map(({ queueId }) => queueId);
    if (undelivered.length > 0) await lockInbound(tx, undelivered);
    await storeFields(tx, facts);
    const queueIds = facts.map(({ queueId }) => queueId);
    const transits = await findLoggedMail(tx, queueIds);
    await each(async (entry) => {
      const transit = transits.get(entry.queueId);
      if (transit) await record(tx, entry, transit);
      if (isUndelivered(entry)) await recordUndelivered(tx, entry);
    });
    if (undelivered.length > 0) await settleUndelivered(tx, undelivered);
  });
}

function isUndelivered(entry: LogEntry): entry is UndeliveredEntry {
  return entry.kind === 'delivery' && entry.status !== 'sent';
}

/** Whether it may change what is known of mail that did not arrive. */
function affectsUndelivered(entry: LogEntry): boolean {
  return isUndelivered(entry) || entry.kind === 'expired' || entry.kind === 'deleted';
}

async function record(tx: Tx, entry: LogEntry, transit: LoggedMail): Promise<void> {
  const { queueId, at } = entry;
  switch (entry.kind) {
    case 'queued':
      if (isSubmitted(transit)) await createSubmitted(tx, transit, at);
      return;
    case 'delivery':
      if (transit.login !== null) await recordDelivery(tx, entry, transit);
      if (entry.status === 'sent') await storeDelivery(tx, entry);
      return;
    case 'expired':
      await settleOwnSubmission(tx, entry, transit);
      await failWaiting(tx, queueId, at, EXPIRED);
      return failUndelivered(tx, queueId, at, EXPIRED);
    case 'deleted':
      await settleOwnSubmission(tx, entry, transit);
      await failWaiting(tx, queueId, at, DELETED);
      await failUndelivered(tx, queueId, at, DELETED);
      return markRemoved(tx, queueId, at);
    case 'held':
    case 'released':
      await settleOwnSubmission(tx, entry, transit);
      return recordQueueChange(tx, queueId, entry.kind, at);
    case 'removed':
      return markRemoved(tx, queueId, at);
    case 'rejected':
      return storeRejection(tx, entry, transit);
  }
}

const EXPIRED = { enhancedCode: '4.4.7', response: 'The mail server tried for as long as it may.' };
const DELETED = { enhancedCode: null, response: 'An admin deleted the message from the queue.' };

/** Whether a mailbox submitted it by SMTP; the app's own messages have their rows already. */
function isSubmitted({ login }: LoggedMail): boolean {
  return login !== null && login !== APP_LOGIN;
}

/** What is done to it in the queue may be the first that is known of the app's own message. */
async function settleOwnSubmission(tx: Tx, { queueId, at }: LogEntry, { login, messageId }: LoggedMail): Promise<void> {
  if (login === APP_LOGIN && messageId !== null) await settleAsAccepted(tx, { messageId, queueId, at });
}

async function recordDelivery(tx: Tx, entry: DeliveryEntry, transit: LoggedMail): Promise<void> {
  const { status, addressedTo, remoteMta, delaySeconds, enhancedCode, smtpCode, response, at, queueId } = entry;
  if (isSubmitted(transit)) await addRecipient(tx, queueId, addressedTo);
  await recordOutcome(tx, {
    kind: status === 'sent' ? 'delivered' : status,
    // Programs choose their Message-IDs freely: those of the app's messages are known to be its own.
    messageId: isSubmitted(transit) ? null : transit.messageId,
    queueId,
    recipient: addressedTo,
    smtpCode,
    enhancedCode,
    response,
    remoteMta,
    delaySeconds,
    at,
  });
}

/** It reached a mailbox, or an alias sent it elsewhere. */
async function storeDelivery(tx: Tx, { queueId, recipient, addressedTo, agent, at }: DeliveryEntry): Promise<void> {
  const isForwarded = agent !== 'lmtp';
  if (isForwarded && recipient === addressedTo) return;
  const data = { queueId, recipient: recipient.toLowerCase(), addressedTo: addressedTo.toLowerCase(), isForwarded, at };
  await tx.inboundDelivery.createMany({ data: [data], skipDuplicates: true });
}

async function markRemoved(tx: Tx, queueId: string, at: Date): Promise<void> {
  await tx.loggedMail.update({ where: { queueId }, data: { removedAt: at }, select: { queueId: true } });
}

// The stream tells of what was refused, with all recipients. Where it does not, as while Redis is away or where Rspamd
// runs no Lua (GTUBE), the filter's own log is asked when it is told.
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
