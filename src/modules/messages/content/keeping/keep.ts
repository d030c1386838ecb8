import { hostname } from 'node:os';
import { openAlerts, resolveAlert } from '@/modules/alerts/service';
import { systemClock } from '@/server/clock';
import { type Database, database } from '@/server/database/db';
import { processWide } from '@/server/process-wide';
import { env } from '@/server/settings/env';
import { contentStore, labelOfStore, prepareContentStore } from '../store';
import { type ContentKeeper, createContentKeeper, type NewContent } from './keeper';

const KIND = 'content_store';
const PROBE = 'probe';
const MAX_SETTLE_MS = 5_000;

const shared = processWide<ContentKeeper>('content keeper');

/** Keeps the content of a message in the background, if content is kept at all. Never fails and never waits. */
export function keepContent(content: NewContent): void {
  if (env().messageContentDays === 0) return;
  shared.current ??= createContentKeeper({
    db: database(),
    store: contentStore,
    // The app opens one about its own store; a mail agent may have another folder.
    onFailure: async ({ failure }) => {
      if (failure !== 'absent') await openAlert(database(), systemClock.now());
    },
    onRecovery: () => resolveOwnAlert(database(), systemClock.now()),
  });
  shared.current.keep(content);
}

/** Resolves when everything given to {@link keepContent} is stored, at the latest after a few seconds. */
export async function contentSettled(): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, MAX_SETTLE_MS);
  });
  await Promise.race([shared.current?.settled(), late]);
  clearTimeout(timer);
}

/** Opens the alert about the store if nothing can be stored, and closes it once something can. */
export async function checkContentStore(db: Database, now: Date): Promise<void> {
  if (env().messageContentDays === 0) return resolveOwnAlert(db, now);
  try {
    const { put, remove } = await prepareContentStore();
    await put(PROBE, new Uint8Array(1));
    await remove([PROBE]);
  } catch (error) {
    await openAlert(db, now);
    throw error;
  }
  await resolveOwnAlert(db, now);
}

async function openAlert(db: Database, now: Date): Promise<void> {
  const facts = { domainId: null, count: 0, expected: 0 };
  await openAlerts(db, [{ kind: KIND, subject: await subjectOf(), ...facts }], now);
}

async function resolveOwnAlert(db: Database, now: Date): Promise<void> {
  await resolveAlert(db, { kind: KIND, subject: await subjectOf() }, now);
}

/** The store as this host sees it: another one may reach it. */
async function subjectOf(): Promise<string> {
  return `${await labelOfStore()} on ${hostname()}`;
}
