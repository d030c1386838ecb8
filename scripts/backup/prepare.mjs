import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PlainError } from '../process/plain-error.mjs';
import { generateClient, isClientCurrent } from '../steps/build.mjs';
import { readEnvFile } from '../steps/environment.mjs';
import { checkNodeVersion, installMissing } from '../steps/install.mjs';
import { step } from '../steps/step.mjs';

/**
 * Prepares the database, and the environment as `npm start` does. The database of a bare machine is created.
 * @param {import('../process/lifetime.mjs').Lifetime} lifetime
 * @returns {Promise<{ databaseUrl: string, dataDir: string }>}
 */
export async function prepareBackupCommand(root, lifetime, { isNewAllowed = false } = {}) {
  checkNodeVersion();
  process.chdir(root);
  readEnvFile(root);
  await installMissing(root);
  const { readSettingsOfProcess } = await import('../../src/server/settings/settings.mjs');
  const { dataDir, databaseUrl } = readSettingsOfProcess();
  const keyFile = join(dataDir, 'secret-key');
  if (existsSync(keyFile)) process.env.SECRET_KEY ||= readFileSync(keyFile, 'utf8').trim();
  if (!process.env.SECRET_KEY && !isNewAllowed)
    throw new PlainError(`There is no SECRET_KEY, and none in ${keyFile}. Set that of the app.`);
  process.env.DATABASE_URL = databaseUrl ?? (await findOwnDatabase(dataDir, lifetime, isNewAllowed));
  if (!isClientCurrent(root)) await step('Generating the database client', () => generateClient(root));
  const { checkIsMigrated, migrateIfNew } = await import('../postgres/database.mjs');
  const prepare = isNewAllowed ? migrateIfNew : checkIsMigrated;
  await prepare(root, process.env.DATABASE_URL);
  return { databaseUrl: process.env.DATABASE_URL, dataDir };
}

async function findOwnDatabase(dataDir, lifetime, isNewAllowed) {
  if (!existsSync(dataDir) && isNewAllowed) {
    const { startEmbeddedPostgres } = await import('../postgres/embedded-postgres.mjs');
    const postgres = await step('Creating the embedded Postgres', () =>
      startEmbeddedPostgres({ dataDir, database: 'postroom' }),
    );
    lifetime.atEnd(postgres.stop);
    return postgres.url;
  }
  const { findDatabase } = await import('../postgres/find-database.mjs');
  return findDatabase(lifetime);
}
