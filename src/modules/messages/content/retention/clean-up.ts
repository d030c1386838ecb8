import type { Database } from '@/server/database/db';
import { processWide } from '@/server/process-wide';
import { env } from '@/server/settings/env';
import { prepareContentStore } from '../store';
import { deleteUnwantedObjects, dropContentOfDeletedDomains, expireContent } from './expire';
import { sweepOrphans } from './orphans';

// Listing everything takes a while in a large store, and orphans are rare.
const SWEEP_INTERVAL_MS = 6 * 60 * 60 * 1000;

const lastSweep = processWide<number>('content sweep');

/** Deletes content that is due, its objects, and objects that belong to no message. */
export async function cleanUpContent(db: Database, now: Date): Promise<void> {
  const { messageContentDays: days, contentStoreMaxMb: maxMb } = env();
  await expireContent(db, now, { days, maxMb });
  await dropContentOfDeletedDomains(db);
  const hasObjects = await db.messageContent.findFirst({
    where: { objectName: { not: null } },
    select: { state: true },
  });
  if (days === 0 && !hasObjects) return;
  const store = await prepareContentStore();
  await deleteUnwantedObjects(db, store);
  if (now.getTime() - (lastSweep.current ?? 0) < SWEEP_INTERVAL_MS) return;
  await sweepOrphans(db, store, now, days);
  lastSweep.current = now.getTime();
}
