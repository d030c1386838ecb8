import type { Readable } from 'node:stream';
import { z } from 'zod';

const NEW_LINE = 10;

/**
 * An archive is a tar file, gzipped, in the age format: `age -d -i KEY FILE | tar xz` opens it. Its entries, in this order:
 * postroom.json (Header), secrets.json (Secrets), the rows of each table as `tables/<table>/<part>` in the text format of
 * Postgres' COPY, in the order of the primary key, and manifest.json (Manifest). Without the last one it is not complete.
 */
export const FORMAT = 'postroom-backup-1';

export const ENTRIES = { header: 'postroom.json', secrets: 'secrets.json', manifest: 'manifest.json' } as const;

const Table = z.object({
  name: z.string(),
  /** Columns of the primary key come first. */
  columns: z.array(z.string()),
  keyLength: z.int().positive(),
});
export type Table = z.infer<typeof Table>;

export const Header = z.object({
  format: z.literal(FORMAT),
  version: z.string(),
  created_at: z.iso.datetime(),
  /** Public key of age of the server that made it; null with a passphrase. */
  server_key: z.string().nullable().default(null),
  /** The end of the audit log, so that it is known outside of the database. */
  audit_head: z.object({ seq: z.string(), hash: z.hex(), signature: z.string().nullable() }).nullable().default(null),
  /** Applied to the database, in order. */
  migrations: z.array(z.object({ name: z.string(), checksum: z.string() })),
  tables: z.array(Table),
  /** Last values. */
  sequences: z.record(z.string(), z.string()),
  /** Tables, and columns as `table.column`, that someone else added to the database. */
  left_out: z.array(z.string()).default([]),
});
export type Header = z.infer<typeof Header>;

/** The keys that sealed what the rows hold, the current one first. */
export const Secrets = z.object({ secret_keys: z.array(z.string()).min(1) });
export type Secrets = z.infer<typeof Secrets>;

/** By table. */
export const Manifest = z.record(z.string(), z.object({ rows: z.int(), bytes: z.int(), sha256: z.string() }));
export type Manifest = z.infer<typeof Manifest>;

/** Any one of them opens an archive. */
export type ArchiveKeys = {
  /** Private keys of age. */
  identities: readonly string[];
  passphrases?: readonly string[];
};

export type ArchiveSource = {
  /** The bytes of the archive from its beginning. Some operations read it twice. */
  open: () => Promise<Readable>;
  keys: ArchiveKeys;
};

/** How far an operation is: several calls for a table with many rows, the last one when it is done. */
export type Progress = {
  table: string;
  tables: { done: number; total: number };
  /** Rows of all tables so far. */
  rows: number;
};

export type ReadOptions = {
  onProgress?: (progress: Progress) => void;
  /** Ends the operation, which then throws the reason. */
  signal?: AbortSignal;
};

/** Why nothing was done, in a sentence for the person who asked for it. */
export class BackupError extends Error {
  override name = 'BackupError';
}

export type ArchiveProblem = 'wrong_key' | 'damaged' | 'newer' | 'incompatible';

/** Why an archive can't be used. */
export class ArchiveError extends BackupError {
  override name = 'ArchiveError';

  constructor(
    readonly problem: ArchiveProblem,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export function partName(table: string, part: number): string {
  return `tables/${table}/${String(part).padStart(6, '0')}`;
}

/** The table of an entry; null if the entry holds no rows. */
export function tableOf(entry: string): string | null {
  return /^tables\/(.+)\/\d{6,}$/s.exec(entry)?.[1] ?? null;
}

/** Rows in the text format end with a new line, and have none inside. */
export function countRows(bytes: Buffer): number {
  let rows = 0;
  for (let at = bytes.indexOf(NEW_LINE); at !== -1; at = bytes.indexOf(NEW_LINE, at + 1)) rows += 1;
  return rows;
}
