import type { Database, Tx } from '@/server/db';
import { type Counting, countSend, type OverLimit, type SendContext } from './rates';

type Sender = { id: string; domain: string; address: string };

/** Ends the transaction that would have counted a message that is only about to be made. */
class NotRefused extends Error {}

/**
 * Returns why a message from this address is refused now, or null if it seems to be allowed. A refused message is recorded as such, as in
 * every send; one that is allowed is counted only when it is submitted.
 */
export async function findRefusal(
  { db, clock }: SendContext & { db: Database },
  { id, domain: name, address }: Sender,
): Promise<OverLimit | null> {
  const at = clock.now();
  const domain = await findLimited(db, { name, address, at });
  if (!domain) return null;
  return db
    .$transaction(async (tx) => {
      const counting: Counting = await countSend(tx, { id, address, domainId: domain.id, at });
      if (counting.result === 'counted') throw new NotRefused();
      return { domain, address, counting };
    })
    .catch((error) => {
      if (error instanceof NotRefused) return null;
      throw error;
    });
}

/** The domain, if the sums that count_sends keeps are at a limit, or the mailbox is suspended. Reads what has left the hour since, and locks nothing. */
async function findLimited(db: Tx, given: { name: string; address: string; at: Date }) {
  const { name, address, at } = given;
  const [domain] = await db.$queryRaw<OverLimit['domain'][]>`/* prepared */
    WITH sender AS MATERIALIZED (
      SELECT d.id, d.name, m.suspended_at, t.mailbox_hourly, coalesce(d.hourly_send_limit, t.domain_hourly) AS domain_hourly,
             ${at}::timestamptz - interval '1 hour' AS hour_ago,
             greatest(${at}::timestamptz - interval '1 hour', m.rate_counted_from - interval '1 millisecond') AS counted_from
        FROM domain d CROSS JOIN abuse_threshold t
             LEFT JOIN mailbox m ON m.domain_id = d.id AND m.local_part = split_part(${address}, '@', 1)
       WHERE d.name = ${name}
    )
    SELECT id, name FROM sender
     WHERE suspended_at IS NOT NULL
        OR EXISTS (SELECT FROM send_window w
                    WHERE w.subject = ${address} AND w.since >= hour_ago - interval '1 hour'
                      AND w.sent - CASE WHEN w.since < counted_from
                                        THEN count_sends_between(${address}, id, w.since, counted_from) ELSE 0 END >= mailbox_hourly)
        OR EXISTS (SELECT FROM send_window w
                    WHERE w.subject = id::text AND w.since >= hour_ago - interval '1 hour'
                      AND w.sent - CASE WHEN w.since < hour_ago
                                        THEN count_sends_between(NULL, id, w.since, hour_ago) ELSE 0 END >= domain_hourly)`;
  return domain;
}
