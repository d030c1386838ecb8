import { thisNode } from '@/server/cluster/this-node';
import type { Database, Tx } from '@/server/db';

/** Longer than an attempt plus storing its outcome, and short enough that a crash delays deliveries only briefly. */
export const LEASE_SECONDS = 25;

/** A delivery that only this process may attempt until the lease ends, and finish only while the token matches. */
export type Claim = { id: string; token: string; webhookId: string; isFailing: boolean };

export type Room = {
  /** How many more attempts may start: for healthy endpoints, and for failing ones. */
  wanted: number;
  wantedFailing: number;
  /** Limits per endpoint: for those in `proven`, and for all others that aren't failing. */
  perEndpoint: number;
  perUnproven: number;
  proven: string[];
};

export async function claimDue(db: Database, room: Room): Promise<Claim[]> {
  const { wanted, wantedFailing, perEndpoint, perUnproven, proven } = room;
  return db.$queryRaw<Claim[]>`/* prepared */
    SELECT delivery_id AS id, token, webhook AS "webhookId", is_failing AS "isFailing"
      FROM claim_webhook_deliveries(${wanted}::int, ${wantedFailing}::int, ${perEndpoint}::int, ${perUnproven}::int,
                                    ${proven}::uuid[], make_interval(secs => ${LEASE_SECONDS}), ${thisNode().id}::uuid)`;
}

/** The data of an attempt. `body` is null if it is stored in parts. */
export type Job = Claim & {
  type: string;
  eventId: string;
  url: string;
  secret: Uint8Array;
  previousSecret: Uint8Array | null;
  attemptCount: number;
  isTest: boolean;
  body: string | null;
  bodyBytes: number;
};

/** In the order of the claims. Leaves out those whose webhook or event was deleted in the meantime. */
export async function loadJobs(db: Database, claims: Claim[]): Promise<Job[]> {
  const rows = await db.$queryRaw<(Omit<Job, keyof Claim> & { id: string })[]>`/* prepared */
    SELECT d.id, d.attempt_count AS "attemptCount", e.id AS "eventId", e.type, e.body, e.body_bytes AS "bodyBytes",
           e.is_test AS "isTest", w.url, w.secret,
           CASE WHEN w.previous_secret_until > now() THEN w.previous_secret END AS "previousSecret"
      FROM webhook_delivery d JOIN event e ON e.id = d.event_id JOIN webhook w ON w.id = d.webhook_id
     WHERE d.id = ANY (${claims.map(({ id }) => id)}::uuid[])`;
  const byId = new Map(rows.map((row) => [row.id, row]));
  return claims.flatMap((claim) => {
    const row = byId.get(claim.id);
    return row ? [{ ...row, ...claim }] : [];
  });
}

/** @returns whether the lease was still held */
export async function renewLease(db: Database, { id, token }: Claim): Promise<boolean> {
  const renewed = await db.$executeRaw`
    UPDATE webhook_delivery SET next_attempt_at = now() + make_interval(secs => ${LEASE_SECONDS})
     WHERE id = ${id}::uuid AND lease_token = ${token}::uuid`;
  return renewed === 1;
}

/** Releases claims that won't be attempted now. They are due again after `delaySeconds`. */
export async function releaseClaims(db: Database, claims: Claim[], delaySeconds = 0): Promise<void> {
  await db.$executeRaw`
    UPDATE webhook_delivery SET next_attempt_at = now() + make_interval(secs => ${delaySeconds}), lease_token = NULL
     WHERE lease_token = ANY (${claims.map(({ token }) => token)}::uuid[])`;
}

/** Makes due at once what an instance that is gone had claimed. */
export async function releaseClaimsOf(tx: Tx, nodeId: string): Promise<void> {
  await tx.$executeRaw`
    UPDATE webhook_delivery SET next_attempt_at = now(), lease_token = NULL
     WHERE next_attempt_at BETWEEN now() AND now() + make_interval(secs => ${LEASE_SECONDS})
       AND lease_node = ${nodeId}::uuid AND lease_token IS NOT NULL`;
}
