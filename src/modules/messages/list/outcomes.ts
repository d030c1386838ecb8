import type { Tx } from '@/server/db';
import { MESSAGE_STATUSES, type MessageStatus, type MessageSummary } from '../schema';

type Outcomes = MessageSummary['outcomes'];
type Count = { id: string; status: MessageStatus; recipients: number };

/** Counts the recipients of each message by status. */
export async function findOutcomes(db: Tx, ids: string[]): Promise<Map<string, Outcomes>> {
  const counts = await db.$queryRaw<Count[]>`/* prepared */
    SELECT message_id AS id, status, count(*)::int AS recipients
      FROM message_recipient WHERE message_id = ANY(${ids}::uuid[])
     GROUP BY message_id, status`;
  const found = new Map<string, Outcomes>(ids.map((id) => [id, []]));
  for (const { id, status, recipients } of counts) found.get(id)?.push({ status, recipients });
  for (const outcomes of found.values()) outcomes.sort(inOrder);
  return found;
}

export function countOutcomes(recipients: readonly { status: MessageStatus }[]): Outcomes {
  const counts = new Map<MessageStatus, number>();
  for (const { status } of recipients) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts].map(([status, count]) => ({ status, recipients: count })).sort(inOrder);
}

function inOrder(one: Outcomes[number], other: Outcomes[number]): number {
  return MESSAGE_STATUSES.indexOf(one.status) - MESSAGE_STATUSES.indexOf(other.status);
}
