import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { identityToRecipient } from 'age-encryption';
import type { ClientBase } from 'pg';
import { uuidv7 } from '@/lib/uuid';
import { writeDurably } from '@/server/durable-file';
import { readSettings } from '@/server/settings/settings.mjs';
import { type ArchiveSource, BackupError, type Header } from '../archive/format';
import { linesOf, valuesOf } from '../archive/lines';
import { type Archive, openArchive } from '../archive/read';
import { withDatabase } from '../connect';
import { keysOf } from '../encryption';
import { keyText } from '../key';
import { amountOf } from '../operations/text';
import { auditDetails } from '../restore/audit-log';
import { previewRestore, restore } from '../restore/restore';
import { findArchive } from '../target/open';
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

const TABLE = 'domain';

/** The domains in an archive, also those that were deleted since. Reads it only as far as they are in it. */
export async function readDomains(source: ArchiveSource): Promise<{ id: string; name: string }[]> {
  const { header, parts, close } = await openArchive(source);
  const columns = header.tables.find(({ name }) => name === TABLE)?.columns ?? [];
  async function* chunks(): AsyncGenerator<Buffer> {
    let isFound = false;
    for await (const { table, bytes } of parts) {
      if (table === TABLE) yield bytes;
      else if (isFound) return;
      isFound ||= table === TABLE;
    }
  }
  try {
    const domains: { id: string; name: string }[] = [];
    for await (const line of linesOf(chunks())) {
      const values = valuesOf(line, columns.length);
      domains.push({ id: String(values[columns.indexOf('id')]), name: String(values[columns.indexOf('name')]) });
    }
    return domains;
  } finally {
    close();
  }
}

/** The time of the database, for `requireNoRestoreSince`. */
async function timeOf(client: ClientBase): Promise<string> {
  const { rows } = await client.query<{ at: string }>('SELECT clock_timestamp()::text AS at');
  return String(rows[0]?.at);
}

/** @throws BackupError that names a restore since then, after which a preview is no longer true */
async function requireNoRestoreSince(client: ClientBase, at: string): Promise<void> {
  const { rows } = await client.query<{ name: string; runner: string }>(
    `SELECT backup_name AS name, runner FROM backup_operation
      WHERE action = 'restore' AND state = 'succeeded' AND finished_at >= $1::timestamptz
     UNION ALL
     SELECT details ->> 'file', 'npm run restore' FROM audit_entry
      WHERE action = 'backup.restore' AND details ->> 'source' = 'command_line' AND created_at >= $1::timestamptz`,
    [at],
  );
  const [other] = rows;
  if (!other) return;
  throw new BackupError(
    `${other.name} was restored meanwhile, by ${other.runner}. Start over to see what would change now.`,
  );
}

/** Records what someone did on the host, without the app. */
export async function recordCommand(
  client: ClientBase,
  action: 'backup.create' | 'backup.restore',
  details: Record<string, unknown>,
): Promise<void> {
  await client.query(
    `INSERT INTO audit_entry (id, action, resource, ip_address, user_agent, request_id, outcome, details, created_at)
     VALUES ($1, $2, 'backup', '127.0.0.1', 'command line', $3, 'success', $4, clock_timestamp())`,
    [uuidv7(), action, uuidv7(), JSON.stringify({ source: 'command_line', ...details })],
  );
}

type Given = {
  /** Private keys of age. */
  identities: readonly string[];
  hasSecretKey: boolean;
};

/**
 * On a new machine, once all is restored: writes the keys of the server that made the archive, so that its secrets can be
 * opened, and later archives with the same key. Someone else's key, such as one of BACKUP_RECIPIENTS, stays outside.
 */
async function keepServerKeys(
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
