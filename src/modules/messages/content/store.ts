import { validate as isUuid } from 'uuid';
import { createFolderStore } from '@/server/object-store/folder';
import { type ObjectStore, StoreError } from '@/server/object-store/port';
import { processWide } from '@/server/process-wide';
import { env } from '@/server/settings/env';

/** A store with the id that is stored in it. Rows name the id, so a wrong or unmounted folder isn't taken for the store. */
export type ContentStore = ObjectStore & { id: string };

const ID_OBJECT = 'store-id';
const MAX_ID_BYTES = 100;
const ID_VALID_MS = 30_000;

const opened = processWide<Promise<ObjectStore>>('content store');
/** Why this process couldn't give the store an id. */
const whyUnprepared = processWide<Error>('content store without id');
const identified = processWide<{ id: string; until: number }>('content store id');

/** The content store of this process. @throws StoreError if it is away or has no id */
export async function contentStore(): Promise<ContentStore> {
  const objects = await openOnce();
  if (!identified.current || identified.current.until < performance.now()) {
    const id = await readId(objects);
    if (!id)
      throw (
        whyUnprepared.current ??
        new StoreError('absent', `${objects.label} is not a content store: it has no ${ID_OBJECT}.`)
      );
    identified.current = { id, until: performance.now() + ID_VALID_MS };
  }
  return { ...objects, id: identified.current.id };
}

/** Gives an empty store its id. Only the app does this: a mail agent with another folder must not start a store of its own. */
export async function prepareContentStore(): Promise<ContentStore> {
  identified.current = undefined;
  const objects = await openOnce();
  if (!(await readId(objects))) {
    whyUnprepared.current = await objects.putId(ID_OBJECT).then(
      () => undefined,
      (error: Error) => error,
    );
  }
  return contentStore();
}

/** Where the store is, for alerts. */
export async function labelOfStore(): Promise<string> {
  return (await openOnce()).label;
}

function openOnce(): Promise<ObjectStore> {
  opened.current ??= openContentStore();
  return opened.current;
}

async function readId(store: ObjectStore): Promise<string | null> {
  const bytes = await store.get(ID_OBJECT, MAX_ID_BYTES);
  const id = bytes && new TextDecoder().decode(bytes);
  return id && isUuid(id) ? id : null;
}

/** The store that CONTENT_STORE names. The client of buckets is large, so it is loaded only for one. */
async function openContentStore(): Promise<ObjectStore> {
  const { contentStore, bucketCredentials: credentials } = env();
  if (contentStore.kind === 'file') return createFolderStore(contentStore.folder);
  const { createBucketStore } = await import('@/server/object-store/bucket');
  return createBucketStore({ ...contentStore, credentials });
}
