import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { StoredObject } from '@/server/object-store/port';

export type WriteOptions = {
  signal?: AbortSignal;
  onBytes?: (count: number) => void;
};

export type StoredArchive = { bytes: number; sha256: string };

/** Where archives are stored. @throws StoreError */
export type BackupTarget = {
  /** For people, without credentials. */
  label: string;
  /** Whether every host sees the same archives. A folder may be on one host only. */
  isShared: boolean;
  /** The archive has its name only once all of it is stored. A failure leaves nothing. */
  write: (name: string, archive: Readable, options?: WriteOptions) => Promise<StoredArchive>;
  /** Null if it is not there. */
  read: (name: string) => Promise<Readable | null>;
  /** Archives only. */
  list: () => AsyncIterable<StoredObject>;
  /** A missing one counts as removed. */
  remove: (name: string) => Promise<void>;
  /**
   * Refuses the mount point of a disk that isn't mounted, which has no archives, and must get none.
   * @param isNew whether nothing is known to be stored there; a folder is marked then
   */
  requirePlace: (options: { isNew: boolean }) => Promise<void>;
};

const ARCHIVE = /^[^/]+\.age$/;
const PART = /^[^/]+\.age\.[0-9a-f-]{36}\.part$/;

/** A name with the time, so that names sort by age. */
export function archiveName(at: Date): string {
  return `postroom-${at.toISOString().slice(0, 19).replaceAll(':', '-')}Z.age`;
}

export function isArchive(name: string): boolean {
  return ARCHIVE.test(name);
}

/** Returns the file name of an archive in a folder while it is written. No other writer uses the same name. */
export function newPartName(name: string): string {
  return `${name}.${randomUUID()}.part`;
}

export function isPart(name: string): boolean {
  return PART.test(name);
}
