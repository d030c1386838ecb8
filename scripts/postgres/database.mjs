import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { findMigrations } from '../../src/server/migrations/migrations.mjs';
import { checkIsUpgraded, upgrade } from '../../src/server/migrations/upgrade.mjs';
import { PlainError } from '../process/plain-error.mjs';

const OLDEST_POSTGRES = 15;
const CONNECT_TIMEOUT_MS = 10_000;
const WAIT_INTERVAL_MS = 1_000;

/** @throws PlainError for a server or a database that Postroom can't run with */
export async function checkDatabase(url) {
  const problem = await withClient(url, findProblem);
  if (problem) throw new PlainError(problem);
}

/** @param {pg.Client} client @returns {Promise<string | undefined>} */
async function findProblem(client) {
  const { rows } = await client.query(`
    SELECT current_setting('server_version_num')::int / 10000 AS version, current_setting('server_encoding') AS encoding,
           lower('I') AS lower, quote_ident(current_database()) AS name, quote_ident(current_user) AS owner`);
  const { version, encoding, lower, name, owner } = rows[0];
  if (version < OLDEST_POSTGRES)
    return `Postroom needs Postgres ${OLDEST_POSTGRES} or later; the server at DATABASE_URL is version ${version}.`;
  const create = `Drop it or choose another name, and run: CREATE DATABASE ${name} OWNER ${owner} TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C.UTF-8';`;
  if (encoding !== 'UTF8')
    return `Postroom needs a database in UTF8; the one at DATABASE_URL is in ${encoding}. ${create}`;
  // Addresses are compared in lower case, by Postgres and by JavaScript.
  if (lower !== 'i')
    return `Postroom needs a database whose locale lowercases “I” to “i”; the one at DATABASE_URL makes it “${lower}”. ${create}`;
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
