import { createHash } from 'node:crypto';
import pg, { type ClientBase } from 'pg';
import { MIGRATIONS, readMigrations } from '@/server/migrations/migrations.mjs';
import { findUnopened } from '@/server/secrets/reseal';
import { type ArchiveSource, countRows, type ReadOptions, type Table } from '../archive/format';
import { type Archive, openArchive } from '../archive/read';
import { copiedOut, copyOut, SESSION_SETTINGS } from '../archive/tables';
import { loadAll } from '../restore/load';
import { requireKnown, requireSameTables } from '../restore/versions';
import { withScratchDatabase } from '../scratch/database';
import { MigrationError, migrateTo } from '../scratch/migrations';

export type Proof = {
  isProven: boolean;
  /** The sentence that says what was proven, or why the proof failed. */
  message: string;
  rows: number;
  tables: number;
  /** Migrations that were applied after the restore, to an archive of an older version. */
  migrated: number;
  seconds: number;
};

type Options = ReadOptions & { migrationsFolder?: string };

/** Wrong values and violated constraints. */
const REFUSED = /^(22|23)/;
const MS_PER_SECOND = 1000;

/**
 * Restores an archive into a scratch database on the server of `databaseUrl`, compares every table with the archive, opens
 * the secrets with its keys, applies later migrations, and drops that database.
 * @throws ArchiveError for an archive that can't be used
 * @throws BackupError if the proof can't be made, which says nothing about the archive
 */
export async function proveArchive(databaseUrl: string, source: ArchiveSource, options: Options = {}): Promise<Proof> {
  const { signal, migrationsFolder = MIGRATIONS } = options;
  const startedAt = performance.now();
  const archive = await openArchive(source, signal);
  try {
    const { migrations, version, tables, left_out: foreign } = archive.header;
    const pending = requireKnown(archive.header, await readMigrations(migrationsFolder));
    const found = { rows: 0, migrated: 0 };
    const problem = await withScratchDatabase(databaseUrl, async ({ client }) => {
      const only = pending.length > 0 ? migrations.map(({ name }) => name) : undefined;
      await migrateTo(client, { folder: migrationsFolder, only, signal });
      await requireSameTables(client, archive.header);
      const total = tables.length * 2;
      found.rows = await loadAll(client, archive, {
        signal,
        onProgress: (progress) => options.onProgress?.({ ...progress, tables: { ...progress.tables, total } }),
      }).catch(notLoaded);
      const difference = await compareWithManifest(client, archive, options);
      if (difference) return difference;
      const unopened = await findUnopened(
        (text, values) => client.query(text, values).then(({ rows }) => rows),
        archive.secrets.secret_keys,
      );
      if (unopened.length > 0)
        return `The keys in the archive don’t open ${unopened.length} of its secrets: ${unopened.slice(0, 3).join(', ')}.`;
      if (pending.length > 0) await migrateTo(client, { folder: migrationsFolder, signal }).catch(notMigrated);
      found.migrated = pending.length;
      return null;
    }).catch((error: unknown) => {
      if (error instanceof NotProven) return error.message;
      throw error;
    });
    const seconds = (performance.now() - startedAt) / MS_PER_SECOND;
    const amount = `${found.rows.toLocaleString('en')} rows in ${tables.length} tables`;
    const later = found.migrated > 0 ? `, then migrated from version ${version}` : '';
    const others = foreign.length > 0 ? ` Not in it, because Postroom did not make them: ${foreign.join(', ')}.` : '';
    const message = problem ?? `Restored and compared: ${amount}${later}.${others}`;
    return { isProven: problem === null, message, tables: tables.length, ...found, seconds };
  } finally {
    archive.close();
  }
}

/** A reason against the archive. */
class NotProven extends Error {}

function notMigrated(error: unknown): never {
  if (!(error instanceof MigrationError)) throw error;
  throw new NotProven(`The archive can’t be migrated to this version. ${error.message}`, { cause: error });
}

function notLoaded(error: unknown): never {
  if (!(error instanceof pg.DatabaseError && REFUSED.test(error.code ?? ''))) throw error;
  throw new NotProven(`The database does not accept the rows of ${error.table ?? 'a table'}: ${error.message}.`, {
    cause: error,
  });
}

/**
 * Reads back what was restored from an archive that was read to its end.
 * @returns how the first table that differs does; null if none does
 */
async function compareWithManifest(
  client: ClientBase,
  { header, manifest }: Archive,
  { onProgress, signal }: ReadOptions,
): Promise<string | null> {
  const expected = manifest();
  const total = header.tables.length * 2;
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  try {
    await client.query(SESSION_SETTINGS);
    let rows = 0;
    for (const [index, table] of header.tables.entries()) {
      const found = await readTable(client, table, signal);
      rows += found.rows;
      const { name } = table;
      if (found.rows !== expected[name]?.rows)
        return `After the restore, ${name} has ${found.rows} rows instead of ${expected[name]?.rows}.`;
      if (found.sha256 !== expected[name].sha256)
        return `After the restore, ${name} has other values than the archive.`;
      onProgress?.({ table: name, tables: { done: header.tables.length + index + 1, total }, rows });
    }
    return null;
  } finally {
    await client.query('ROLLBACK');
  }
}

async function readTable(client: ClientBase, table: Table, signal?: AbortSignal) {
  const hash = createHash('sha256');
  let rows = 0;
  for await (const chunk of copiedOut(client, await copyOut(client, table))) {
    signal?.throwIfAborted();
    hash.update(chunk);
    rows += countRows(chunk);
  }
  return { rows, sha256: hash.digest('hex') };
}
