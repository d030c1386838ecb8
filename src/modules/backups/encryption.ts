import path from 'node:path';
import { log } from '@/server/log';
import { env } from '@/server/settings/env';
import type { ArchiveKeys } from './archive/format';
import { findBackupKey, readIdentitiesIfAny, recipientsOf } from './key';

/** An archive has either: that is what the age format demands. */
export type Encryption = { recipients: readonly string[]; passphrase?: string };

type OwnEncryption = Encryption & { serverKey: string | null };

export function backupKeyFile(): string {
  return path.join(env().dataDir, 'backup-key');
}

/** Returns the recipients or the passphrase that archives are encrypted with. Makes this server's key if it is needed and missing. */
export async function encryption(): Promise<OwnEncryption> {
  const { backupPassphrase: passphrase, dataDir } = env();
  if (passphrase !== undefined) return { recipients: [], passphrase, serverKey: null };
  const { recipient, isNew, file } = await findBackupKey(dataDir);
  if (isNew)
    log.warn(
      { folder: path.dirname(file) },
      'made the backup-key: without it no backup can be opened, keep a copy outside this machine',
    );
  return { recipients: withConfigured([recipient]), serverKey: recipient };
}

/** The same, without making a key. */
export async function describeEncryption(): Promise<Encryption> {
  const { backupPassphrase: passphrase } = env();
  if (passphrase !== undefined) return { recipients: [], passphrase };
  return { recipients: withConfigured(await recipientsOf(backupKeyFile())) };
}

/** Returns the keys and passphrases that this server opens archives with. */
export function archiveKeys(): ArchiveKeys {
  return keysOf(env());
}

/** @param keyFile instead of that in DATA_DIR */
export function keysOf(
  { dataDir, backupPassphrase }: { dataDir: string; backupPassphrase: string | undefined },
  keyFile = path.join(dataDir, 'backup-key'),
): ArchiveKeys {
  return {
    identities: readIdentitiesIfAny(keyFile),
    passphrases: backupPassphrase === undefined ? [] : [backupPassphrase],
  };
}

/** Returns the one secret that opens every backup of this server; null before the first backup has made its key. */
export function ownBackupSecret(): string | null {
  return env().backupPassphrase ?? readIdentitiesIfAny(backupKeyFile())[0] ?? null;
}

function withConfigured(own: readonly string[]): string[] {
  return [...new Set([...own, ...env().backupRecipients])];
}
