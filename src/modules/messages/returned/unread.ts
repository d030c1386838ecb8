import { uuidv7 } from '@/lib/uuid';
import type { Tx } from '@/server/database/db';
import { sealBytes } from '@/server/secrets/sealing';
import type { DropReason } from './schema';

const KEPT_BYTES = 64 * 1024;
const MAX_KEPT_PER_DOMAIN = 100;
const MAX_KEPT = 1_000;
const DAY_MS = 24 * 60 * 60 * 1000;
const COUNTED_DAYS = 30;

/** Counts mail to a bounce address that changes nothing. */
export async function countDropped(tx: Tx, domainId: string | null, reason: DropReason, at: Date): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO dropped_bounce AS known (id, domain_id, reason, count, last_at)
    VALUES (${uuidv7()}::uuid, ${domainId}::uuid, ${reason}, 1, ${at})
    ON CONFLICT (domain_id, reason) DO UPDATE SET count = known.count + 1, last_at = excluded.last_at`;
}

export type ReturnedRaw = { address: string; raw: Uint8Array; sizeBytes: number };

/** Keeps the start of mail that can't be read, so that an admin can look at it: the newest of a domain, and of all domains. */
export async function keepUnread(tx: Tx, domainId: string | null, mail: ReturnedRaw, at: Date): Promise<void> {
  const id = uuidv7();
  const raw = sealBytes(unreadPlace(id), [mail.raw.subarray(0, KEPT_BYTES)]);
  const { address, sizeBytes } = mail;
  await tx.unreadBounce.create({
    data: { id, domainId, address, sizeBytes, raw, receivedAt: at },
    select: { id: true },
  });
  await keepNewest(tx, { domainId }, MAX_KEPT_PER_DOMAIN);
  await keepNewest(tx, {}, MAX_KEPT);
}

async function keepNewest(tx: Tx, where: { domainId?: string | null }, kept: number): Promise<void> {
  const orderBy = [{ receivedAt: 'desc' as const }, { id: 'desc' as const }];
  const older = await tx.unreadBounce.findMany({ where, orderBy, skip: kept, select: { id: true } });
  if (older.length > 0) await tx.unreadBounce.deleteMany({ where: { id: { in: older.map(({ id }) => id) } } });
}

export function unreadPlace(id: string): string {
  return `unread_bounce.raw:${id}`;
}

/** Deletes mail of more than a day ago, and the counts of what last came more than 30 days ago. */
export async function deleteOldUnread(db: Tx, now: Date): Promise<void> {
  const before = (days: number) => ({ lt: new Date(now.getTime() - days * DAY_MS) });
  await db.unreadBounce.deleteMany({ where: { receivedAt: before(1) } });
  await db.droppedBounce.deleteMany({ where: { lastAt: before(COUNTED_DAYS) } });
}
