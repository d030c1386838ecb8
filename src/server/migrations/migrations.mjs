import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/** The app runs in the root of its repository. */
export const MIGRATIONS = path.join('prisma', 'migrations');
const SCRIPT = 'migration.sql';

/**
 * @typedef {{ name: string, checksum: string }} Migration
 * @typedef {Migration & { script: string }} MigrationFile
 * @typedef {import('pg').ClientBase} ClientBase
 */

/** Why this version of Postroom can't use a database, and what to do. */
export class UpgradeError extends Error {
  /** @override */
  name = 'UpgradeError';
}

/** A migration that the database rejected, with its name and the reason. */
export class FailedMigration extends Error {
  /** @override */
  name = 'FailedMigration';
}

/**
 * Returns the migrations of this version of Postroom, in order.
 * @returns {Promise<MigrationFile[]>}
 */
export async function readMigrations(folder = MIGRATIONS) {
  const entries = await readdir(/*turbopackIgnore: true*/ folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  return Promise.all(
    names.toSorted().map(async (name) => {
      const script = await readFile(path.join(/*turbopackIgnore: true*/ folder, name, SCRIPT), 'utf8');
      return { name, script, checksum: createHash('sha256').update(script).digest('hex') };
    }),
  );
}

/**
 * Returns the migrations that a database has, in order.
 * @param {ClientBase} client
 * @returns {Promise<Migration[]>}
 */
export async function findMigrations(client) {
  const { rows: tables } = await client.query("SELECT to_regclass('_prisma_migrations') IS NOT NULL AS is_known");
  if (!tables[0].is_known) return [];
  const { rows } = await client.query(
    `SELECT migration_name AS name, checksum FROM _prisma_migrations
      WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL ORDER BY migration_name COLLATE "C"`,
  );
  return rows;
}

/**
 * Applies migrations, each in a transaction of its own, and records them as Prisma does. The files of prisma/functions are
 * applied again after them, because a migration may have dropped a view to change its table.
 * @param {ClientBase} client
 * @param {readonly MigrationFile[]} migrations
 * @param {AbortSignal} [signal]
 * @throws FailedMigration
 */
export async function applyMigrations(client, migrations, signal) {
  await client.query(`
    CREATE TABLE IF NOT EXISTS _prisma_migrations (
      id varchar(36) PRIMARY KEY,
      checksum varchar(64) NOT NULL,
      finished_at timestamptz,
      migration_name varchar(255) NOT NULL,
      logs text,
      rolled_back_at timestamptz,
      started_at timestamptz NOT NULL DEFAULT now(),
      applied_steps_count integer NOT NULL DEFAULT 0
    )`);
  for (const { name, checksum, script } of migrations) {
    signal?.throwIfAborted();
    await inTransaction(client, async () => {
      await client.query(script).catch((error) => {
        throw new FailedMigration(`${name}: ${error.message}`, { cause: error });
      });
      await recordMigration(client, { name, checksum });
      const { rows } = await client.query("SELECT to_regclass('sql_function') IS NOT NULL AS has_functions");
      if (rows[0].has_functions) await client.query("UPDATE sql_function SET hash = ''");
    });
  }
}

/**
 * @param {ClientBase} client
 * @param {Migration} migration
 * @param {Date} [startedAt] now, if it is left out
 */
export async function recordMigration(client, { name, checksum }, startedAt) {
  await client.query(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
     VALUES ($1, $2, $3, coalesce($4, now()), clock_timestamp(), 1)`,
    [randomUUID(), checksum, name, startedAt],
  );
}

/**
 * @param {ClientBase} client
 * @param {() => Promise<void>} work
 */
export async function inTransaction(client, work) {
  await client.query('BEGIN');
  try {
    await work();
    await client.query('COMMIT');
  } catch (error) {
    // A broken connection has ended the transaction itself.
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}
