import { availableParallelism, loadavg } from 'node:os';
import pg from 'pg';
import { startTemporaryPostgres } from '../postgres/temporary-postgres.mjs';

const DURABILITY = ['fsync', 'full_page_writes', 'synchronous_commit'];

/**
 * Starts a durable Postgres, as users have it, and prints what the figures depend on.
 * @param {import('../process/lifetime.mjs').Lifetime} lifetime
 * @returns {Promise<string>} the URL of its superuser
 */
export async function startBenchPostgres(lifetime) {
  const postgres = await startTemporaryPostgres({ isDurable: true });
  lifetime.atEnd(postgres.stop);
  await printConditions(postgres.adminUrl);
  return postgres.adminUrl;
}

/** Prints version and durability of Postgres, and how busy the machine is. */
export async function printConditions(databaseUrl) {
  const db = new pg.Client(databaseUrl);
  await db.connect();
  const { rows } = await db.query(
    `SELECT name, setting FROM pg_settings WHERE name IN ('server_version', '${DURABILITY.join("', '")}')`,
  );
  await db.end();
  const settings = Object.fromEntries(rows.map(({ name, setting }) => [name, setting]));
  const off = DURABILITY.filter((name) => settings[name] === 'off');
  const durability = off.length === 0 ? 'durable' : `NOT durable (${off.join(', ')} off)`;
  const load = `load ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} cores`;
  console.log(`Postgres ${settings.server_version}, ${durability}; ${load}`);
}
