import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { PlainError } from '../process/plain-error.mjs';
import { runTool, toolPath } from '../steps/run-tool.mjs';

const OLDEST_POSTGRES = 15;
const CONNECT_TIMEOUT_MS = 10_000;
const MIGRATION_LOCK = 7_067_787;

export async function checkDatabase(url) {
  const client = await connectTo(url);
  const { rows } = await client.query('SHOW server_version_num');
  await client.end();
  const major = Math.floor(Number(rows[0].server_version_num) / 10_000);
  if (major >= OLDEST_POSTGRES) return;
  throw new PlainError(`Postroom needs Postgres ${OLDEST_POSTGRES} or newer; DATABASE_URL leads to ${major}.`);
}

/**
 * Applies what is pending. Instances that start at once on one database wait for each other.
 * @returns {Promise<number>} how many migrations were applied
 */
export async function migrate(root, url) {
  const client = await connectTo(url);
  try {
    await client.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const applied = await appliedMigrations(client);
    const pending = migrationNames(root).filter((name) => !applied.has(name));
    if (pending.length > 0) await deploy(root, url);
    return pending.length;
  } finally {
    await client.end();
  }
}

async function deploy(root, url) {
  const env = { ...process.env, DATABASE_URL: url };
  const { exitCode, output } = await runTool(toolPath(root, 'prisma'), ['migrate', 'deploy'], { root, env });
  if (exitCode !== 0) throw new PlainError(`The database could not be brought up to date:\n${output.trim()}`);
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

/** @throws PlainError where it does not answer */
export async function connectTo(url) {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  client.on('error', () => {});
  try {
    await client.connect();
    return client;
  } catch (error) {
    const { hostname, port, pathname } = new URL(url);
    const place = `${hostname}:${port || 5432}${pathname}`;
    const reason = error.message || error.code || 'no answer';
    throw new PlainError(`The database at ${place} cannot be used (${reason}): start it, or correct DATABASE_URL.`);
  }
}
