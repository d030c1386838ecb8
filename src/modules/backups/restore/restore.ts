import type { ClientBase } from 'pg';
import { findMigrations } from '@/server/migrations/migrations.mjs';
import type { ArchiveSource, ReadOptions } from '../archive/format';
import { type Archive, openArchive } from '../archive/read';
import { compareArchive, type TableDifference } from './compare';
import { previewDomain, restoreDomain } from './domain/restore-domain';
import { type LoadOptions, type LoadResult, loadArchive } from './load';
import { withMigrated } from './migrated';
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
 * What `restore` would change. Reads the whole archive.
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
