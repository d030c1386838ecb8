import type pg from 'pg';
import { env } from '@/server/settings/env';
import { findContents } from '../archive/contents';
import { copiedOut } from '../archive/copy';
import type { ReadOptions } from '../archive/format';
import type { Archive, ArchivePart } from '../archive/read';
import { copyOut, SESSION_SETTINGS } from '../archive/tables';
import { withScratchDatabase } from '../scratch/database';
import { migrateTo } from '../scratch/migrations';
import { loadAll } from './load';
import { requireSameTables } from './versions';

type Options<Result> = ReadOptions & {
  migrationsFolder?: string;
  /** Names of all that the database has. */
  applied: readonly string[];
  use: (archive: Archive, options: ReadOptions) => Promise<Result>;
};

/** Runs `use` with what an archive of an older version has after the migrations since, which are applied in a scratch database. */
export async function withMigrated<Result>(
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
