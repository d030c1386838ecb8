import path from 'node:path';
import { FUNCTIONS, readFunctions } from './function-files.mjs';
import { applyFunctions, findState } from './functions.mjs';
import { applyMigrations, findMigrations, MIGRATIONS, readMigrations, runsWith, UpgradeError } from './migrations.mjs';

/** ADVISORY_LOCKS.upgrades, which scripts can't import. */
const UPGRADE_LOCK = 7_203_030;
const NOT_UP_TO_DATE = 'The database is not up to date. Start this version of Postroom once first.';

/**
 * Brings a database to this version of Postroom: applies migrations, then functions. Instances that start at the same time wait for
 * each other.
 * @param {import('pg').Client} client
 * @param {string} root of the repository
 * @returns {Promise<number>} number of migrations applied
 * @throws UpgradeError
 */
export async function upgrade(client, root) {
  const { known, functions } = await readFiles(root);
  // A role can have a limit, which an index of a large table, or the wait for another instance, exceeds.
  await client.query('SET statement_timeout = 0');
  await client.query('SELECT pg_advisory_lock($1)', [UPGRADE_LOCK]);
  try {
    const pending = findPending(await findMigrations(client), known);
    await applyMigrations(client, pending).catch((error) => {
      if (error.name !== 'FailedMigration') throw error;
      throw new UpgradeError(`The database could not be migrated: ${error.message}`, { cause: error });
    });
    await applyFunctions(client, functions);
    return pending.length;
  } finally {
    await client.query('SELECT pg_advisory_unlock($1)', [UPGRADE_LOCK]).catch(() => {});
  }
}

/**
 * @param {import('pg').Client} client
 * @param {string} root of the repository
 * @throws UpgradeError if a database isn't of this version, or of a newer one that this one can work with
 */
export async function checkIsUpgraded(client, root) {
  const { known, functions } = await readFiles(root);
  if (findPending(await findMigrations(client), known).length > 0 || (await findState(client, functions)) === 'older')
    throw new UpgradeError(NOT_UP_TO_DATE);
}

/** @param {string} root */
async function readFiles(root) {
  const known = await readMigrations(path.join(root, MIGRATIONS));
  return { known, functions: await readFunctions(path.join(root, FUNCTIONS)) };
}

/**
 * @param {readonly import('./migrations.mjs').Migration[]} applied
 * @param {readonly import('./migrations.mjs').MigrationFile[]} known
 */
function findPending(applied, known) {
  const names = new Set(applied.map(({ name }) => name));
  const later = applied.filter(({ name }) => !known.some((file) => file.name === name));
  const broken = later.filter((migration) => !runsWith(migration, known)).map(({ name }) => name);
  if (broken.length > 0)
    throw new UpgradeError(
      `The database is of a newer version of Postroom, with ${broken.join(', ')}: start that version, or restore the ` +
        'copy of the database from before its upgrade.',
    );
  return known.filter(({ name }) => !names.has(name));
}
