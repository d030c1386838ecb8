import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { readSettings } from '@/server/settings/settings.mjs';
import { readDomains } from '../archive/domains';
import { type ArchiveSource, BackupError, type Header } from '../archive/format';
import { openArchive } from '../archive/read';
import { withDatabase } from '../connect';
import { keysOf } from '../encryption';
import { amountOf } from '../operations/text';
import { auditDetails } from '../restore/audit-log';
import { previewRestore, restore } from '../restore/restore';
import { findArchive } from '../target/open';
import { recordCommand } from './audit';
import { requireNoRestoreSince, timeOf } from './meanwhile';
import { keepServerKeys } from './server-keys';
import { differenceText, print, tablePrinter } from './text';

type Options = {
  file: string;
  /** File with private keys of age, instead of that in DATA_DIR. */
  keyFile?: string;
  /** Name of the only domain to restore. */
  domain?: string;
  isDryRun: boolean;
  databaseUrl: string;
  dataDir: string;
  /** Asks before the database is changed; null to change it without a question. */
  confirm: (() => Promise<boolean>) | null;
};

/** `npm run restore`: replaces the content of the database by that of an archive. @returns whether it did */
export async function restoreFile({
  file,
  keyFile,
  domain,
  isDryRun,
  databaseUrl,
  dataDir,
  confirm,
}: Options): Promise<boolean> {
  const ownKey = path.join(dataDir, 'backup-key');
  const settings = readSettings(process.env);
  const place = await findArchive(file, settings);
  const keys = keysOf({ ...settings, dataDir }, keyFile);
  if (!existsSync(keyFile ?? ownKey) && keys.passphrases?.length === 0) throw new BackupError(noKey(keyFile ?? ownKey));
  const source: ArchiveSource = { open: () => openNamed(place), keys };
  const archive = await openArchive(source);
  archive.close();
  const { header, secrets } = archive;
  print(`${file} is of ${textOf(header)}.`);
  const scope = domain === undefined ? undefined : await scopeOf(source, domain);
  const secretKey = path.join(dataDir, 'secret-key');
  const hasSecretKey = Boolean(process.env.SECRET_KEY) || existsSync(secretKey);
  if (scope && !isDryRun && !hasSecretKey) throw new BackupError(noSecretKey(secretKey));
  process.env.SECRET_KEY ||= hasSecretKey ? '' : secrets.secret_keys.join(',');

  const shownAt = isDryRun || confirm ? await showDifferences(databaseUrl, source, scope) : null;
  // Without the lock: an answer can take all day.
  if (isDryRun || (confirm && !(await confirm()))) return false;
  return withDatabase(databaseUrl, async (client) => {
    if (shownAt !== null) await requireNoRestoreSince(client, shownAt);
    const { rows, unopened, leftOut } = await restore(client, source, {
      scope,
      onProgress: tablePrinter(),
      record: ({ audit }) =>
        recordCommand(client, 'backup.restore', {
          file: `${place.target.label}/${place.name}`,
          created_at: header.created_at,
          domain,
          ...auditDetails(audit),
        }),
    });
    print(
      scope
        ? `Restored ${domain}: ${amountOf(rows)} rows.`
        : `Restored ${amountOf(rows)} rows. Everyone has to sign in again.`,
    );
    for (const sentence of leftOut) print(sentence);
    if (unopened > 0)
      print(
        `${amountOf(unopened)} stored secrets can’t be opened: the backup was made with another SECRET_KEY than theirs.`,
      );
    if (!scope) await keepServerKeys(dataDir, archive, { identities: keys.identities, hasSecretKey });
    // Postgres does it by itself, but later.
    await client.query('ANALYZE').catch((error: Error) => print(`ANALYZE failed (${error.message}): run it yourself.`));
    return true;
  });
}

/** @returns when they were found, in the time of the database */
async function showDifferences(
  databaseUrl: string,
  source: ArchiveSource,
  scope: { domainId: string } | undefined,
): Promise<string> {
  return withDatabase(databaseUrl, async (client) => {
    for (const line of differenceText(await previewRestore(client, source, { scope }))) print(line);
    return timeOf(client);
  });
}

async function openNamed({ target, name }: Awaited<ReturnType<typeof findArchive>>): Promise<Readable> {
  const archive = await target.read(name);
  if (!archive) throw new BackupError(`${name} is not in ${target.label}.`);
  return archive;
}

function noKey(file: string): string {
  return `There is no key in ${file}. Name the file that has the key of the backup: --key FILE. If it has a passphrase, set BACKUP_PASSPHRASE.`;
}

function noSecretKey(file: string): string {
  return `There is no SECRET_KEY, and none in ${file}. Set that of the server that has the other domains.`;
}

async function scopeOf(source: ArchiveSource, domain: string): Promise<{ domainId: string }> {
  const found = (await readDomains(source)).find(({ name }) => name === domain.toLowerCase());
  if (!found) throw new BackupError(`The archive has no domain ${domain}.`);
  return { domainId: found.id };
}

function textOf({ created_at: createdAt, version }: Header): string {
  return `${createdAt.slice(0, 19).replace('T', ' ')} UTC, by version ${version} of Postroom`;
}
