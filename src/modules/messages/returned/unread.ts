import { uuidv7 } from '@/lib/uuid';
import type { Tx } from '@/server/db';
import { sealBytes } from '@/server/secrets/sealing';
import type { DropReason } from '../schema';

const KEPT_BYTES = 64 * 1024;
const MAX_KEPT_PER_DOMAIN = 100;
const KEPT_MS = 24 * 60 * 60 * 1000;

/** Counts mail to a bounce address that changes nothing. */
export async function countDropped(tx: Tx, domainId: string | null, reason: DropReason, at: Date): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO dropped_bounce AS known (id, domain_id, reason, count, last_at)
    VALUES (${uuidv7()}::uuid, ${domainId}::uuid, ${reason}, 1, ${at})
    ON CONFLICT (domain_id, reason) DO UPDATE SET count = known.count + 1, last_at = excluded.last_at`;
}

export type ReturnedRaw = { address: string; raw: Uint8Array; sizeBytes: number };

/** Keeps the start of mail that can't be read, so that an admin can look at it. A domain keeps so many at most. */
export async function keepUnread(tx: Tx, domainId: string | null, mail: ReturnedRaw, at: Date): Promise<void> {
  if ((await tx.unreadBounce.count({ where: { domainId } })) >= MAX_KEPT_PER_DOMAIN) return;
  const id = uuidv7();
  const raw = sealBytes(unreadPlace(id), [mail.raw.subarray(0, KEPT_BYTES)]);
  const { address, sizeBytes } = mail;
  await tx.unreadBounce.create({
    data: { id, domainId, address, sizeBytes, raw, receivedAt: at },
    select: { id: true },
  });
}

export function unreadPlace(id: string): string {
  return `unread_bounce.raw:${id}`;
}

export async function deleteOldUnread(db: Tx, now: Date): Promise<void> {
  await db.unreadBounce.deleteMany({ where: { receivedAt: { lt: new Date(now.getTime() - KEPT_MS) } } });
}
