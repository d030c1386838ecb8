// `npm run backup [-- <file>]`: writes the database to an encrypted archive, in DATA_DIR/backups if no file is named. Works
// whether or not the app is running.
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { prepareBackupCommand } from './backup/prepare.mjs';
import { runCommand } from './process/lifetime.mjs';
import { importBundled } from './steps/programs.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

await runCommand(backUp, { exitCodeWhenStopped: 130 });

/** @param {import('./process/lifetime.mjs').Lifetime} lifetime */
async function backUp(lifetime) {
  const files = process.argv.slice(2);
  if (files.length > 1 || files[0]?.startsWith('-')) {
    console.error('Usage: npm run backup [-- <file>]');
    return 2;
  }
  await prepareBackupCommand(root, lifetime);
  // The command prints what the log would say.
  process.env.LOG_LEVEL = process.env.LOG_LEVEL === 'silent' ? 'silent' : 'error';
  const command = await importBundled(root, 'src/modules/backups/command/back-up.ts');
  lifetime.atEnd(command.stopBackup);
  await command.backUp({ file: files[0] });
  return 0;
}
