import { hostname } from 'node:os';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { uuidv7 } from '@/lib/uuid';
import { createBucketStore } from '@/server/object-store/bucket';
import { createFolderStore } from '@/server/object-store/folder';
import { type ObjectStore, StoreError } from '@/server/object-store/port';
import { makeContentStore } from '@/test/content-store';
import { db } from '@/test/database';
import { startS3Server } from '@/test/servers/s3';
import { contentStore, prepareContentStore } from '../store';
import { checkContentStore, contentSettled, keepContent } from './keep';
import { createContentKeeper, type KeeperOptions, type NewContent } from './keeper';

const storeFolder = await makeContentStore();

const s3 = await startS3Server();

afterAll(() => s3.close());

const STORE_ID = uuidv7();

function keeperOn(store: ObjectStore, over: Partial<KeeperOptions> = {}) {
  const failures: StoreError[] = [];
  const onFailure = async (error: StoreError) => {
    failures.push(error);
  };
  const open = async () => ({ ...store, id: STORE_ID });
  return { ...createContentKeeper({ db, store: open, onFailure, retryStoreMs: 0, ...over }), failures };
}

function content(over: Partial<NewContent> = {}): NewContent {
  const raw = new TextEncoder().encode('Subject: Hi\r\n\r\nHello');
  const facts = { messageId: uuidv7(), domainId: null, sizeBytes: raw.byteLength, at: new Date() };
  return { ...facts, read: async () => raw, ...over };
}

const rowOf = ({ messageId }: NewContent) => db.messageContent.findUnique({ where: { messageId } });
const inFolder = () => createFolderStore(storeFolder, { minFreeBytes: 0 });

describe('content that can’t be stored', () => {
  it('says that the store is away while the storage server is stopped, and is kept again after that', async () => {
    const credentials = { ...s3, prefix: '', region: 'us-east-1' };
    const keeper = keeperOn(createBucketStore(credentials));
    const [before, meanwhile, after] = [content(), content(), content()];
    keeper.keep(before);
    await keeper.settled();
    await s3.stop();
    keeper.keep(meanwhile);
    await keeper.settled();
    await s3.start();
    keeper.keep(after);
    await keeper.settled();
    expect(await rowOf(before)).toMatchObject({ state: 'kept', storeId: STORE_ID });
    expect(await rowOf(meanwhile)).toMatchObject({ state: 'not_kept', reason: 'store_away', objectName: null });
    expect(await rowOf(after)).toMatchObject({ state: 'kept' });
    expect(keeper.failures).toHaveLength(1);
  });

  it('says that the store is full', async () => {
    const keeper = keeperOn(createFolderStore(storeFolder, { minFreeBytes: Number.MAX_SAFE_INTEGER }));
    const one = content();
    keeper.keep(one);
    await keeper.settled();
    expect(await rowOf(one)).toMatchObject({ state: 'not_kept', reason: 'store_full' });
  });

  it('says that there is no store, if its id is missing', async () => {
    const store = async () => {
      throw new StoreError('absent', 'no store-id');
    };
    const keeper = keeperOn(inFolder(), { store });
    const one = content();
    keeper.keep(one);
    await keeper.settled();
    expect(await rowOf(one)).toMatchObject({ state: 'not_kept', reason: 'no_store' });
  });

  it('waits for a store that hangs once, and asks it nothing for a while', async () => {
    let asked = 0;
    const put = async () => {
      asked += 1;
      throw new StoreError('away', 'The content store did not respond in time.');
    };
    const keeper = keeperOn({ ...inFolder(), put }, { retryStoreMs: 60_000 });
    const many = Array.from({ length: 50 }, () => content());
    for (const one of many) keeper.keep(one);
    await keeper.settled();
    // As many as are stored at once.
    expect(asked).toBeLessThanOrEqual(32);
    const rows = await db.messageContent.findMany({ where: { messageId: { in: many.map((one) => one.messageId) } } });
    expect(rows.map(({ reason }) => reason)).toEqual(many.map(() => 'store_away'));
  });

  it('is given up above a size in memory, while a single large message is accepted', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const store = inFolder();
    const put = async (...args: Parameters<ObjectStore['put']>) => {
      await held;
      return store.put(...args);
    };
    const keeper = keeperOn({ ...store, put }, { maxWaitingBytes: 1_000 });
    const [large, tooMuch] = [content({ sizeBytes: 5_000 }), content({ sizeBytes: 10 })];
    keeper.keep(large);
    keeper.keep(tooMuch);
    release();
    await keeper.settled();
    expect(await rowOf(large)).toMatchObject({ state: 'kept' });
    expect(await rowOf(tooMuch)).toMatchObject({ state: 'not_kept', reason: 'too_busy', rawBytes: 10 });
  });

  it('says whether there was no copy, or it could not be read', async () => {
    const keeper = keeperOn(inFolder());
    const none = content({ read: async () => null });
    const unreadable = content({
      read: async () => {
        throw new Error('doveadm failed');
      },
    });
    for (const one of [none, unreadable]) keeper.keep(one);
    await keeper.settled();
    expect(await rowOf(none)).toMatchObject({ state: 'not_kept', reason: 'no_copy' });
    expect(await rowOf(unreadable)).toMatchObject({ state: 'not_kept', reason: 'copy_unreadable' });
  });
});

describe('content that is stored already', () => {
  it('is not read again for a later delivery of the same message', async () => {
    const keeper = keeperOn(inFolder());
    const one = content();
    keeper.keep(one);
    await keeper.settled();
    let isRead = false;
    const read = async () => {
      isRead = true;
      return new Uint8Array(1);
    };
    keeper.keep({ ...one, read, isPerhapsKept: true });
    await keeper.settled();
    expect(isRead).toBe(false);
    expect((await rowOf(one))?.rawBytes).toBe(one.sizeBytes);
  });

  it('stays, whatever is reported about the message later', async () => {
    const keeper = keeperOn(inFolder());
    const one = content();
    keeper.keep(one);
    await keeper.settled();
    const stored = await rowOf(one);
    keeper.keep({ ...one, read: async () => null });
    keeper.keep({ ...one, read: async () => new Uint8Array(7) });
    await keeper.settled();
    expect(await rowOf(one)).toEqual(stored);
  });

  it('replaces the note that there was no copy', async () => {
    const keeper = keeperOn(inFolder());
    const one = content({ read: async () => null });
    keeper.keep(one);
    await keeper.settled();
    keeper.keep({ ...one, read: async () => new Uint8Array(7), isPerhapsKept: true });
    await keeper.settled();
    expect(await rowOf(one)).toMatchObject({ state: 'kept', reason: null, rawBytes: 7 });
  });
});

describe('the alert about the content store', () => {
  const alerts = () => db.alert.findMany({ where: { kind: 'content_store' }, orderBy: { createdAt: 'desc' } });

  beforeEach(() => db.alert.deleteMany({ where: { kind: 'content_store' } }));

  it('opens when a folder is no longer the store, once, and closes when the store is back', async () => {
    const { rename, writeFile, rm } = await import('node:fs/promises');
    await rename(storeFolder, `${storeFolder}-away`);
    await writeFile(storeFolder, 'a file');
    await expect(checkContentStore(db, new Date())).rejects.toThrow();
    await expect(checkContentStore(db, new Date())).rejects.toThrow();
    const one = content();
    keepContent(one);
    await contentSettled();
    expect(await rowOf(one)).toMatchObject({ state: 'not_kept', reason: 'store_away' });
    expect(await alerts()).toMatchObject([
      { status: 'open', severity: 'critical', subject: `${storeFolder} on ${hostname()}` },
    ]);
    await rm(storeFolder);
    await rename(`${storeFolder}-away`, storeFolder);
    await checkContentStore(db, new Date());
    expect(await alerts()).toMatchObject([{ status: 'closed', isResolved: true }]);
  });
});

describe('the id of a store', () => {
  it('stays the same, and an empty folder that takes its place is another store', async () => {
    const { id } = await prepareContentStore();
    expect((await prepareContentStore()).id).toBe(id);
    expect((await contentStore()).id).toBe(id);
    const { mkdir, rename, rm } = await import('node:fs/promises');
    await rename(storeFolder, `${storeFolder}-unmounted`);
    await mkdir(storeFolder);
    expect((await prepareContentStore()).id).not.toBe(id);
    await rm(storeFolder, { recursive: true });
    await rename(`${storeFolder}-unmounted`, storeFolder);
    expect((await prepareContentStore()).id).toBe(id);
  });
});
