import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';

export type SpoolLimits = { maxAgeMs: number; maxBytes: number };

type StoredMessage = { files: string[]; bytes: number; storedAt: number };

// A younger one may still be in use.
const MIN_AGE_MS = 10 * 60_000;

/**
 * Deletes the messages of spool folders that are too old, then the oldest until the rest fits into the size. Messages that
 * are being written or whose reports are due stay.
 */
export async function deleteOldMessages(dirs: string[], { maxAgeMs, maxBytes }: SpoolLimits, now: Date): Promise<void> {
  const messages = (await Promise.all(dirs.map(listMessages))).flat();
  let remainingBytes = messages.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const { files, bytes, storedAt } of messages.toSorted((one, other) => one.storedAt - other.storedAt)) {
    const ageMs = now.getTime() - storedAt;
    if (ageMs < MIN_AGE_MS || (ageMs <= maxAgeMs && remainingBytes <= maxBytes)) return;
    for (const file of files) await rm(file, { force: true });
    remainingBytes -= bytes;
  }
}

async function listMessages(dir: string): Promise<StoredMessage[]> {
  const byQueueId = new Map<string, string[]>();
  for (const { name } of (await readdir(dir, { withFileTypes: true })).filter((file) => file.isFile())) {
    const queueId = name.slice(0, name.indexOf('.'));
    byQueueId.set(queueId, [...(byQueueId.get(queueId) ?? []), name]);
  }
  const messages: StoredMessage[] = [];
  for (const names of byQueueId.values()) {
    if (names.some((name) => name.endsWith('.part') || name.endsWith('.due'))) continue;
    // The message first: without it, the other files are ignored.
    const paths = names.toSorted().map((name) => path.join(dir, name));
    const found = await Promise.all(paths.map((file) => stat(file).catch(() => null)));
    const [first] = found;
    if (!first) continue;
    const bytes = found.reduce((sum, file) => sum + (file?.size ?? 0), 0);
    messages.push({ files: paths, bytes, storedAt: first.mtimeMs });
  }
  return messages;
}
