import { randomUUID } from 'node:crypto';
import { chownSync, linkSync, mkdirSync, renameSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** `isNew` keeps a file that is there already. */
export type NewFile = { name: string; bytes: Uint8Array; isNew: boolean };

export type FolderToWrite = { root: string; minFreeBytes: number };

/** Why a file was not written, by the code of the system's error. */
export type WriteFailure = { code: string; message: string };

const MAX_ATTEMPTS = 3;
/** How long what was read of the folder is believed: its free space less what was written since, and its owner. */
const FACTS_AGE_MS = 1_000;
const DISK_FULL = 'ENOSPC';

type Facts = { freeBytes: number; owner: { uid: number; gid: number } | null; readAt: number };

const known = new Map<string, Facts>();

/** Writes files, each as a whole or not at all. Waits for the disk, so it belongs in a thread. @returns null for each that was written */
export function writeFiles(folder: FolderToWrite, files: readonly NewFile[]): (WriteFailure | null)[] {
  return files.map((file) => {
    try {
      writeFile(folder, file);
      return null;
    } catch (error) {
      const { code = '', message } = error as NodeJS.ErrnoException;
      return { code, message };
    }
  });
}

/** Seldom without its folder: this is the first file there, or the last one has just been removed with it. */
function writeFile(folder: FolderToWrite, file: NewFile, attemptsLeft = MAX_ATTEMPTS): void {
  try {
    const { owner } = takeSpace(folder, file.bytes.byteLength);
    putInPlace(path.join(folder.root, file.name), file);
    if (owner) giveTo(owner, folder.root, file.name);
  } catch (error) {
    if (attemptsLeft === 1 || (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    mkdirSync(path.dirname(path.join(folder.root, file.name)), { recursive: true, mode: 0o700 });
    writeFile(folder, file, attemptsLeft - 1);
  }
}

function putInPlace(target: string, { bytes, isNew }: NewFile): void {
  const part = `${target}.${randomUUID()}.part`;
  try {
    writeFileSync(part, bytes, { mode: 0o600 });
    // Unlike a rename, a link replaces nothing.
    if (isNew) linkUnlessThere(part, target);
    else renameSync(part, target);
    if (isNew) rmSync(part, { force: true });
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
}

function takeSpace({ root, minFreeBytes }: FolderToWrite, bytes: number): Facts {
  let facts = known.get(root);
  if (!facts || facts.freeBytes - minFreeBytes < bytes || performance.now() - facts.readAt > FACTS_AGE_MS) {
    const { bavail, bsize } = statfsSync(root);
    facts = { freeBytes: bavail * bsize, owner: ownerToSet(root), readAt: performance.now() };
    known.set(root, facts);
  }
  if (facts.freeBytes - minFreeBytes < bytes) {
    const message = `The disk of ${root} has less than ${minFreeBytes} bytes free.`;
    throw Object.assign(new Error(message), { code: DISK_FULL });
  }
  facts.freeBytes -= bytes;
  return facts;
}

/** The mail agent runs as root, and the app must read what it stores. */
function ownerToSet(root: string): Facts['owner'] {
  if (process.getuid?.() !== 0) return null;
  const { uid, gid } = statSync(root);
  return uid === 0 ? null : { uid, gid };
}

function giveTo({ uid, gid }: { uid: number; gid: number }, root: string, name: string): void {
  const segments = name.split('/');
  for (const index of segments.keys()) chownSync(path.join(root, ...segments.slice(0, index + 1)), uid, gid);
}

function linkUnlessThere(part: string, target: string): void {
  try {
    linkSync(part, target);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
