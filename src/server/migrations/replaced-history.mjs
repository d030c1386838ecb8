// Before the first release, 61 migrations were replaced by one, `20261121000000_baseline`, which makes the same tables. This
// adopts the databases that they made, and the archives of such databases.
import { createHash } from 'node:crypto';
import { inTransaction, recordMigration } from './migrations.mjs';

const BASELINE = '20261121000000_baseline';
const FIRST_REPLACED = '20261121000000_foundation';
const LAST_REPLACED = '20261202120000_role_addresses';
const REPLACED_COUNT = 61;
/** SHA-256 of the names and checksums of the replaced migrations, one a line. */
const REPLACED_SHA256 = '41dc7bfdff8d5df21c2402ee5ddd16bcb2852bb653cdff1bed4781a313f38547';
/** A commit with all of the replaced migrations: a start of it completes a database. */
export const LAST_COMMIT_BEFORE = '491fc2eb';

/**
 * @typedef {import('./migrations.mjs').Migration} Migration
 * @typedef {'no' | 'complete' | 'partial' | 'altered'} ReplacedHistory
 */

/**
 * Tells whether migrations, in order, are those that the baseline replaced: all of them, some of them, or others of the same
 * names. Later ones may follow.
 * @param {readonly Migration[]} migrations
 * @returns {ReplacedHistory}
 */
export function findReplacedHistory(migrations) {
  const replaced = replacedOf(migrations);
  if (replaced.length === 0) return 'no';
  if (replaced.length !== REPLACED_COUNT || replaced.at(-1)?.name !== LAST_REPLACED) return 'partial';
  const text = replaced.map(({ name, checksum }) => `${name} ${checksum}`).join('\n');
  return createHash('sha256').update(text).digest('hex') === REPLACED_SHA256 ? 'complete' : 'altered';
}

/**
 * Returns migrations with the baseline in place of all those that it replaced.
 * @template {Migration} M
 * @param {readonly Migration[]} migrations
 * @param {readonly M[]} known those of this version
 */
export function withBaseline(migrations, known) {
  const replaced = replacedOf(migrations);
  return [...known.filter(({ name }) => name === BASELINE), ...migrations.slice(replaced.length)].map(
    ({ name, checksum, logs }) => ({ name, checksum, logs }),
  );
}

/**
 * Records the baseline in place of the migrations that it replaced. Tables and rows stay as they are.
 * @param {import('pg').ClientBase} client
 * @param {readonly Migration[]} applied
 * @param {readonly Migration[]} known
 */
export async function adoptBaseline(client, applied, known) {
  const baseline = known.find(({ name }) => name === BASELINE);
  if (!baseline) throw new Error(`${BASELINE} is missing`);
  const names = replacedOf(applied).map(({ name }) => name);
  await inTransaction(client, async () => {
    const { rows } = await client.query(
      `WITH replaced AS (DELETE FROM _prisma_migrations WHERE migration_name = ANY ($1) RETURNING started_at)
       SELECT min(started_at) AS started_at FROM replaced`,
      [names],
    );
    await recordMigration(client, baseline, rows[0].started_at);
    // The only function that no file has: instances of before the audit log's anchor called it.
    await client.query('DROP FUNCTION IF EXISTS seal_audit_entries(integer)');
  });
}

/** @param {readonly Migration[]} migrations */
function replacedOf(migrations) {
  if (migrations.some(({ name }) => name === BASELINE) || migrations[0]?.name !== FIRST_REPLACED) return [];
  return migrations.filter(({ name }) => name <= LAST_REPLACED);
}
