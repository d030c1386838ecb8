import type { Database, Tx } from '@/server/db';
import { sha256 } from '@/server/secrets/crypto';
import type { Intent } from './intent';

// They stand among the counters of limits, which are keyed, expire, and are shared by all instances just so.
const PREFIX = 'oidc-state:';

/** Of two callbacks with one `state` one counts, though both bring the cookies and the provider takes a code twice. */
export async function spendState(tx: Tx, { state, expiresAt }: Intent): Promise<boolean> {
  const key = `${PREFIX}${Buffer.from(sha256(state)).toString('hex')}`;
  const data = { key, points: 1, expire: expiresAt };
  const { count } = await tx.rateLimit.createMany({ data, skipDuplicates: true });
  return count === 1;
}

export async function forgetOldStates(db: Database, now: Date): Promise<void> {
  await db.rateLimit.deleteMany({ where: { key: { startsWith: PREFIX }, expire: { lt: now.getTime() } } });
}
