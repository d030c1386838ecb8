// `npm run restore -- <file> [--domain <name>] [--dry-run] [--key <file>] [--yes]`: replaces the content of the database,
// or of one domain, by that of an archive of `npm run backup`: a file, its name in BACKUP_TARGET, or s3://bucket/prefix/name.
// Also on a machine that has no database yet. Shows what would change, and asks.
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { prepareBackupCommand } from './backup/prepare.mjs';
import { runCommand } from './process/lifetime.mjs';
import { PlainError } from './process/plain-error.mjs';
import { importBundled } from './steps/programs.mjs';

const USAGE = 'Usage: npm run restore -- <file> [--domain <name>] [--dry-run] [--key <file>] [--yes]';
const root = dirname(dirname(fileURLToPath(import.meta.url)));

await runCommand(restore, { exitCodeWhenStopped: 130 });

/** @param {import('./process/lifetime.mjs').Lifetime} lifetime */
async function restore(lifetime) {
  const given = readArguments();
  if (!given) {
    console.error(USAGE);
    return 2;
  }
  if (given.keyFile && !existsSync(given.keyFile)) throw new PlainError(`${given.keyFile} does not exist.`);
  if (!given.isSure && !given.isDryRun && !process.stdin.isTTY)
    throw new PlainError('Without a terminal nobody can be asked. Add --yes to replace the content of the database.');
  const place = await prepareBackupCommand(root, lifetime, { isNewAllowed: true });
  const command = await importBundled(root, 'src/modules/backups/command/restore.ts');
  const confirm = given.isSure ? null : askFor(given.domain);
  const isRestored = await command.restoreFile({ ...given, ...place, confirm });
  return isRestored || given.isDryRun ? 0 : 1;
}

function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        domain: { type: 'string' },
        'dry-run': { type: 'boolean' },
        key: { type: 'string' },
        yes: { type: 'boolean' },
      },
    });
    const [file, ...others] = positionals;
    if (!file || others.length > 0) return undefined;
    const { domain, key: keyFile, 'dry-run': isDryRun = false, yes: isSure = false } = values;
    return { file, domain, keyFile, isDryRun, isSure };
  } catch {
    return undefined;
  }
}

/** Asks for the domain's name, or for a word. */
function askFor(domain) {
  const [word, replaced] = domain ? [domain, 'what this domain has'] : ['restore', 'the content of the database'];
  return async () => {
    const terminal = createInterface({ input: process.stdin, output: process.stdout });
    const answer = await terminal.question(`Type "${word}" to replace ${replaced}: `);
    terminal.close();
    return answer.trim() === word;
  };
}
