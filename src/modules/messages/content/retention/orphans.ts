import type { Database } from '@/server/database/db';
import { log } from '@/server/log';
import type { ContentStore } from '../store';

/** Longer than any content waits between its object and its row. */
const GRACE_MS = 60 * 60 * 1000;
const DAY_MS = 24 * 60 * 60 * 1000;
const REMOVE_BATCH = 200;
/** An object that was not stored as a whole. */
const PART = '.part';
const OURS = /^\d{4}-\d\d-\d\d\/\d\d\/[0-9a-f]{48}(?:\.[0-9a-f-]{36}\.part)?$/;

/**
 * Compares the store with the rows, folder by folder. Rows without an object say so. Objects without a row are deleted once
 * their content would have expired: a restore of an older database leaves objects without rows, which a restore of a newer one
 * needs again. Harmless on several instances at once.
 * @param days for which content is kept
 */
export async function sweepOrphans(db: Database, store: ContentStore, now: Date, days: number): Promise<void> {
  const before = new Date(now.getTime() - GRACE_MS);
  const expiredBefore = new Date(now.getTime() - Math.max(GRACE_MS, days * DAY_MS));
  const swept = new Set<string>();
  for await (const { folder, found } of foldersOf(store)) {
    await sweepFolder(db, store, { folder, found }, { before, expiredBefore });
    swept.add(folder);
  }
  await markLostFolders(db, store, [...swept], before);
}

/** The names in a folder, with the time they were stored at. */
type Folder = { folder: string; found: Map<string, Date> };

async function* foldersOf(store: ContentStore): AsyncGenerator<Folder> {
  let current: Folder | undefined;
  for await (const { name, storedAt } of store.list()) {
    const folder = name.slice(0, Math.max(name.lastIndexOf('/'), 0));
    // A bucket may hold other things.
    if (!OURS.test(name)) continue;
    if (current && current.folder !== folder) yield current;
    if (current?.folder !== folder) current = { folder, found: new Map() };
    current.found.set(name, storedAt);
  }
  if (current) yield current;
}

async function sweepFolder(
  db: Database,
  store: ContentStore,
  { folder, found }: Folder,
  { before, expiredBefore }: { before: Date; expiredBefore: Date },
): Promise<void> {
  const rows = await db.messageContent.findMany({
    // The column's collation is "C", where 0 follows the slash.
    where: { objectName: { gte: `${folder}/`, lt: `${folder}0` } },
    select: { messageId: true, objectName: true, storedAt: true, storeId: true, storedBytes: true },
  });
  const known = new Set(rows.map(({ objectName }) => objectName));
  const orphans = [...found]
    .filter(([name, storedAt]) => !known.has(name) && storedAt < (name.endsWith(PART) ? before : expiredBefore))
    .map(([name]) => name);
  for (let at = 0; at < orphans.length; at += REMOVE_BATCH) await store.remove(orphans.slice(at, at + REMOVE_BATCH));
  if (orphans.length > 0) log.warn({ count: orphans.length, folder }, 'deleted objects that belong to no message');
  const missing = rows.filter(
    ({ objectName, storedAt, storeId }) =>
      storeId === store.id && storedAt < before && objectName !== null && !found.has(objectName),
  );
  await markLost(db, store, missing);
}

/** Rows whose whole folder is gone. */
async function markLostFolders(db: Database, store: ContentStore, folders: string[], before: Date): Promise<void> {
  const rows = await db.$queryRaw<Missing[]>`
    SELECT message_id AS "messageId", object_name AS "objectName", stored_bytes AS "storedBytes" FROM message_content
     WHERE object_name IS NOT NULL AND store_id = ${store.id}::uuid AND stored_at < ${before}
       AND substring(object_name FROM '^(.*)/[^/]*$') <> ALL (${folders}::text[])`;
  await markLost(db, store, rows);
}

type Missing = { messageId: string; objectName: string | null; storedBytes: number };

/**
 * Content that is missing in the store. Each object is looked up again, because the log of the mail server may have been
 * read late: then the object is in a folder that was listed before it was stored.
 */
async function markLost(db: Database, store: ContentStore, rows: readonly Missing[]): Promise<void> {
  const messageIds: string[] = [];
  for (const { messageId, objectName, storedBytes } of rows) {
    if (objectName !== null && (await store.get(objectName, storedBytes)) === null) messageIds.push(messageId);
  }
  if (messageIds.length === 0) return;
  const count = await db.$executeRaw`
    UPDATE message_content SET state = 'deleted', reason = 'lost' WHERE state = 'kept' AND message_id = ANY (${messageIds}::uuid[])`;
  if (count > 0) log.error({ count }, 'the content of messages is missing in the content store');
}
