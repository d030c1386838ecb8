import { env } from '../settings/env';
import { createFolderStore } from './folder';
import type { ObjectStore } from './port';

/** The store that CONTENT_STORE names. The client of buckets is large, so it is loaded only for one. */
export async function openContentStore(): Promise<ObjectStore> {
  const { contentStore, bucketCredentials: credentials } = env();
  if (contentStore.kind === 'file') return createFolderStore(contentStore.folder);
  const { createBucketStore } = await import('./bucket');
  return createBucketStore({ ...contentStore, credentials });
}
