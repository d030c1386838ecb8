import { step } from '../steps/step.mjs';

/**
 * Starts a temporary Postgres that ends with the command.
 * @param {import('../process/lifetime.mjs').Lifetime} lifetime
 * @returns {Promise<string>} the URL of its superuser
 */
export async function startTestDatabase(lifetime) {
  const { startTemporaryPostgres } = await import('../postgres/temporary-postgres.mjs');
  const postgres = await step('Starting a Postgres for the tests', startTemporaryPostgres);
  lifetime.atEnd(postgres.stop);
  return postgres.adminUrl;
}

/** The environment without the settings of Postroom, so that the developer's own don't reach the app under test. */
export async function testEnvironment() {
  const { settingNames } = await import('../../src/server/settings/settings.mjs');
  const dropped = new Set([...settingNames, 'NODE_ENV']);
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !dropped.has(name)));
}
