import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { PlainError } from '../process/plain-error.mjs';
import { runTool, toolPath } from '../steps/run-tool.mjs';

const OLDEST_POSTGRES = 15;
const CONNECT_TIMEOUT_MS = 10_000;
const WAIT_INTERVAL_MS = 1_000;
const MIGRATION_LOCK = 7_067_787;

export async function checkDatabase(url) {
  const client = await connectTo(url);
  const { rows } = await client.query('SHOW server_version_num');
  await client.end();
  const major = Math.floor(Number(rows[0].server_version_num) / 10_000);
  if (major >= OLDEST_POSTGRES) return;
  throw new PlainError(
    `Postroom needs Postgres ${OLDEST_POSTGRES} or later; the server at DATABASE_URL is version ${major}.`,
  );
}

/**
 * Applies pending migrations. Instances that start at the same time wait for each other.
 * @returns {Promise<number>} number of migrations applied
 * @throws PlainError if the database belongs to a newer version of Postroom
 */
export async function migrate(root, url) {
  const client = await connectTo(url);
  try {
    await client.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const pending = await pendingMigrations(client, root);
    if (pending.length > 0) await deploy(root, url);
    return pending.length;
  } finally {
    await client.end();
  }
}

/** Migrates a database that has nothing in it. @throws PlainError as `checkIsMigrated`, for any other */
export async function migrateIfNew(root, url) {
  const client = await connectTo(url);
  const applied = await appliedMigrations(client).finally(() => client.end());
  if (applied.size === 0) await migrate(root, url);
  else await checkIsMigrated(root, url);
}

/** @throws PlainError if the database belongs to another version of Postroom */
export async function checkIsMigrated(root, url) {
  const client = await connectTo(url);
  try {
    const pending = await pendingMigrations(client, root);
    if (pending.length > 0)
      throw new PlainError('The database is not up to date. Start this version of Postroom once first.');
  } finally {
    await client.end();
  }
}

async function pendingMigrations(client, root) {
  const [known, applied] = [migrationNames(root), await appliedMigrations(client)];
  const unknown = [...applied].filter((name) => !known.includes(name)).sort();
  if (unknown.length > 0)
    throw new PlainError(
      `The database is of a newer version of Postroom, with ${unknown.join(', ')}: start that version, or restore the ` +
        'copy of the database from before its upgrade.',
    );
  return known.filter((name) => !applied.has(name));
}

async function deploy(root, url) {
  const env = { ...process.env, DATABASE_URL: url };
  const { exitCode, output } = await runTool(toolPath(root, 'prisma'), ['migrate', 'deploy'], { root, env });
  if (exitCode !== 0) throw new PlainError(`The database could not be migrated:\n${output.trim()}`);
}

function migrationNames(root) {
  return readdirSync(join(root, 'prisma', 'migrations'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name);
}

async function appliedMigrations(client) {
  const { rows: tables } = await client.query("SELECT to_regclass('_prisma_migrations') AS name");
  if (!tables[0].name) return new Set();
  const { rows } = await client.query(
    'SELECT migration_name FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL',
  );
  return new Set(rows.map((row) => row.migration_name));
}

/** Resolves once the database can be used. @param {(reason: string) => void} onWait called with each new reason why it can't */
export async function waitForDatabase(url, onWait) {
  for (let known = ''; ; await sleep(WAIT_INTERVAL_MS)) {
    try {
      const client = await connectTo(url);
      return await client.end();
    } catch (error) {
      if (error.message !== known) onWait(error.message);
      known = error.message;
    }
  }
}

/** @throws PlainError if the database can't be used */
export async function connectTo(url) {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  client.on('error', () => {});
  try {
    await client.connect();
    return client;
  } catch (error) {
    const { hostname, port, pathname } = new URL(url);
    const place = `${hostname}:${port || 5432}${pathname}`;
    const reason = error.message || error.code || 'no response';
    throw new PlainError(`The database at ${place} cannot be used (${reason}): start it, or correct DATABASE_URL.`);
  }
}
