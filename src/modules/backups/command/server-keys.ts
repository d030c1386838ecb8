import { existsSync } from 'node:fs';
import path from 'node:path';
import { identityToRecipient } from 'age-encryption';
import { writeDurably } from '@/server/durable-file';
import { BackupError } from '../archive/format';
import type { Archive } from '../archive/read';
import { keyText } from '../key';
import { print } from './text';

type Given = {
  /** Private keys of age. */
  identities: readonly string[];
  hasSecretKey: boolean;
};

/**
 * On a new machine, once all is restored: writes the keys of the server that made the archive, so that its secrets can be
 * opened, and later archives with the same key. Someone else's key, such as one of BACKUP_RECIPIENTS, stays outside.
 */
export async function keepServerKeys(
  dataDir: string,
  { header, secrets }: Pick<Archive, 'header' | 'secrets'>,
  { identities, hasSecretKey }: Given,
): Promise<void> {
  if (!hasSecretKey) await keep(path.join(dataDir, 'secret-key'), secrets.secret_keys.join(','));
  const backupKey = path.join(dataDir, 'backup-key');
  if (header.server_key === null || existsSync(backupKey)) return;
  for (const identity of identities)
    if ((await identityToRecipient(identity)) === header.server_key) return keep(backupKey, await keyText(identity));
  print(
    'The key that opened the archive is not that of the server, so it was not copied. The next backup makes a new one.',
  );
}

async function keep(file: string, text: string): Promise<void> {
  await writeDurably(file, text).catch((error: Error) => {
    const message = `The database was restored, but ${file} can’t be written (${error.message}). Restore again once it can.`;
    throw new BackupError(message, { cause: error });
  });
  print(`Wrote ${file}.`);
}
