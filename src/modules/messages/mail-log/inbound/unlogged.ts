import type { MessageCopies } from '@/mail/agent/message-copies';
import type { LogEntry } from '@/mail/log/log-line';
import type { Database } from '@/server/database/db';
import { log } from '@/server/log';
import { resolveRecipient } from '../../inbound/receive';
import { metaOf } from '../filter-meta';
import { type LoggedDelivery, storeDeliveries } from '../logged-mail';

// The results are logged before a message leaves the queue; the filter's entry can take longer.
const LOOK_AFTER_MS = 10_000;
// While Dovecot or Postgres is away.
const GIVE_UP_AFTER_MS = 10 * 60_000;

/**
 * Finds deliveries that the log doesn't show: if Postfix's logger is killed together with the rest, what the other processes had
 * just handed to it is lost, and only the next start of Postfix says that the message left the queue. Its recipients without a
 * result are looked up, and their mailboxes are searched for the message.
 */
export function createUnloggedFinder(db: Database, copies: MessageCopies) {
  const waiting = new Map<string, Date>();

  async function look(queueId: string, removedAt: Date): Promise<void> {
    const found: LoggedDelivery[] = [];
    for (const recipient of await recipientsWithoutResult(db, queueId)) {
      for (const mailbox of await mailboxesOf(db, recipient))
        if (await copies.fetch(mailbox, queueId, 'hdr'))
          found.push({ queueId, recipient: mailbox, addressedTo: recipient, isForwarded: false, at: removedAt });
    }
    if (found.length === 0) return;
    log.warn({ queue_id: queueId }, 'a delivery is missing in the mail log, and is recorded as the mailbox shows it');
    await db.$transaction((tx) => storeDeliveries(tx, found));
  }

  return {
    /** Notes mail that left the queue. */
    note(entries: readonly LogEntry[]): void {
      for (const { kind, queueId, at } of entries) if (kind === 'removed') waiting.set(queueId, at);
    },
    /** Looks for what was noted some seconds ago. */
    async find(now: Date): Promise<void> {
      const due = [...waiting].filter(([, at]) => now.getTime() - at.getTime() >= LOOK_AFTER_MS);
      const incomplete = await withoutResults(
        db,
        due.map(([queueId]) => queueId),
      );
      for (const [queueId, at] of due) {
        if (!incomplete.has(queueId)) {
          waiting.delete(queueId);
          continue;
        }
        try {
          await look(queueId, at);
          waiting.delete(queueId);
        } catch (error) {
          log.warn({ queue_id: queueId, error }, 'cannot search mailboxes for a delivery, retrying');
          if (now.getTime() - at.getTime() > GIVE_UP_AFTER_MS) waiting.delete(queueId);
        }
      }
    },
  };
}

/** Returns the messages from outside that have fewer results than recipients. */
async function withoutResults(db: Database, queueIds: string[]): Promise<Set<string>> {
  if (queueIds.length === 0) return new Set();
  const rows = await db.$queryRaw<{ queueId: string }[]>`/* prepared */
    SELECT l.queue_id AS "queueId"
      FROM unnest(${queueIds}::text[]) AS given(queue_id)
      JOIN logged_mail l ON l.queue_id = given.queue_id
     WHERE l.login IS NULL AND jsonb_typeof(l.verdict -> 'recipients') = 'array'
       AND jsonb_array_length(l.verdict -> 'recipients')
           > (SELECT count(DISTINCT d.addressed_to) FROM inbound_delivery d WHERE d.queue_id = l.queue_id)`;
  return new Set(rows.map(({ queueId }) => queueId));
}

/** Recipients of the envelope, in lower case, of whom neither a delivery nor a bounce is known. */
async function recipientsWithoutResult(db: Database, queueId: string): Promise<string[]> {
  const mail = await db.loggedMail.findUnique({ where: { queueId }, select: { verdict: true } });
  const recipients = (mail && metaOf(mail)?.recipients) ?? [];
  const [deliveries, known] = await Promise.all([
    db.inboundDelivery.findMany({ where: { queueId }, select: { addressedTo: true } }),
    db.messageRecipient.findMany({
      where: { message: { queueId, direction: 'inbound' }, status: { not: 'deferred' } },
      select: { address: true },
    }),
  ]);
  const results = new Set([
    ...deliveries.map(({ addressedTo }) => addressedTo),
    ...known.map(({ address }) => address),
  ]);
  return [...new Set(recipients.map((recipient) => recipient.toLowerCase()))].filter((each) => !results.has(each));
}

async function mailboxesOf(db: Database, recipient: string): Promise<string[]> {
  const resolution = await resolveRecipient(db, recipient);
  if (!resolution.isAccepted) return [];
  return resolution.destinations.flatMap(({ address, domainId, reports }) => (domainId && !reports ? [address] : []));
}
