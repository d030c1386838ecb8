import { existsSync } from 'node:fs';
import path from 'node:path';
import { systemClock } from '@/server/clock';
import { database } from '@/server/database/db';
import { AppError } from '@/server/errors';
import { BackupError } from '../archive/format';
import { backupKeyFile } from '../encryption';
import { readIdentities } from '../key';
import { beginCreating, ownTransaction } from '../operations/begin';
import { ownRequester } from '../operations/requester';
import { stopOperations } from '../operations/run';
import { createFolderTarget } from '../target/folder';
import { print, tablePrinter } from './text';

/**
 * `npm run backup`: writes the database to an archive.
 * @param file instead of one in BACKUP_TARGET
 */
export async function backUp({ file }: { file?: string }): Promise<void> {
  const place = file === undefined ? undefined : placeOf(path.resolve(file));
  const hasKey = existsSync(backupKeyFile());
  const requester = ownRequester('command line');
  const db = database();
  try {
    const { backup, ended } = await beginCreating(systemClock, {
      requester,
      trigger: 'command',
      place,
      runner: 'npm run backup',
      onProgress: tablePrinter(),
      transaction: ownTransaction(db, systemClock, requester, 'backup.create'),
    });
    const { state, message } = await ended;
    if (!hasKey) announceKey();
    if (state !== 'succeeded') throw new BackupError(message);
    print(`${backup.location}/${backup.name}: ${message}`);
  } catch (error) {
    throw error instanceof AppError ? new BackupError(error.message, { cause: error }) : error;
  } finally {
    await db.$disconnect();
  }
}

/** Ends the backup that runs, without a trace. */
export const stopBackup = stopOperations;

function placeOf(file: string) {
  if (existsSync(file)) throw new BackupError(`${file} exists already.`);
  return { target: createFolderTarget(path.dirname(file)), name: path.basename(file) };
}

function announceKey(): void {
  const file = backupKeyFile();
  if (!existsSync(file)) return;
  print(`Made a key for backups in ${file}. No backup can be opened without it: keep a copy outside this machine.`);
  // Not into the mail that cron makes of the output.
  if (process.stdout.isTTY) print(`  ${readIdentities(file).join('\n  ')}`);
}
