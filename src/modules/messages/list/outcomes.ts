import { MESSAGE_STATUSES } from '@/lib/mail/outcomes';
import type { Tx } from '@/server/database/db';
import type { MessageStatus, MessageSummary } from '../schema';

type Outcomes = MessageSummary['outcomes'];
type Count = { id: string; status: MessageStatus; recipients: number; isHeld: boolean };
type Found = { outcomes: Outcomes; isHeld: boolean };

/** Counts the recipients of each message by status, and says whether it is on hold. */
export async function findOutcomes(db: Tx, ids: string[]): Promise<Map<string, Found>> {
  const counts = await db.$queryRaw<Count[]>`/* prepared */
    SELECT message_id AS id, status, count(*)::int AS recipients,
           CASE WHEN status IN ('sent', 'deferred') THEN coalesce((
             SELECT e.type = 'held' FROM message_event e
              WHERE e.message_id = r.message_id AND e.type IN ('held', 'released')
              ORDER BY e.at DESC, e.id DESC LIMIT 1), false) ELSE false END AS "isHeld"
      FROM message_recipient r WHERE message_id = ANY(${ids}::uuid[])
     GROUP BY message_id, status`;
  const found = new Map<string, Found>(ids.map((id) => [id, { outcomes: [], isHeld: false }]));
  for (const { id, status, recipients, isHeld } of counts) {
    const message = found.get(id);
    message?.outcomes.push({ status, recipients });
    if (message && isHeld) message.isHeld = true;
  }
  for (const { outcomes } of found.values()) outcomes.sort(inOrder);
  return found;
}

/** Whether a message with these recipients and events, the oldest first, is on hold. */
export function isOnHold(
  recipients: readonly { status: MessageStatus }[],
  events: readonly { type: string }[],
): boolean {
  if (!recipients.some(({ status }) => status === 'sent' || status === 'deferred')) return false;
  return events.findLast(({ type }) => type === 'held' || type === 'released')?.type === 'held';
}

export function countOutcomes(recipients: readonly { status: MessageStatus }[]): Outcomes {
  const counts = new Map<MessageStatus, number>();
  for (const { status } of recipients) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts].map(([status, count]) => ({ status, recipients: count })).sort(inOrder);
}

function inOrder(one: Outcomes[number], other: Outcomes[number]): number {
  return MESSAGE_STATUSES.indexOf(one.status) - MESSAGE_STATUSES.indexOf(other.status);
}
