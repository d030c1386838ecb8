import { constants, createWriteStream } from 'node:fs';
import { link, lstat, mkdir, open, readdir, rename, rm, statfs, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { syncFolder } from '@/server/durable-file';
import { MIN_FREE_BYTES, orMissing, storeErrorOf } from '@/server/object-store/folder';
import { type StoredObject, StoreError } from '@/server/object-store/port';
import { BackupError } from '../archive/format';
import { measure } from './measure';
import { type BackupTarget, isArchive, isPart, newPartName } from './port';

/** The file that tells the folder of backups from the mount point of a disk that isn't mounted. */
const MARKER = 'postroom-backups';
const MARKER_TEXT =
  'Postroom stores its backups in this folder. Without this file, it takes the disk for not mounted.\n';
const ABANDONED_AFTER_MS = 60 * 60_000;
const ROOM_CHECKED_EVERY_BYTES = 16 * 1024 * 1024;

/**
 * Archives as files of a folder, which only the user of Postroom can read. One that is being written ends in `.part`; a crash
 * leaves that, and a backup an hour later removes it. Nothing but a file counts as an archive, not even a link to one.
 */
export function createFolderTarget(root: string, { minFreeBytes = MIN_FREE_BYTES } = {}): BackupTarget {
  const fileOf = (name: string) => path.join(root, name);
  return {
    label: root,
    isShared: false,
    async write(name, archive, { signal, onBytes } = {}) {
      const [file, part] = [fileOf(name), fileOf(newPartName(name))];
      const { chunks, failure, measured } = measure(archive, onBytes);
      try {
        await mkdir(root, { recursive: true, mode: 0o700 });
        await removeParts(root);
        const written = createWriteStream(part, { flags: 'wx', mode: 0o600, flush: true });
        await pipeline(chunks, checkRoom(root, minFreeBytes), written, { signal });
        await giveName(part, file);
        await syncFolder(root);
      } catch (error) {
        archive.destroy();
        await rm(part, { force: true }).catch(() => {});
        signal?.throwIfAborted();
        throw failure()?.error ?? (error instanceof BackupError ? error : storeErrorOf(error));
      }
      return measured();
    },
    async read(name) {
      try {
        // Without a wait for what isn't a file.
        const handle = await open(fileOf(name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
        if ((await handle.stat()).isFile()) return handle.createReadStream();
        await handle.close();
        return null;
      } catch (error) {
        if (NO_FILE.has((error as NodeJS.ErrnoException).code)) return null;
        throw storeErrorOf(error);
      }
    },
    async *list() {
      const names = await orMissing(readdir(root));
      for (const name of names?.filter(isArchive) ?? []) {
        const found = await describe(fileOf(name));
        if (found) yield { ...found, name };
      }
    },
    async remove(name) {
      await rm(fileOf(name), { force: true }).catch((error) => Promise.reject(storeErrorOf(error)));
    },
    async requirePlace({ isNew }) {
      const marker = fileOf(MARKER);
      if (await orMissing(lstat(marker))) return;
      if (!isNew) throw new StoreError('absent', notMounted(root));
      try {
        await mkdir(root, { recursive: true, mode: 0o700 });
        await writeFile(marker, MARKER_TEXT, { mode: 0o600, flush: true });
      } catch (error) {
        throw storeErrorOf(error);
      }
    },
  };
}

/** A link isn't followed. */
const NO_FILE: ReadonlySet<unknown> = new Set(['ENOENT', 'ELOOP']);

function notMounted(root: string): string {
  return `${root} is not the folder of the backups: it has no file ${MARKER}. Mount its disk. If the disk was replaced, create that file.`;
}

/** Replaces no archive: another server may have written one of this name. */
async function giveName(part: string, file: string): Promise<void> {
  try {
    await link(part, file);
    await rm(part);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isTaken = code === 'EEXIST' || (NO_LINKS.has(code) && (await orMissing(lstat(file))) !== null);
    if (isTaken) throw new BackupError(`${file} exists already. Another server may use this folder.`);
    if (!NO_LINKS.has(code)) throw error;
    await rename(part, file);
  }
}

/** Errors of file systems without hard links, such as FAT. */
const NO_LINKS: ReadonlySet<unknown> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

async function describe(file: string): Promise<Omit<StoredObject, 'name'> | null> {
  const found = await orMissing(lstat(file));
  return found?.isFile() ? { bytes: found.size, storedAt: found.mtime } : null;
}

/** Ends a stream before it fills the disk. */
function checkRoom(root: string, minFreeBytes: number): Transform {
  let unchecked = Number.POSITIVE_INFINITY;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      unchecked += chunk.byteLength;
      if (unchecked < ROOM_CHECKED_EVERY_BYTES) return done(null, chunk);
      unchecked = 0;
      statfs(root).then(({ bavail, bsize }) => {
        const hasRoom = bavail * bsize >= minFreeBytes;
        done(hasRoom ? null : new StoreError('full', `The disk of ${root} is nearly full.`), chunk);
      }, done);
    },
  });
}

/** Removes the parts of backups that were killed. Another server may be writing a part to the same folder. */
async function removeParts(folder: string): Promise<void> {
  for (const name of (await readdir(folder)).filter(isPart)) {
    const part = path.join(folder, name);
    const found = await orMissing(lstat(part));
    if (found?.isFile() && Date.now() - found.mtimeMs > ABANDONED_AFTER_MS) await rm(part, { force: true });
  }
}
