import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ReadableStream } from 'node:stream/web';
import { createGzip } from 'node:zlib';
import { Encrypter } from 'age-encryption';
import type { ClientBase } from 'pg';
import { pack as createTar, type Pack } from 'tar-stream';
import { log } from '@/server/log';
import { findContents } from './contents';
import {
  countRows,
  ENTRIES,
  FORMAT,
  type Header,
  type Manifest,
  partName,
  type ReadOptions,
  type Secrets,
  type Table,
} from './format';
import { passphraseRecipient } from './passphrase';
import { progressOf } from './progress';
import { copiedOut, copyOut, SESSION_SETTINGS } from './tables';

/** Rows that are in memory at once, and that are hashed without a pause for requests. */
const PART_BYTES = 256 * 1024;
/** Takes 64 MB of memory; that of the age command, 18, takes 256 MB. */
const SCRYPT_WORK_FACTOR = 16;

type Options = ReadOptions & {
  version: string;
  now: Date;
  secrets: Secrets;
  /** Public keys of age; each of their identities opens the archive. */
  recipients: readonly string[];
  /** The recipient that is this server's own key. */
  serverKey?: string | null;
  /** Opens the archive instead of keys: age has either. */
  passphrase?: string;
};

/**
 * Reads the whole database in one snapshot, without holding a lock that others wait for.
 * @returns the bytes of the archive. A failure destroys the stream, so that what was read so far is not taken for whole.
 */
export async function writeArchive(client: ClientBase, options: Options): Promise<Readable> {
  const tar = createTar();
  const compressed = createGzip({ level: 4 });
  const plain = ReadableStream.from(compressed) as globalThis.ReadableStream;
  const archive = Readable.from(await encrypterFor(options).encrypt(plain), { objectMode: false });
  pipeline(tar, compressed).catch((error: Error) => archive.destroy(error));
  archive.once('close', () => tar.destroy());
  fill(tar, client, options).then(
    () => tar.finalize(),
    (error: Error) => tar.destroy(error),
  );
  return archive;
}

function encrypterFor({ recipients, passphrase }: Options): Encrypter {
  const encrypter = new Encrypter();
  if (passphrase !== undefined) encrypter.addRecipient(passphraseRecipient(passphrase, SCRYPT_WORK_FACTOR));
  else for (const recipient of recipients) encrypter.addRecipient(recipient);
  return encrypter;
}

async function fill(tar: Pack, client: ClientBase, options: Options): Promise<void> {
  const { version, now, secrets, serverKey = null, onProgress, signal } = options;
  signal?.throwIfAborted();
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  try {
    await client.query(SESSION_SETTINGS);
    const { foreign, ...contents } = await findContents(client);
    if (foreign.length > 0) log.warn({ names: foreign }, 'tables and columns of others are not backed up');
    const header: Header = {
      ...{ format: FORMAT, version, created_at: now.toISOString(), server_key: serverKey },
      audit_head: await findAuditHead(client),
      ...contents,
      left_out: foreign,
    };
    await add(tar, ENTRIES.header, json(header));
    await add(tar, ENTRIES.secrets, json(secrets));
    const manifest: Manifest = {};
    const progress = progressOf(header.tables, onProgress);
    for (const table of header.tables)
      manifest[table.name] = await addRows(tar, client, table, (rows) => {
        signal?.throwIfAborted();
        progress.add(table.name, rows);
      });
    progress.end();
    await add(tar, ENTRIES.manifest, json(manifest));
  } finally {
    await client.query('ROLLBACK');
  }
}

async function findAuditHead(client: ClientBase): Promise<Header['audit_head']> {
  const { rows } = await client.query(
    "SELECT seq::text, encode(hash, 'hex') AS hash, signature FROM audit_head WHERE id = 1",
  );
  return rows[0] ?? null;
}

async function addRows(
  tar: Pack,
  client: ClientBase,
  table: Table,
  onRows: (rows: number) => void,
): Promise<Manifest[string]> {
  const hash = createHash('sha256');
  const written = { rows: 0, bytes: 0, parts: 0 };
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  let reported = 0;
  const flush = async () => {
    if (pendingBytes === 0) return;
    await add(tar, partName(table.name, written.parts), Buffer.concat(pending));
    onRows(written.rows - reported);
    written.parts += 1;
    [pending, pendingBytes, reported] = [[], 0, written.rows];
  };
  for await (const chunk of copiedOut(client, await copyOut(client, table))) {
    hash.update(chunk);
    written.rows += countRows(chunk);
    written.bytes += chunk.byteLength;
    pending.push(chunk);
    pendingBytes += chunk.byteLength;
    if (pendingBytes >= PART_BYTES) await flush();
  }
  await flush();
  return { rows: written.rows, bytes: written.bytes, sha256: hash.digest('hex') };
}

/** Resolves once the next entry may be added. */
function add(tar: Pack, name: string, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const entry = tar.entry({ name, size: bytes.byteLength, mode: 0o600 }, (error) =>
      error ? reject(error) : resolve(),
    );
    entry.once('error', reject);
    entry.end(bytes);
  });
}

function json(value: unknown): Buffer {
  return Buffer.from(`${JSON.stringify(value, null, 2)}\n`);
}
