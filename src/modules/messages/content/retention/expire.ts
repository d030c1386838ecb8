import { uuidv7 } from '@/lib/uuid';
import { inBatches } from '@/server/background/in-batches';
import { leaseOf } from '@/server/background/lease';
import type { Database } from '@/server/database/db';
import { log } from '@/server/log';
import { Prisma } from '@/server/prisma/client';
import type { ContentStore } from '../store';

const DAY_MS = 24 * 60 * 60 * 1000;
const MB = 1024 * 1024;
const MARK_BATCH = 1_000;
const OBJECT_BATCH = 200;
const LEASE = leaseOf(5 * 60);

export type KeptLimits = { days: number; maxMb: number };

/** Marks content as expired: what is older than the days, and the oldest while all of it exceeds the size. */
export async function expireContent(db: Database, now: Date, { days, maxMb }: KeptLimits): Promise<void> {
  const before = new Date(now.getTime() - days * DAY_MS);
  await inBatches((size) => mark(db, Prisma.sql`state = 'kept' AND stored_at <= ${before}`, EXPIRED, size), MARK_BATCH);
  for (let excess = await excessBytes(db, maxMb * MB); excess > 0; excess = await excessBytes(db, maxMb * MB)) {
    if ((await expireOldest(db, excess)) === 0) return;
  }
}

/** Marks the content of deleted domains. It jumps from domain to domain in the index. */
export async function dropContentOfDeletedDomains(db: Database): Promise<void> {
  const deleted = await db.$queryRaw<{ id: string }[]>`
    WITH RECURSIVE known AS (
      (SELECT domain_id FROM message_content WHERE state = 'kept' AND domain_id IS NOT NULL ORDER BY domain_id LIMIT 1)
      UNION ALL
      SELECT (SELECT c.domain_id FROM message_content c WHERE c.state = 'kept' AND c.domain_id > known.domain_id
               ORDER BY c.domain_id LIMIT 1)
        FROM known WHERE known.domain_id IS NOT NULL
    )
    SELECT domain_id AS id FROM known
     WHERE domain_id IS NOT NULL AND NOT EXISTS (SELECT FROM domain d WHERE d.id = known.domain_id)`;
  for (const { id } of deleted) {
    const ofDomain = Prisma.sql`state = 'kept' AND domain_id = ${id}::uuid`;
    await inBatches((size) => mark(db, ofDomain, DOMAIN_DELETED, size), MARK_BATCH);
  }
}

/** Deletes the objects of content that is no longer kept, each by one instance at a time. */
export async function deleteUnwantedObjects(db: Database, store: ContentStore): Promise<void> {
  await inBatches(async (size) => {
    const token = uuidv7();
    const claimed = await claim(db, { storeId: store.id, token, size });
    await store.remove(claimed.map(({ objectName }) => objectName));
    const ids = claimed.map(({ messageId }) => messageId);
    await db.$executeRaw`
      UPDATE message_content SET object_name = NULL, store_id = NULL, lease_token = NULL, leased_until = NULL
       WHERE message_id = ANY (${ids}::uuid[]) AND ${LEASE.isHeldBy(token)}`;
    await db.$executeRaw`
      DELETE FROM message_content c
       WHERE c.message_id = ANY (${ids}::uuid[]) AND c.object_name IS NULL AND NOT EXISTS (SELECT FROM message m WHERE m.id = c.message_id)`;
    return claimed.length;
  }, OBJECT_BATCH);
}

const EXPIRED = Prisma.sql`state = 'expired'`;
const DOMAIN_DELETED = Prisma.sql`state = 'deleted', reason = 'domain_deleted'`;

function mark(db: Database, condition: Prisma.Sql, change: Prisma.Sql, size: number): Promise<number> {
  return db.$executeRaw`
    UPDATE message_content SET ${change} WHERE message_id IN (
      SELECT message_id FROM message_content WHERE ${condition}
       ORDER BY stored_at, message_id LIMIT ${size} FOR UPDATE SKIP LOCKED)`;
}

async function excessBytes(db: Database, maxBytes: number): Promise<number> {
  const [row] = await db.$queryRaw<[{ kept: bigint | null }]>`
    SELECT sum(stored_bytes)::bigint AS kept FROM message_content WHERE state = 'kept'`;
  return Number(row.kept ?? 0) - maxBytes;
}

/** Marks the oldest until their sizes reach `excess`, at most a batch. */
async function expireOldest(db: Database, excess: number): Promise<number> {
  const count = await db.$executeRaw`
    WITH oldest AS (
      SELECT message_id, stored_bytes, stored_at FROM message_content WHERE state = 'kept'
       ORDER BY stored_at, message_id LIMIT ${MARK_BATCH} FOR UPDATE SKIP LOCKED
    ), summed AS (
      SELECT message_id, sum(stored_bytes) OVER (ORDER BY stored_at, message_id) - stored_bytes AS before FROM oldest
    )
    UPDATE message_content c SET state = 'expired', reason = 'size_limit'
      FROM summed s WHERE c.message_id = s.message_id AND s.before < ${excess}`;
  if (count > 0) log.warn({ count }, 'the content store reached CONTENT_STORE_MAX_MB: deleting the oldest content');
  return count;
}

type Claimed = { messageId: string; objectName: string };

type Claim = { storeId: string; token: string; size: number };

function claim(db: Database, { storeId, token, size }: Claim): Promise<Claimed[]> {
  return db.$queryRaw<Claimed[]>`
    UPDATE message_content SET ${LEASE.claim(token)} WHERE message_id IN (
      SELECT message_id FROM message_content
       WHERE state <> 'kept' AND object_name IS NOT NULL AND store_id = ${storeId}::uuid
         AND (leased_until IS NULL OR ${LEASE.isOver})
       ORDER BY stored_at LIMIT ${size} FOR UPDATE SKIP LOCKED)
    RETURNING message_id AS "messageId", object_name AS "objectName"`;
}
