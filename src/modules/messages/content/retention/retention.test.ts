import { randomBytes } from 'node:crypto';
import { utimes } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { uuidv7 } from '@/lib/uuid';
import { makeContentStore } from '@/test/content-store';
import { db } from '@/test/database';
import { makeDomain, unique } from '@/test/factories';
import { type ContentStore, prepareContentStore } from '../store';
import { deleteUnwantedObjects, dropContentOfDeletedDomains, expireContent } from './expire';
import { sweepOrphans } from './orphans';

const storeFolder = await makeContentStore();

const HOUR_MS = 3_600_000;
const NOW = new Date('2026-11-22T12:30:00Z');
const ROOMY = { days: 7, maxMb: 100 };

let store: ContentStore;

beforeEach(async () => {
  store = await prepareContentStore();
  await db.messageContent.deleteMany();
});

const hoursAgo = (hours: number) => new Date(NOW.getTime() - hours * HOUR_MS);

const storePart = (storedAt: Date) => storeObject(storedAt, `.${uuidv7()}.part`);

async function storeObject(storedAt: Date, ending = ''): Promise<string> {
  const [day, time = ''] = storedAt.toISOString().split('T');
  const name = `${day}/${time.slice(0, 2)}/${randomBytes(24).toString('hex')}${ending}`;
  await store.put(name, new Uint8Array(10));
  await utimes(path.join(storeFolder, name), storedAt, storedAt);
  return name;
}

/** A message with content, as old as given. */
async function keep(hours: number, over: { storedBytes?: number; domainId?: string; storeId?: string } = {}) {
  const { storedBytes = 10, storeId = store.id } = over;
  const domainId = over.domainId ?? (await makeDomain()).id;
  const storedAt = hoursAgo(hours);
  const objectName = await storeObject(storedAt);
  const common = { messageId: `<${unique()}@a.example>`, fromAddress: 'a@b.example', subject: 'Hi', sizeBytes: 1 };
  const message = await db.message.create({
    data: { ...common, domainId, direction: 'outbound', toAddresses: [], status: 'sent', createdAt: storedAt },
  });
  await db.messageContent.create({
    data: { messageId: message.id, domainId, state: 'kept', rawBytes: 10, storedBytes, storeId, objectName, storedAt },
  });
  return { id: message.id, objectName, domainId };
}

const row = (id: string) => db.messageContent.findUnique({ where: { messageId: id } });
const hasObject = async (name: string) => (await store.get(name, 100)) !== null;

describe('content', () => {
  it('is deleted after its days, with its object, and the message says that it expired', async () => {
    const [old, young] = [await keep(24 * 7), await keep(24 * 7 - 1)];
    await expireContent(db, NOW, ROOMY);
    await deleteUnwantedObjects(db, store);
    expect(await row(old.id)).toMatchObject({ state: 'expired', reason: null, objectName: null, leasedUntil: null });
    expect(await hasObject(old.objectName)).toBe(false);
    expect(await row(young.id)).toMatchObject({ state: 'kept' });
    expect(await hasObject(young.objectName)).toBe(true);
  });

  it('is deleted oldest first while all of it exceeds the size', async () => {
    const storedBytes = 4 * 1024 * 1024;
    const [oldest, older, newest] = [
      await keep(3, { storedBytes }),
      await keep(2, { storedBytes }),
      await keep(1, { storedBytes }),
    ];
    await expireContent(db, NOW, { days: 7, maxMb: 7 });
    expect(await row(oldest.id)).toMatchObject({ state: 'expired', reason: 'size_limit' });
    expect(await row(older.id)).toMatchObject({ state: 'expired', reason: 'size_limit' });
    expect(await row(newest.id)).toMatchObject({ state: 'kept' });
    await expireContent(db, NOW, { days: 7, maxMb: 7 });
    expect(await row(newest.id)).toMatchObject({ state: 'kept' });
  });

  it('is deleted entirely once no days are kept', async () => {
    const { id } = await keep(0);
    await expireContent(db, NOW, { days: 0, maxMb: 100 });
    expect(await row(id)).toMatchObject({ state: 'expired' });
  });

  it('is deleted with its message: first the object, then the row that names it', async () => {
    const { id, objectName } = await keep(1);
    await db.message.delete({ where: { id } });
    expect(await row(id)).toMatchObject({ state: 'deleted', reason: 'message_deleted', objectName });
    await deleteUnwantedObjects(db, store);
    expect(await row(id)).toBeNull();
    expect(await hasObject(objectName)).toBe(false);
  });

  it('leaves no row when a message is deleted whose content has expired', async () => {
    const { id } = await keep(24 * 8);
    await expireContent(db, NOW, ROOMY);
    await deleteUnwantedObjects(db, store);
    await db.message.delete({ where: { id } });
    expect(await row(id)).toBeNull();
  });

  it('is deleted with its domain, that of other domains is not', async () => {
    const [gone, other] = [await keep(1), await keep(1)];
    await db.domain.delete({ where: { id: gone.domainId } });
    await dropContentOfDeletedDomains(db);
    expect(await row(gone.id)).toMatchObject({ state: 'deleted', reason: 'domain_deleted' });
    expect(await row(other.id)).toMatchObject({ state: 'kept' });
  });
});

describe('deleting objects', () => {
  it('by several instances at once deletes each object once', async () => {
    for (let count = 0; count < 30; count++) await keep(24 * 8);
    await expireContent(db, NOW, ROOMY);
    const removed: string[] = [];
    const watched = {
      ...store,
      remove: (names: readonly string[]) => {
        removed.push(...names);
        return store.remove(names);
      },
    };
    await Promise.all([1, 2, 3].map(() => deleteUnwantedObjects(db, watched)));
    expect(removed).toHaveLength(30);
    expect(new Set(removed).size).toBe(30);
    expect(await db.messageContent.count({ where: { objectName: { not: null } } })).toBe(0);
  });

  it('is tried again after the store failed, once the lease is over', async () => {
    const { id, objectName } = await keep(24 * 8);
    await expireContent(db, NOW, ROOMY);
    const failing = { ...store, remove: () => Promise.reject(new Error('away')) };
    await expect(deleteUnwantedObjects(db, failing)).rejects.toThrow('away');
    await deleteUnwantedObjects(db, store);
    expect(await row(id)).toMatchObject({ objectName });
    await db.messageContent.update({ where: { messageId: id }, data: { leasedUntil: new Date(0) } });
    await deleteUnwantedObjects(db, store);
    expect(await row(id)).toMatchObject({ objectName: null });
    expect(await hasObject(objectName)).toBe(false);
  });

  it('by an instance that was too slow changes nothing once another has taken over', async () => {
    const { id, objectName } = await keep(24 * 8);
    await expireContent(db, NOW, ROOMY);
    const next = { leaseToken: uuidv7(), leasedUntil: new Date(Date.now() + 60_000) };
    const slow = {
      ...store,
      async remove(names: readonly string[]) {
        await db.messageContent.update({ where: { messageId: id }, data: next });
        await store.remove(names);
      },
    };
    await deleteUnwantedObjects(db, slow);
    expect(await row(id)).toMatchObject({ objectName, ...next });
  });

  it('leaves those of another store alone', async () => {
    const { id, objectName } = await keep(24 * 8, { storeId: uuidv7() });
    await expireContent(db, NOW, ROOMY);
    await deleteUnwantedObjects(db, store);
    expect(await row(id)).toMatchObject({ objectName });
  });
});

describe('the sweep', () => {
  it('deletes objects without a row once they would have expired, and parts at once, but no files of others', async () => {
    const [orphan, restorable] = [await storeObject(hoursAgo(24 * 7 + 1)), await storeObject(hoursAgo(24 * 7 - 1))];
    const [part, freshPart] = [await storePart(hoursAgo(5)), await storePart(hoursAgo(0.5))];
    const foreign = '2026-01-01/00/backup.tar';
    await store.put(foreign, new Uint8Array(1));
    await utimes(path.join(storeFolder, foreign), hoursAgo(500), hoursAgo(500));
    const { objectName, id } = await keep(5);
    await sweepOrphans(db, store, NOW, ROOMY.days);
    for (const name of [orphan, part]) expect(await hasObject(name)).toBe(false);
    for (const name of [restorable, freshPart, foreign, objectName, 'store-id'])
      expect(await hasObject(name)).toBe(true);
    expect(await row(id)).toMatchObject({ state: 'kept' });
  });

  it('deletes objects without a row after an hour once no content is kept', async () => {
    const [orphan, fresh] = [await storeObject(hoursAgo(1.1)), await storeObject(hoursAgo(0.9))];
    await sweepOrphans(db, store, NOW, 0);
    expect([await hasObject(orphan), await hasObject(fresh)]).toEqual([false, true]);
  });

  it('marks content as lost whose object is missing, alone in its folder or not', async () => {
    const [alone, first, second] = [await keep(30), await keep(5), await keep(5)];
    await store.remove([alone.objectName, first.objectName]);
    await sweepOrphans(db, store, NOW, ROOMY.days);
    for (const { id } of [alone, first]) expect(await row(id)).toMatchObject({ state: 'deleted', reason: 'lost' });
    expect(await row(second.id)).toMatchObject({ state: 'kept' });
  });

  it('loses nothing of another store', async () => {
    const { id, objectName } = await keep(5, { storeId: uuidv7() });
    await store.remove([objectName]);
    await sweepOrphans(db, store, NOW, ROOMY.days);
    expect(await row(id)).toMatchObject({ state: 'kept' });
  });
});
