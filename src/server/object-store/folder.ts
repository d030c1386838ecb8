import { randomUUID } from 'node:crypto';
import { chown, link, mkdir, open, readdir, readFile, rename, rm, rmdir, stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import { type ObjectStore, type StoredObject, StoreError, withDeadline } from './port';

/** Kept free for the database, which may share the disk. */
const MIN_FREE_BYTES = 256 * 1024 * 1024;
/** How long the free space that was read is believed, less what was stored since. */
const SPACE_AGE_MS = 1_000;
const MAX_ATTEMPTS = 3;

type Options = { minFreeBytes?: number; deadlineMs?: number };

/** Stores each object as a file of its name. Other users of the host can't read it. */
export function createFolderStore(root: string, options: Options = {}): ObjectStore {
  const { minFreeBytes = MIN_FREE_BYTES, deadlineMs } = options;
  const fileOf = (name: string) => path.join(root, name);
  const bounded = <Result>(work: () => Promise<Result>, bytes = 0) =>
    withDeadline(() => work().catch(rethrow), { bytes, deadlineMs });

  let space = { left: 0, readAt: Number.NEGATIVE_INFINITY };

  async function takeSpace(bytes: number): Promise<void> {
    if (space.left < bytes || performance.now() - space.readAt > SPACE_AGE_MS) {
      const { bavail, bsize } = await statfs(root);
      space = { left: bavail * bsize - minFreeBytes, readAt: performance.now() };
    }
    if (space.left < bytes) {
      throw new StoreError('full', `The disk of ${root} has less than ${minFreeBytes} bytes free.`);
    }
    space.left -= bytes;
  }

  async function write(name: string, bytes: Uint8Array, isNew = false): Promise<void> {
    const file = fileOf(name);
    await takeSpace(bytes.byteLength);
    const part = `${file}.${randomUUID()}.part`;
    try {
      const handle = await open(part, 'w', 0o600);
      await handle.writeFile(bytes).finally(() => handle.close());
      // Unlike a rename, a link replaces nothing.
      if (isNew) await link(part, file).catch(ignoreExisting);
      else await rename(part, file);
      if (isNew) await rm(part, { force: true });
    } catch (error) {
      await rm(part, { force: true });
      throw error;
    }
    await giveToOwner(name);
  }

  // The mail agent runs as root, and the app must read what it stores.
  async function giveToOwner(name: string): Promise<void> {
    if (process.getuid?.() !== 0) return;
    const { uid, gid } = await stat(root);
    if (uid === 0) return;
    const segments = name.split('/');
    for (const index of segments.keys()) await chown(fileOf(segments.slice(0, index + 1).join('/')), uid, gid);
  }

  return {
    label: root,
    put(name, bytes, { isNew } = { isNew: false }) {
      // Seldom without its folder: this is the first object there, or the last one has just been removed with it.
      const attempt = async (left = MAX_ATTEMPTS): Promise<void> => {
        try {
          await write(name, bytes, isNew);
        } catch (error) {
          if (left === 1 || (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
          await mkdir(path.dirname(fileOf(name)), { recursive: true, mode: 0o700 });
          await attempt(left - 1);
        }
      };
      return bounded(attempt, bytes.byteLength);
    },
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

async function orMissing<Result>(reading: Promise<Result>): Promise<Result | null> {
  return reading.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}

function rethrow(error: unknown): never {
  if (error instanceof StoreError) throw error;
  const { code = '', message } = error as NodeJS.ErrnoException;
  throw new StoreError(FULL.has(code) ? 'full' : 'away', message, { cause: error });
}

const FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);
