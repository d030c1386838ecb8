import type { DkimStore, KeyState, OpenedKey, SigningKey } from '@/mail/agent/dkim-store';
import type { Database } from '@/server/db';
import { tryToUnseal } from '@/server/secrets/sealing';
import { dkimKeyPlace } from './keys';

const BATCH_SIZE = 200;

/**
 * Makes the mail server sign with the active keys, and with no others; called again and again. A turn that finds nothing
 * changed asks Postgres and Redis one thing each.
 * @throws where a key cannot be opened: what it would replace goes on signing
 */
export async function publishDkimKeys(db: Database, store: DkimStore): Promise<void> {
  const { isTold, ...state } = await wantedState(db);
  if (isTold && (await store.isAt(state))) return;
  const keys = await activeKeys(db);
  const held = await store.heldIds();
  const missing = keys.filter(({ id }) => !held.has(id));
  const unopened = new Set<SigningKey>();
  for (let start = 0; start < missing.length; start += BATCH_SIZE) {
    const batch = await open(db, missing.slice(start, start + BATCH_SIZE));
    await store.put(batch.opened);
    for (const key of batch.unopened) unopened.add(key);
  }
  await tellPublished(
    db,
    keys.filter((key) => !unopened.has(key)),
  );
  if (unopened.size > 0) {
    throw new Error(
      `${unopened.size} DKIM keys open with none of the keys in SECRET_KEY: list the one that sealed them too`,
    );
  }
  await store.keepOnly(keys, state);
}

/** `isTold`: `published_at` says of each key whether it is to sign. */
async function wantedState(db: Database): Promise<KeyState & { isTold: boolean }> {
  const [state] = await db.$queryRaw<[KeyState & { isTold: boolean }]>`
    SELECT count(*) FILTER (WHERE status = 'active')::int AS count,
           md5(coalesce(string_agg(id::text, ' ' ORDER BY id) FILTER (WHERE status = 'active'), '')) AS version,
           coalesce(bool_and((status = 'active') = (published_at IS NOT NULL)), true) AS "isTold"
      FROM dkim_key`;
  return state;
}

async function activeKeys(db: Database): Promise<SigningKey[]> {
  const select = { id: true, selector: true, domain: { select: { name: true } } };
  const rows = await db.dkimKey.findMany({ where: { status: 'active' }, select });
  return rows.map(({ id, selector, domain }) => ({ id, selector, domain: domain.name }));
}

/** One that was deleted in the meantime is neither. */
async function open(db: Database, keys: SigningKey[]) {
  const rows = await db.dkimKey.findMany({
    where: { id: { in: keys.map(({ id }) => id) } },
    select: { id: true, algorithm: true, privateKey: true },
  });
  const found = new Map(rows.map((row) => [row.id, row]));
  const opened: OpenedKey[] = [];
  const unopened: SigningKey[] = [];
  for (const key of keys) {
    const row = found.get(key.id);
    if (!row) continue;
    const privateKey = tryToUnseal(dkimKeyPlace(key.id), row.privateKey);
    if (privateKey === null) unopened.push(key);
    else opened.push({ ...key, kind: row.algorithm === 'rsa_2048' ? 'rsa' : 'ed25519', privateKey });
  }
  return { opened, unopened };
}

/** Before the version is written, so that a turn that ends in between is done again. */
async function tellPublished(db: Database, keys: SigningKey[]): Promise<void> {
  const ids = keys.map(({ id }) => id);
  await db.$executeRaw`
    UPDATE dkim_key SET published_at = CASE WHEN id = ANY (${ids}::uuid[]) THEN now() END
     WHERE (id = ANY (${ids}::uuid[])) <> (published_at IS NOT NULL)`;
}
