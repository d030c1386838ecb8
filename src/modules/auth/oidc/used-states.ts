import type { Database, Tx } from '@/server/db';
import { sha256 } from '@/server/secrets/crypto';
import type { Intent } from './intent';

// Stored with the rate limit counters, which are keyed, expire, and are shared by all instances.
const PREFIX = 'oidc-state:';

/** Marks a `state` as used. Of two callbacks with one `state` one wins, even if both have the cookies. */
export async function consumeState(tx: Tx, { state, expiresAt }: Intent): Promise<boolean> {
  const key = `${PREFIX}${Buffer.from(sha256(state)).toString('hex')}`;
  const data = { key, points: 1, expire: expiresAt };
  const { count } = await tx.rateLimit.createMany({ data, skipDuplicates: true });
  return count === 1;
}

export async function forgetOldStates(db: Database, now: Date): Promise<void> {
  await db.rateLimit.deleteMany({ where: { key: { startsWith: PREFIX }, expire: { lt: now.getTime() } } });
}
