import { readdir, readFile, rm, rmdir, stat } from 'node:fs/promises';
import path from 'node:path';
import pLimit from 'p-limit';
import { isDiskFull } from '@/lib/disk-full';
import { uuidv7 } from '@/lib/uuid';
import { createFolderWriter } from './folder-writer';
import { type ObjectStore, type StoredObject, StoreError, withDeadline } from './port';

/** Kept free for the database, which may share the disk. */
export const MIN_FREE_BYTES = 256 * 1024 * 1024;

/**
 * How many calls of a folder run at once. One that hangs, as in a network folder whose server has gone, holds one of the threads that all
 * file calls and name lookups of the process share.
 */
const MAX_CALLS = 2;

type Options = { minFreeBytes?: number; deadlineMs?: number };

/** Stores each object as a file of its name. Other users of the host can't read it. */
export function createFolderStore(root: string, options: Options = {}): ObjectStore {
  const { minFreeBytes = MIN_FREE_BYTES, deadlineMs } = options;
  const write = createFolderWriter({ root, minFreeBytes });
  const fileOf = (name: string) => path.join(root, name);
  const limited = pLimit(MAX_CALLS);
  let hanging = 0;

  async function inTime<Result>(work: (signal: AbortSignal) => Promise<Result>, bytes = 0): Promise<Result> {
    if (hanging === MAX_CALLS) throw new StoreError('away', `${root} does not respond.`);
    return withDeadline((signal) => work(signal).catch(rethrow), { bytes, deadlineMs });
  }

  const bounded = <Result>(work: () => Promise<Result>, bytes = 0) =>
    inTime((signal) => limited(() => counted(work, signal)), bytes);

  /** Counts the call as hanging from its deadline to its end. */
  async function counted<Result>(work: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    // It waited for too long.
    signal.throwIfAborted();
    signal.addEventListener('abort', () => {
      hanging += 1;
    });
    return work().finally(() => {
      if (signal.aborted) hanging -= 1;
    });
  }

  return {
    label: root,
    put: (name, bytes) => put(name, bytes, false),
    // The folder may be another one, such as the place where the real one isn't mounted, so each has an id of its own.
    putId: (name) => put(name, new TextEncoder().encode(uuidv7()), true),
    get: (name, maxBytes) =>
      bounded(async () => {
        const found = await orMissing(stat(fileOf(name)));
        if (!found) return null;
        if (found.size > maxBytes) throw new Error(`${name} has ${found.size} bytes instead of at most ${maxBytes}`);
        return orMissing(readFile(fileOf(name)));
      }, maxBytes),
    async remove(names) {
      for (const name of names) await bounded(() => rm(fileOf(name), { force: true }));
      const folders = new Set(names.map((name) => path.posix.dirname(name)));
      for (const folder of folders) await bounded(() => removeEmpty(folder));
    },
    list: () => listIn(''),
  };

  function put(name: string, bytes: Uint8Array, isNew: boolean): Promise<void> {
    return inTime(async () => {
      const failure = await write({ name, bytes, isNew });
      if (failure) throw Object.assign(new Error(failure.message), { code: failure.code });
    }, bytes.byteLength);
  }

  async function* listIn(folder: string): AsyncGenerator<StoredObject> {
    const entries = (await bounded(() => orMissing(readdir(fileOf(folder), { withFileTypes: true })))) ?? [];
    for (const { name } of entries.filter((entry) => entry.isFile())) {
      const found = await bounded(() => describe(path.posix.join(folder, name)));
      if (found) yield found;
    }
    for (const { name } of entries.filter((entry) => entry.isDirectory())) yield* listIn(path.posix.join(folder, name));
  }

  async function describe(name: string): Promise<StoredObject | null> {
    const found = await orMissing(stat(fileOf(name)));
    return found && { name, bytes: found.size, storedAt: found.mtime };
  }

  /** Removes the folder and those above it that are empty then. */
  async function removeEmpty(folder: string): Promise<void> {
    for (let one = folder; one !== '.' && one !== ''; one = path.posix.dirname(one)) {
      const entries = await orMissing(readdir(fileOf(one)));
      if (!entries || entries.length > 0) return;
      // Fails if another object was stored in the meantime.
      await rmdir(fileOf(one)).catch(() => {});
    }
  }
}

/** @returns null if there is no such file or folder @throws StoreError */
export async function orMissing<Result>(reading: Promise<Result>): Promise<Result | null> {
  return reading.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw storeErrorOf(error);
  });
}

function rethrow(error: unknown): never {
  throw storeErrorOf(error);
}

/** The error of a store for one of the file system. */
export function storeErrorOf(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const { message } = error as Error;
  return new StoreError(isDiskFull(error) ? 'full' : 'away', message, { cause: error });
}
