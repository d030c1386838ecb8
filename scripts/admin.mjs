// `npm run admin -- create|password|reset-totp <email>`: restores access for admins who cannot sign in, on the host,
// `npm run admin -- api-key <name>` makes an API key, and `npm run admin -- accept-audit-log` accepts an audit log that went back. Works
// whether or not the app is running.
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readArguments } from './admin/arguments.mjs';
import { runCommand } from './process/lifetime.mjs';
import { PlainError } from './process/plain-error.mjs';
import { readEnvFile } from './steps/environment.mjs';
import { checkNodeVersion } from './steps/install.mjs';

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
  const { connectTo, findDatabase, isOutdated, verbs } = await loadParts();
  const client = await connectTo(await findDatabase(lifetime));
  lifetime.atEnd(() => client.end());
  try {
    console.log(await verbs[request.verb](client, request));
  } catch (error) {
    throw isOutdated(error) ? new PlainError('The database is not up to date. Run "npm start" once first.') : error;
  }
  return 0;
}

async function loadParts() {
  try {
    const { connectTo } = await import('./postgres/database.mjs');
    const { findDatabase, isOutdated } = await import('./postgres/find-database.mjs');
    const { acceptAuditLog } = await import('./admin/accept-audit-log.mjs');
    const verbs = {
      ...(await import('./admin/accounts.mjs')),
      ...(await import('./admin/api-keys.mjs')),
      acceptAuditLog,
    };
    return { connectTo, findDatabase, isOutdated, verbs };
  } catch (error) {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new PlainError('The packages are not installed yet. Run "npm start" once first.');
  }
}
