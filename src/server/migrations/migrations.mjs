import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** The app runs in the root of its repository. */
export const MIGRATIONS = path.join('prisma', 'migrations');
const SCRIPT = 'migration.sql';
/** The first line of a migration that some versions can't run with: those without the named migration. */
const BREAKS = /^-- Breaks versions before (\w+)/;
const NONE = 'breaks no version';
const SOME = 'breaks versions before ';
/** Shorter than Postgres's deadlock_timeout, so that an upgrade gives way to the app's transactions, which lock tables in other orders. */
const LOCK_TIMEOUT_MS = 500;
const RETRY_INTERVAL_MS = 500;
const MAX_TRIES = 60;
const IN_THE_WAY = new Set(['55P03', '40P01']);

/**
 * `logs` says which versions can't run with a migration that they don't know: it is NONE, SOME with the name of a migration that they
 * lack, or something else if nobody knows.
 * @typedef {{ name: string, checksum: string, logs?: string | null }} Migration
 * @typedef {Migration & { script: string, logs: string }} MigrationFile
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
      const [, needed] = BREAKS.exec(script) ?? [];
      const logs = needed ? `${SOME}${needed}` : NONE;
      return { name, script, logs, checksum: createHash('sha256').update(script).digest('hex') };
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
    `SELECT migration_name AS name, checksum, logs FROM _prisma_migrations
      WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL ORDER BY migration_name COLLATE "C"`,
  );
  return rows;
}

/**
 * Tells whether a version of Postroom runs with a migration of a later version.
 * @param {Migration} later
 * @param {readonly Migration[]} known those of the version
 */
export function runsWith({ logs }, known) {
  if (!logs?.startsWith(SOME)) return logs === NONE;
  return known.some(({ name }) => name === logs.slice(SOME.length));
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
  for (const migration of migrations) {
    signal?.throwIfAborted();
    const complaint = `${migration.name} waits for a table that a long transaction uses. End it, and start again.`;
    await givingWay(complaint, () => inTransaction(client, () => applyMigration(client, migration)));
  }
}

/** @param {ClientBase} client @param {MigrationFile} migration */
async function applyMigration(client, migration) {
  await limitLocks(client);
  await client.query(migration.script).catch((error) => {
    if (isInTheWay(error)) throw error;
    throw new FailedMigration(`${migration.name}: ${error.message}`, { cause: error });
  });
  const { name, checksum, logs } = migration;
  await client.query(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, logs, finished_at, applied_steps_count)
     VALUES ($1, $2, $3, $4, clock_timestamp(), 1)`,
    [randomUUID(), checksum, name, logs],
  );
  const { rows } = await client.query("SELECT to_regclass('sql_function') IS NOT NULL AS has_functions");
  if (rows[0].has_functions) await client.query("UPDATE sql_function SET hash = ''");
}

/**
 * Limits how long the current transaction waits for a lock, and so how long others wait behind it.
 * @param {ClientBase} client
 */
export async function limitLocks(client) {
  await client.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
}

/**
 * Repeats a transaction as long as others are in its way, for up to a minute.
 * @template T
 * @param {string} complaint
 * @param {() => Promise<T>} work
 * @throws UpgradeError with the complaint
 */
export async function givingWay(complaint, work) {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isInTheWay(error)) throw error;
      if (tries === MAX_TRIES) throw new UpgradeError(complaint, { cause: error });
      await sleep(RETRY_INTERVAL_MS);
    }
  }
}

/** Tells whether another transaction held a lock that this one needed. */
export function isInTheWay(error) {
  return IN_THE_WAY.has(error.code);
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
