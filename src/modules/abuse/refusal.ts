import type { Database } from '@/server/db';
import type { AppError } from '@/server/errors';
import { overLimitError, type SendContext } from './rates';

type Limited = {
  id: string;
  name: string;
  isSuspended: boolean;
  isOfAddress: boolean;
  sent: number;
  allowed: number;
  countedFrom: Date;
};

export type Refusal = { domainId: string; isSuspended: boolean; error: () => Promise<AppError> };

/**
 * Returns why a message from this address would be refused now, from the sums that count_sends keeps, or null. Takes no lock and changes
 * nothing: only count_sends, which a submission calls, decides, suspends the mailbox and records what was refused.
 */
export async function findRefusal(
  { db, clock }: SendContext & { db: Database },
  { domain: name, address }: { domain: string; address: string },
): Promise<Refusal | null> {
  const at = clock.now();
  const [limited] = await db.$queryRaw<Limited[]>`/* prepared */
    WITH sender AS MATERIALIZED (
      SELECT d.id, d.name, m.suspended_at, t.mailbox_hourly, coalesce(d.hourly_send_limit, t.domain_hourly) AS domain_hourly,
             ${at}::timestamptz - interval '1 hour' AS hour_ago,
             greatest(${at}::timestamptz - interval '1 hour', m.rate_counted_from - interval '1 millisecond') AS counted_from
        FROM domain d CROSS JOIN abuse_threshold t
             LEFT JOIN mailbox m ON m.domain_id = d.id AND m.local_part = split_part(${address}, '@', 1)
       WHERE d.name = ${name}
    ), sums AS MATERIALIZED (
      SELECT sender.*,
             coalesce((SELECT w.sent - CASE WHEN w.since < counted_from
                                            THEN count_sends_between(${address}, id, w.since, counted_from) ELSE 0 END
                         FROM send_window w WHERE w.subject = ${address} AND w.since >= hour_ago - interval '1 hour'), 0) AS of_address,
             coalesce((SELECT w.sent - CASE WHEN w.since < hour_ago
                                            THEN count_sends_between(NULL, id, w.since, hour_ago) ELSE 0 END
                         FROM send_window w WHERE w.subject = id::text AND w.since >= hour_ago - interval '1 hour'), 0) AS of_domain
        FROM sender
    )
    SELECT id, name, suspended_at IS NOT NULL AS "isSuspended", of_address >= mailbox_hourly AS "isOfAddress",
           CASE WHEN of_address >= mailbox_hourly THEN of_address ELSE of_domain END AS sent,
           CASE WHEN of_address >= mailbox_hourly THEN mailbox_hourly ELSE domain_hourly END AS allowed,
           CASE WHEN of_address >= mailbox_hourly THEN counted_from ELSE hour_ago END AS "countedFrom"
      FROM sums WHERE suspended_at IS NOT NULL OR of_address >= mailbox_hourly OR of_domain >= domain_hourly`;
  if (!limited) return null;
  const { id: domainId, isSuspended, isOfAddress, sent, allowed, countedFrom } = limited;
  const error = async () => {
    const first = await db.countedSend.findFirst({
      where: { ...(isOfAddress ? { address } : { domainId }), at: { gt: countedFrom } },
      orderBy: { at: 'asc' },
      skip: sent - allowed,
      select: { at: true },
    });
    const freeAt = first && new Date(first.at.getTime() + HOUR_MS);
    const result = isOfAddress ? ('address_limit' as const) : ('domain_limit' as const);
    const counting = { result, mailboxId: null, countedFrom, sent, allowed, freeAt };
    return overLimitError({ domain: limited, address, counting }, at);
  };
  return { domainId, isSuspended, error };
}

const HOUR_MS = 3_600_000;
