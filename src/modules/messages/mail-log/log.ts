import { APP_LOGIN } from '@/mail/agent/installation';
import type { LogPosition } from '@/mail/log/log-files';
import type { LogEntry } from '@/mail/log/log-line';
import type { Database, Tx } from '@/server/database/db';
import { lockInbound } from '../inbound/message-row';
import { attemptCause, DELETED, EXPIRED, UNKNOWN } from '../tracking/failure-reason';
import { type Report, recordReports } from '../tracking/outcomes';
import { advanceCursor, type Cursor } from './cursor';
import { storeRejected } from './filter-entries';
import { failUndelivered, recordUndelivered, settleUndelivered } from './inbound/undelivered';
import { fieldsOf, type LoggedDelivery, type LoggedMail, storeDeliveries, storeFields } from './logged-mail';
import { addRecipient, createSubmitted, recordQueueChange } from './outbound/submitted';

export type LogChunk = { entries: readonly LogEntry[]; position: LogPosition };

type DeliveryEntry = Extract<LogEntry, { kind: 'delivery' }>;
type UndeliveredEntry = DeliveryEntry & { status: 'deferred' | 'bounced' };

/**
 * Records a chunk of the mail server's log: cursor, statuses, traces and events in one transaction. The filter's entries
 * for these messages must be recorded first.
 */
export function recordLog(db: Database, from: Cursor, { entries, position }: LogChunk): Promise<Cursor> {
  const to = { file: position.file, position: String(position.offset) };
  return advanceCursor(db, from, to, entries, async (tx, rest, together) => {
    const undelivered = rest.filter(affectsUndelivered).map(({ queueId }) => queueId);
    if (undelivered.length > 0) await lockInbound(tx, undelivered);
    const logged = await storeFields(tx, fieldsOf(rest));
    await together(async (shown) => {
      await recordInOrder(tx, shown, logged);
      await storeDeliveries(tx, shown.flatMap(deliveriesIn));
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

/** Reports about outbound messages share statements. Those before a queue action are recorded before it. */
async function recordInOrder(
  tx: Tx,
  entries: readonly LogEntry[],
  logged: ReadonlyMap<string, LoggedMail>,
): Promise<void> {
  const reports: Report[] = [];
  for (const entry of entries) {
    const mail = logged.get(entry.queueId);
    const report = mail && reportIn(entry, mail);
    if (report) reports.push(report);
    if (isQueueAction(entry)) await recordReports(tx, reports.splice(0));
    if (mail) await record(tx, entry, mail);
    if (isUndelivered(entry)) await recordUndelivered(tx, entry);
  }
  await recordReports(tx, reports);
}

/** Returns the report in an entry about an outbound message. Every entry is evidence that the message was accepted. */
function reportIn(entry: LogEntry, mail: LoggedMail): Report | null {
  const { queueId, at } = entry;
  // Mail programs choose Message-IDs freely, so only those assigned by the app are trusted.
  const about = { messageId: mail.login === APP_LOGIN ? mail.messageId : null, queueId, at };
  switch (entry.kind) {
    case 'delivery':
      return mail.login === null ? null : { ...about, ...outcomeIn(entry) };
    case 'expired':
      return { ...about, kind: 'removed', reason: EXPIRED };
    case 'deleted':
      return { ...about, kind: 'removed', reason: DELETED };
    case 'removed':
      return mail.login === null ? null : { ...about, kind: 'removed', reason: UNKNOWN };
    case 'held':
    case 'released':
      return mail.login === APP_LOGIN ? { ...about, kind: 'accepted' } : null;
    default:
      return null;
  }
}

function outcomeIn(entry: DeliveryEntry) {
  const { status, addressedTo: recipient, remoteMta, delaySeconds, enhancedCode, smtpCode, response } = entry;
  const [kind, cause] = status === 'sent' ? (['delivered', null] as const) : [status, attemptCause(entry)];
  return { kind, cause, recipient, smtpCode, enhancedCode, response, remoteMta, delaySeconds };
}

async function record(tx: Tx, entry: LogEntry, mail: LoggedMail): Promise<void> {
  const { queueId, at } = entry;
  switch (entry.kind) {
    case 'queued':
      if (isSubmitted(mail)) await createSubmitted(tx, mail, at);
      return;
    case 'delivery':
      if (isSubmitted(mail)) await addRecipient(tx, queueId, entry.addressedTo);
      return;
    case 'expired':
      return failUndelivered(tx, queueId, at, EXPIRED);
    case 'deleted':
      return failUndelivered(tx, queueId, at, DELETED);
    case 'held':
    case 'released':
      return recordQueueChange(tx, queueId, entry.kind, at);
    case 'rejected':
      return storeRejection(tx, entry, mail);
  }
}

function isQueueAction({ kind }: LogEntry): boolean {
  return kind === 'held' || kind === 'released';
}

/** Whether a mailbox or an API key submitted the message by SMTP. Messages submitted by the app already have a row. */
function isSubmitted({ login }: LoggedMail): boolean {
  return login !== null && login !== APP_LOGIN;
}

/** A delivery to a mailbox, or one that an alias forwarded to an external address. */
function deliveriesIn(entry: LogEntry): LoggedDelivery[] {
  if (entry.kind !== 'delivery' || entry.status !== 'sent') return [];
  const { queueId, recipient, addressedTo, agent, at } = entry;
  const isForwarded = agent !== 'lmtp';
  if (isForwarded && recipient === addressedTo) return [];
  return [{ queueId, recipient: recipient.toLowerCase(), addressedTo: addressedTo.toLowerCase(), isForwarded, at }];
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
