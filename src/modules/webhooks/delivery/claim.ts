import { leaseOf } from '@/server/background/lease';
import { thisNode } from '@/server/cluster/this-node';
import type { Database, Tx } from '@/server/database/db';
import { tryToUnseal } from '@/server/secrets/sealing';

/** Longer than an attempt plus storing its outcome, and short enough that a crash delays deliveries only briefly. */
export const LEASE = leaseOf(25, 'next_attempt_at');

/** A delivery that only this process may attempt until the lease ends, and finish only while the token matches. */
export type Claim = {
  id: string;
  token: string;
  webhookId: string;
  eventId: string;
  attemptCount: number;
  isFailing: boolean;
};

export type Room = {
  /** How many deliveries to claim at most: for healthy endpoints, and for failing ones. */
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
    SELECT delivery_id AS id, token, webhook AS "webhookId", event AS "eventId", attempts AS "attemptCount",
           is_failing AS "isFailing"
      FROM claim_webhook_deliveries(${wanted}::int, ${wantedFailing}::int, ${perEndpoint}::int, ${perUnproven}::int,
                                    ${proven}::uuid[], make_interval(secs => ${LEASE.seconds}), ${thisNode().id}::uuid)`;
}

type Endpoint = {
  url: string;
  /** Null if they can't be decrypted. */
  secrets: { secret: string; previousSecret: string | null } | null;
};

type StoredEvent = {
  type: string;
  isTest: boolean;
  /** Null if it is stored in parts. */
  body: Uint8Array | null;
  bodyBytes: number;
};

/** The data of an attempt. */
export type Job = Claim & Endpoint & StoredEvent;

/**
 * In the order of the claims. Leaves out those whose webhook or event was deleted in the meantime. Each endpoint and event is read
 * once, however many of the claims it has.
 */
export async function loadJobs(db: Database, claims: Claim[]): Promise<Job[]> {
  const [endpoints, events] = await Promise.all([
    findEndpoints(db, [...new Set(claims.map(({ webhookId }) => webhookId))]),
    findEvents(db, [...new Set(claims.map(({ eventId }) => eventId))]),
  ]);
  return claims.flatMap((claim) => {
    const endpoint = endpoints.get(claim.webhookId);
    const event = events.get(claim.eventId);
    return endpoint && event ? [{ ...claim, ...endpoint, ...event }] : [];
  });
}

type SealedEndpoint = { id: string; url: string; secret: Uint8Array; previousSecret: Uint8Array | null };

async function findEndpoints(db: Database, ids: string[]): Promise<Map<string, Endpoint>> {
  const rows = await db.$queryRaw<SealedEndpoint[]>`/* prepared */
    SELECT id, url, secret, CASE WHEN previous_secret_until > now() THEN previous_secret END AS "previousSecret"
      FROM webhook WHERE id = ANY (${ids}::uuid[])`;
  return new Map(rows.map((row) => [row.id, { url: row.url, secrets: unsealSecrets(row) }]));
}

function unsealSecrets({ id, secret: sealed, previousSecret: sealedBefore }: SealedEndpoint): Endpoint['secrets'] {
  const secret = tryToUnseal(`webhook.secret:${id}`, sealed);
  const previousSecret = sealedBefore && tryToUnseal(`webhook.previous_secret:${id}`, sealedBefore);
  return secret === null ? null : { secret, previousSecret };
}

async function findEvents(db: Database, ids: string[]): Promise<Map<string, StoredEvent>> {
  const rows = await db.$queryRaw<(Omit<StoredEvent, 'body'> & { id: string; body: string | null })[]>`/* prepared */
    SELECT id, type, is_test AS "isTest", body, body_bytes AS "bodyBytes" FROM event WHERE id = ANY (${ids}::uuid[])`;
  return new Map(
    rows.map(({ id, body, ...event }) => [id, { ...event, body: body === null ? null : Buffer.from(body) }]),
  );
}

/** @returns whether the lease was still held */
export async function renewLease(db: Database, { id, token }: Claim): Promise<boolean> {
  const renewed = await db.$executeRaw`
    UPDATE webhook_delivery SET ${LEASE.renew} WHERE id = ${id}::uuid AND ${LEASE.isHeldBy(token)}`;
  return renewed === 1;
}

/** Releases claims that won't be attempted now. They are due again after `delaySeconds`. */
export async function releaseClaims(db: Database, claims: Claim[], delaySeconds = 0): Promise<void> {
  await db.$executeRaw`
    UPDATE webhook_delivery SET ${LEASE.release(delaySeconds)}
     WHERE lease_token = ANY (${claims.map(({ token }) => token)}::uuid[])`;
}

/** Makes due at once what an instance that is gone had claimed. */
export async function releaseDeliveriesOf(tx: Tx, nodeId: string): Promise<void> {
  await tx.$executeRaw`
    UPDATE webhook_delivery SET ${LEASE.release()}
     WHERE next_attempt_at BETWEEN now() AND ${LEASE.end}
       AND lease_node = ${nodeId}::uuid AND lease_token IS NOT NULL`;
}
