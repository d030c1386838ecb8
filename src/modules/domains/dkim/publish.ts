import type { DecryptedKey, DkimStore, KeyState, SigningKey } from '@/mail/agent/dkim-store';
import { isMailServerAttached, waitForAgent } from '@/modules/mail-server/service';
import type { Database } from '@/server/database/db';
import { log } from '@/server/log';
import { tryToUnseal } from '@/server/secrets/sealing';
import { dkimKeyBinding } from './keys';

const BATCH_SIZE = 200;
const PUBLISHED_WITHIN_MS = 3_000;

/**
 * Publishes the active keys to the mail server and removes all others. Called periodically: when nothing changed, it
 * costs one query to Postgres and one to Redis.
 * @throws if a key can't be decrypted; the key it replaces keeps signing
 */
export async function publishDkimKeys(db: Database, store: DkimStore): Promise<void> {
  const { isRecorded, ...state } = await targetState(db);
  if (isRecorded && (await store.isUpToDate(state))) return;
  await publish(db, store, state, await store.signingKeyIds());
}

/**
 * Publishes every active key again, also those that the mail server has. Mail is signed meanwhile.
 * @returns how many there are
 * @throws as publishDkimKeys
 */
export async function republishDkimKeys(db: Database, store: DkimStore): Promise<number> {
  const { isRecorded: _, ...state } = await targetState(db);
  return publish(db, store, state, new Set());
}

/**
 * Waits until the mail server has the active key of a domain, so that the next message is signed with it. Call it once the key is
 * committed.
 * @returns when it got the key; null if no agent is attached, or it doesn't publish the key in 3 seconds
 */
export async function waitUntilPublished(db: Database, domainId: string): Promise<Date | null> {
  const where = { domainId, status: 'active' as const, publishedAt: { not: null } };
  const look = () => db.dkimKey.findFirst({ where, select: { publishedAt: true } });
  try {
    if (!(await isMailServerAttached(db))) return null;
    return (await waitForAgent(look, PUBLISHED_WITHIN_MS))?.publishedAt ?? null;
  } catch (error) {
    // The change is committed, so the call has succeeded.
    log.warn({ domain_id: domainId, error }, 'waiting for the mail server to get a DKIM key failed');
    return null;
  }
}

async function publish(db: Database, store: DkimStore, state: KeyState, held: ReadonlySet<string>): Promise<number> {
  const keys = await activeKeys(db);
  const missing = keys.filter(({ id }) => !held.has(id));
  const undecryptable = new Set<SigningKey>();
  for (let start = 0; start < missing.length; start += BATCH_SIZE) {
    const batch = await open(db, missing.slice(start, start + BATCH_SIZE));
    await store.put(batch.decrypted);
    for (const key of batch.undecryptable) undecryptable.add(key);
  }
  await recordPublished(
    db,
    keys.filter((key) => !undecryptable.has(key)),
  );
  if (undecryptable.size > 0) {
    throw new Error(
      `DKIM keys that can't be decrypted: ${undecryptable.size}. Add the key that encrypted them to SECRET_KEY`,
    );
  }
  await store.removeOthers(keys, state);
  return keys.length;
}

/** `isRecorded`: `published_at` is set for exactly the active keys. */
async function targetState(db: Database): Promise<KeyState & { isRecorded: boolean }> {
  const [state] = await db.$queryRaw<[KeyState & { isRecorded: boolean }]>`
    SELECT count(*) FILTER (WHERE status = 'active')::int AS count,
           md5(coalesce(string_agg(id::text, ' ' ORDER BY id) FILTER (WHERE status = 'active'), '')) AS version,
           coalesce(bool_and((status = 'active') = (published_at IS NOT NULL)), true) AS "isRecorded"
      FROM dkim_key`;
  return state;
}

async function activeKeys(db: Database): Promise<SigningKey[]> {
  const select = { id: true, selector: true, domain: { select: { name: true } } };
  const rows = await db.dkimKey.findMany({ where: { status: 'active' }, select });
  return rows.map(({ id, selector, domain }) => ({ id, selector, domain: domain.name }));
}

/** Skips keys that were deleted in the meantime. */
async function open(db: Database, keys: SigningKey[]) {
  const rows = await db.dkimKey.findMany({
    where: { id: { in: keys.map(({ id }) => id) } },
    select: { id: true, algorithm: true, privateKey: true },
  });
  const found = new Map(rows.map((row) => [row.id, row]));
  const decrypted: DecryptedKey[] = [];
  const undecryptable: SigningKey[] = [];
  for (const key of keys) {
    const row = found.get(key.id);
    if (!row) continue;
    const privateKey = tryToUnseal(dkimKeyBinding(key.id), row.privateKey);
    if (privateKey === null) undecryptable.push(key);
    else decrypted.push({ ...key, kind: row.algorithm === 'rsa_2048' ? 'rsa' : 'ed25519', privateKey });
  }
  return { decrypted, undecryptable };
}

/** Runs before the version is written, so an interrupted run is repeated. */
async function recordPublished(db: Database, keys: SigningKey[]): Promise<void> {
  const ids = keys.map(({ id }) => id);
  await db.$executeRaw`
    UPDATE dkim_key SET published_at = CASE WHEN id = ANY (${ids}::uuid[]) THEN now() END
     WHERE (id = ANY (${ids}::uuid[])) <> (published_at IS NOT NULL)`;
}
