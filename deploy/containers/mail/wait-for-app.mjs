// Ends once the database is that of this version, which the app prepares when it starts: node wait-for-app.mjs, with the environment of
// the agent.
import { setTimeout as sleep } from 'node:timers/promises';
import { checkIsMigrated } from '../../../scripts/postgres/database.mjs';
import { isPlain } from '../../../scripts/process/plain-error.mjs';
import { readSettingsOfProcess } from '../../../src/server/settings/settings.mjs';

const PAUSE_MS = 2000;

const { databaseUrl } = readSettingsOfProcess();
for (let known = ''; ; await sleep(PAUSE_MS)) {
  try {
    await checkIsMigrated(process.cwd(), databaseUrl);
    break;
  } catch (error) {
    if (!isPlain(error)) throw error;
    if (error.message !== known) console.error(`${error.message}\nThe agent waits.`);
    known = error.message;
  }
}
