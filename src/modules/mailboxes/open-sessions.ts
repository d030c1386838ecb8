import type { Database } from '@/server/database/db';

/** The Postgres channel that reports changes after which sessions may have to end. */
export const SIGN_INS_CHANNEL = 'postroom_sign_ins';

/** A session of a mailbox with the mail server. */
export type OpenSession = { address: string; secondsOpen: number };

/** A session opens this long after its password was compared. */
const SIGN_IN_SECONDS = 2;
/** A process of Postfix may be this old before its session begins (max_idle in master.cf), with some time to end. */
const IDLE_SECONDS = 3;

/**
 * Returns the sessions that have to end: their mailbox or its domain is gone or inactive, or was so since they began, or the
 * mailbox had another password then.
 */
export async function findSessionsToEnd<Session extends OpenSession>(
  db: Database,
  sessions: readonly Session[],
): Promise<Session[]> {
  if (sessions.length === 0) return [];
  const given = sessions.map(({ address, secondsOpen }, index) => ({ index, address, secondsOpen }));
  const rows = await db.$queryRaw<{ index: number }[]>`
    SELECT s.index
      FROM jsonb_to_recordset(${JSON.stringify(given)}::jsonb) AS s(index int, address text, "secondsOpen" float8)
      LEFT JOIN (domain d JOIN mailbox m ON m.domain_id = d.id AND m.active)
        ON d.name = split_part(lower(s.address), '@', 2) AND d.active AND m.local_part = split_part(lower(s.address), '@', 1)
      CROSS JOIN LATERAL (SELECT clock_timestamp() - make_interval(secs => s."secondsOpen") AS at) began
     WHERE m.id IS NULL OR m.created_at > began.at + make_interval(secs => ${IDLE_SECONDS})
        OR greatest(m.sign_ins_valid_from, d.sign_ins_valid_from) + make_interval(secs => ${SIGN_IN_SECONDS}) > began.at`;
  return rows.flatMap(({ index }) => sessions[index] ?? []);
}
