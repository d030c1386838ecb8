// `npm run admin -- create|password|reset-totp <email>`: restores access for admins who cannot sign in, on the host. Works
// whether or not the app is running.
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readArguments } from './admin/arguments.mjs';
import { runCommand } from './process/lifetime.mjs';
import { PlainError } from './process/plain-error.mjs';
import { readEnvFile } from './steps/environment.mjs';
import { checkNodeVersion } from './steps/install.mjs';
import { tryToTakeLock } from './steps/lock.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

await runCommand(administer, { exitCodeWhenStopped: 130 });

/** @param {import('./process/lifetime.mjs').Lifetime} lifetime */
async function administer(lifetime) {
  checkNodeVersion();
  process.chdir(root);
  const { usage, request } = readArguments(process.argv.slice(2));
  if (!request) {
    console.error(usage);
    return 2;
  }
  readEnvFile(root);
  const { connectTo, accounts } = await loadParts();
  const client = await connectTo(await findDatabase(lifetime));
  lifetime.atEnd(() => client.end());
  try {
    console.log(await accounts[request.verb](client, request));
  } catch (error) {
    throw isOutdated(error) ? new PlainError('The database is not up to date. Run "npm start" once first.') : error;
  }
  return 0;
}

async function loadParts() {
  try {
    const { connectTo } = await import('./postgres/database.mjs');
    return { connectTo, accounts: await import('./admin/accounts.mjs') };
  } catch (error) {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new PlainError('The packages are not installed yet. Run "npm start" once first.');
  }
}

/** @returns {Promise<string>} the database URL */
async function findDatabase(lifetime) {
  const { readSettings } = await import('../src/server/settings/settings.mjs');
  const { databaseUrl, dataDir } = readSettings(process.env);
  if (databaseUrl) return databaseUrl;
  if (!existsSync(dataDir)) throw new PlainError(`There is no database in ${dataDir} yet. Run "npm start" once first.`);
  const { findEmbeddedPostgres, startEmbeddedPostgres } = await import('./postgres/embedded-postgres.mjs');
  const place = { dataDir, database: 'postroom' };
  const holder = await tryToTakeLock(`data ${dataDir}`);
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

/** A table or column is missing. */
function isOutdated({ code }) {
  return code === '42P01' || code === '42703';
}
