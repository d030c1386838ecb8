import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommand } from '../process/lifetime.mjs';
import { PlainError } from '../process/plain-error.mjs';
import { readEnvFile } from '../steps/environment.mjs';
import { checkNodeVersion } from '../steps/install.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/**
 * Runs a command on the app's database, whether or not the app is running.
 * @param {(client: import('pg').Client) => Promise<void>} work
 */
export function runOnDatabase(work) {
  return runCommand(
    async (lifetime) => {
      checkNodeVersion();
      process.chdir(root);
      readEnvFile(root);
      const { connectTo, findDatabase, isOutdated } = await loadParts();
      const client = await connectTo(await findDatabase(lifetime));
      lifetime.atEnd(() => client.end());
      try {
        await work(client);
        return 0;
      } catch (error) {
        throw isOutdated(error) ? new PlainError('The database is not up to date. Run "npm start" once first.') : error;
      }
    },
    { exitCodeWhenStopped: 130 },
  );
}

async function loadParts() {
  try {
    const { connectTo } = await import('./database.mjs');
    return { connectTo, ...(await import('./find-database.mjs')) };
  } catch (error) {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new PlainError('The packages are not installed yet. Run "npm start" once first.');
  }
}
