import type pg from 'pg';
import type { ClientBase } from 'pg';
import { findMigrations } from '@/server/migrations/migrations.mjs';
import { env } from '@/server/settings/env';
import { findContents } from '../archive/contents';
import type { ArchiveSource, ReadOptions } from '../archive/format';
import { type Archive, type ArchivePart, openArchive } from '../archive/read';
import { copiedOut, copyOut, SESSION_SETTINGS } from '../archive/tables';
import { withScratchDatabase } from '../scratch/database';
import { migrateTo } from '../scratch/migrations';
import { compareArchive, type TableDifference } from './compare';
import { previewDomain, restoreDomain } from './domain/restore-domain';
import { type LoadOptions, type LoadResult, loadAll, loadArchive } from './load';
import { requireKnown, requireSameTables } from './versions';

/** Instead of everything. */
type Scope = { domainId: string };

export type PreviewOptions = ReadOptions & { scope?: Scope; migrationsFolder?: string };

export type RestoreOptions = PreviewOptions & LoadOptions;

export type RestoreResult = LoadResult;

/**
 * Replaces the content of the database by that of an archive, or changes nothing.
 * @throws ArchiveError
 */
export async function restore(
  client: ClientBase,
  source: ArchiveSource,
  options: RestoreOptions = {},
): Promise<RestoreResult> {
  return withArchive(client, source, options, (archive, reading) =>
    options.scope
      ? restoreDomain(client, archive, options.scope.domainId, { ...options, ...reading })
      : loadArchive(client, archive, { ...options, ...reading }),
  );
}

/**
 * Returns the changes that `restore` would make. Reads the whole archive.
 * @throws ArchiveError
 */
export async function previewRestore(
  client: ClientBase,
  source: ArchiveSource,
  options: PreviewOptions = {},
): Promise<TableDifference[]> {
  return withArchive(client, source, options, (archive, reading) =>
    options.scope
      ? previewDomain(client, archive, options.scope.domainId, reading)
      : compareArchive(client, archive, reading),
  );
}

async function withArchive<Result>(
  client: ClientBase,
  source: ArchiveSource,
  { migrationsFolder, onProgress, signal }: PreviewOptions,
  use: (archive: Archive, options: ReadOptions) => Promise<Result>,
): Promise<Result> {
  const archive = await openArchive(source, signal);
  try {
    const migrations = await findMigrations(client);
    if (requireKnown(archive.header, migrations).length === 0) {
      await requireSameTables(client, archive.header);
      return await use(archive, { onProgress, signal });
    }
    const applied = migrations.map(({ name }) => name);
    return await withMigrated(archive, { migrationsFolder, applied, use, onProgress, signal });
  } finally {
    archive.close();
  }
}

type Options<Result> = ReadOptions & {
  migrationsFolder?: string;
  /** Names of all that the database has. */
  applied: readonly string[];
  use: (archive: Archive, options: ReadOptions) => Promise<Result>;
};

/** Runs `use` with what an archive of an older version has after the migrations since, which are applied in a scratch database. */
async function withMigrated<Result>(
  archive: Archive,
  { migrationsFolder: folder, applied, use, onProgress, signal }: Options<Result>,
): Promise<Result> {
  const before = archive.header.tables.length;
  return withScratchDatabase(env().databaseUrl, async ({ client }) => {
    await migrateTo(client, { folder, only: archive.header.migrations.map(({ name }) => name), signal });
    await requireSameTables(client, archive.header);
    await loadAll(client, archive, {
      signal,
      onProgress: (progress) =>
        onProgress?.({ ...progress, tables: { done: progress.tables.done, total: before * 2 } }),
    });
    await migrateTo(client, { folder, only: applied, signal });
    return readAs(client, archive, (migrated) =>
      use(migrated, {
        signal,
        onProgress: ({ tables: { done, total }, ...progress }) =>
          onProgress?.({ ...progress, tables: { done: before + done, total: before + total } }),
      }),
    );
  });
}

/** Reads a database as if it were an archive. */
async function readAs<Result>(
  client: pg.Client,
  { secrets, header, ...archive }: Archive,
  use: (archive: Archive) => Promise<Result>,
): Promise<Result> {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  await client.query(SESSION_SETTINGS);
  const { tables, sequences } = await findContents(client);
  async function* parts(): AsyncGenerator<ArchivePart> {
    for (const table of tables)
      for await (const bytes of copiedOut(client, await copyOut(client, table))) yield { table: table.name, bytes };
  }
  return use({ ...archive, secrets, header: { ...header, tables, sequences }, parts: parts() });
}
