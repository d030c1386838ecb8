import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { writeDurably } from '@/server/durable-file';

export type BackupKey = {
  /** Private key of age. */
  identity: string;
  /** Public key of age. */
  recipient: string;
  file: string;
  isNew: boolean;
};

/** The key of this server's backups, in DATA_DIR beside the secret key. The first backup makes it, while it alone runs. */
export async function findBackupKey(dataDir: string): Promise<BackupKey> {
  const file = path.join(dataDir, 'backup-key');
  const isNew = !existsSync(file);
  if (isNew) await makeKey(file);
  const [identity] = readIdentities(file);
  if (!identity)
    throw new Error(`${file} has no key of age. Put the key there that was printed with the first backup.`);
  return { identity, recipient: await identityToRecipient(identity), file, isNew };
}

/** The private keys in a file as `age-keygen` writes it: one a line, with comments. */
export function readIdentities(file: string): string[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.map((line) => line.trim()).filter((line) => line.startsWith('AGE-SECRET-KEY-'));
}

export function readIdentitiesIfAny(file: string): string[] {
  return existsSync(file) ? readIdentities(file) : [];
}

/** The public keys of those in a file, if there is one. */
export async function recipientsOf(file: string): Promise<string[]> {
  return Promise.all(readIdentitiesIfAny(file).map(identityToRecipient));
}

async function makeKey(file: string): Promise<void> {
  await writeDurably(file, await keyText(await generateX25519Identity()));
}

export async function keyText(identity: string): Promise<string> {
  return `# Opens the backups of Postroom, with "age" too.\n# public key: ${await identityToRecipient(identity)}\n${identity}\n`;
}
