import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { findMigrations } from '../../src/server/migrations/migrations.mjs';
import { checkIsUpgraded, upgrade } from '../../src/server/migrations/upgrade.mjs';
import { PlainError } from '../process/plain-error.mjs';

const OLDEST_POSTGRES = 15;
const CONNECT_TIMEOUT_MS = 10_000;
const WAIT_INTERVAL_MS = 1_000;

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
 * Brings a database to this version: applies its migrations, then its functions. Instances that start at the same time wait
 * for each other.
 * @returns {Promise<number>} number of migrations applied
 * @throws UpgradeError
 */
export async function migrate(root, url) {
  return withClient(url, (client) => upgrade(client, root));
}

/** Migrates a database that has nothing in it. @throws UpgradeError for any other that isn't of this version */
export async function migrateIfNew(root, url) {
  await withClient(url, async (client) => {
    if ((await findMigrations(client)).length === 0) await upgrade(client, root);
    else await checkIsUpgraded(client, root);
  });
}

/** @throws UpgradeError if the database belongs to another version of Postroom */
export async function checkIsMigrated(root, url) {
  await withClient(url, (client) => checkIsUpgraded(client, root));
}

/**
 * @template T
 * @param {(client: pg.Client) => Promise<T>} work
 * @returns {Promise<T>}
 */
async function withClient(url, work) {
  const client = await connectTo(url);
  return work(client).finally(() => client.end());
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
