import { existsSync } from 'node:fs';
import { PlainError } from '../process/plain-error.mjs';
import { tryToTakeLock } from '../steps/lock.mjs';

/**
 * Finds the app's database for a command on the host, whether or not the app is running. A database of the app's own that
 * isn't running is started until the command ends.
 * @param {import('../process/lifetime.mjs').Lifetime} lifetime
 * @returns {Promise<string>} the database URL
 */
export async function findDatabase(lifetime) {
  const { readSettingsOfProcess } = await import('../../src/server/settings/settings.mjs');
  const { databaseUrl, dataDir } = readSettingsOfProcess();
  if (databaseUrl) return databaseUrl;
  if (!existsSync(dataDir)) throw new PlainError(`There is no database in ${dataDir} yet. Run "npm start" once first.`);
  const { findEmbeddedPostgres, startEmbeddedPostgres } = await import('./embedded-postgres.mjs');
  const place = { dataDir, database: 'postroom' };
  const holder = await tryToTakeLock('data', dataDir);
  if (!holder) return startForTheMoment(startEmbeddedPostgres, place, lifetime);
  const url = await findEmbeddedPostgres(place);
  if (url) return url;
  throw new PlainError(
    `${dataDir} is in use by ${holder}, but no database is running there yet. Try again in a moment, or set the same DATABASE_URL.`,
  );
}

async function startForTheMoment(startEmbeddedPostgres, place, lifetime) {
  const postgres = await startEmbeddedPostgres(place);
  if (!postgres.isAdopted) lifetime.atEnd(postgres.stop);
  return postgres.url;
}

/** Whether a table or column is missing. */
export function isOutdated({ code }) {
  return code === '42P01' || code === '42703' || code === '42883';
}
