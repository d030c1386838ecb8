import type { ClientBase } from 'pg';
import {
  applyMigrations,
  FailedMigration,
  findMigrations,
  MIGRATIONS,
  readMigrations,
} from '@/server/migrations/migrations.mjs';
import { BackupError } from '../archive/format';

/** A migration that the rows of an archive don't accept. */
export class MigrationError extends BackupError {
  override name = 'MigrationError';
}

/**
 * Applies pending migrations to a scratch database, without functions: the rows of an archive have what triggers set.
 * @param only those with these names, of the ones in the folder
 * @throws MigrationError
 */
export async function migrateTo(
  client: ClientBase,
  { folder = MIGRATIONS, only, signal }: { folder?: string; only?: readonly string[]; signal?: AbortSignal } = {},
): Promise<void> {
  const applied = new Set((await findMigrations(client)).map(({ name }) => name));
  const files = await readMigrations(folder);
  const pending = files.filter(({ name }) => !applied.has(name) && (!only || only.includes(name)));
  await applyMigrations(client, pending, signal).catch((error: unknown) => {
    if (!(error instanceof FailedMigration)) throw error;
    throw new MigrationError(`The migrations can’t be applied:\n${error.message}`, { cause: error });
  });
}
