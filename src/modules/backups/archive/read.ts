import { createHash, type Hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ReadableStream } from 'node:stream/web';
import { createGunzip } from 'node:zlib';
import { Decrypter } from 'age-encryption';
import { extract } from 'tar-stream';
import type { z } from 'zod';
import {
  ArchiveError,
  type ArchiveKeys,
  type ArchiveSource,
  countRows,
  ENTRIES,
  Header,
  Manifest,
  Secrets,
  tableOf,
} from './format';
import { passphraseIdentity } from './passphrase';

/** Larger than any that is written: a row can be larger than a part. */
const MAX_ENTRY_BYTES = 256 * 1024 * 1024;

export type ArchivePart = { table: string; bytes: Buffer };

export type Archive = {
  header: Header;
  secrets: Secrets;
  /** The rows, table by table in the order of the header. Ends only if all of them are there and unaltered. */
  parts: AsyncIterable<ArchivePart>;
  /** Row counts and sums, once the parts were read. */
  manifest: () => Manifest;
  /** Ends reading before the end. */
  close: () => void;
};

/**
 * Opens an archive.
 * @throws ArchiveError here and while the parts are read
 */
export async function openArchive(source: ArchiveSource, signal?: AbortSignal): Promise<Archive> {
  const entries = entriesOf(source, signal);
  const header = parse(Header, await expectEntry(entries, ENTRIES.header));
  const secrets = parse(Secrets, await expectEntry(entries, ENTRIES.secrets));
  let manifest: Manifest = {};
  return {
    header,
    secrets,
    parts: partsOf(header, entries, (read) => (manifest = read)),
    manifest: () => manifest,
    close: () => void entries.return(undefined),
  };
}

type Entry = { name: string; bytes: Buffer };

async function* entriesOf({ open, keys }: ArchiveSource, signal?: AbortSignal): AsyncGenerator<Entry> {
  signal?.throwIfAborted();
  const bytes = watch(await open());
  const tar = extract();
  const abort = () => bytes.stream.destroy(signal?.reason);
  signal?.addEventListener('abort', abort);
  try {
    const decrypted = await decrypt(bytes.chunks(), keys);
    pipeline(decrypted, createGunzip(), tar).catch((error: Error) => tar.destroy(error));
    for await (const entry of tar) {
      if ((entry.header.size ?? 0) > MAX_ENTRY_BYTES) throw damaged(`${entry.header.name} is too large.`);
      const chunks: Buffer[] = [];
      for await (const chunk of entry) chunks.push(chunk as Buffer);
      yield { name: entry.header.name, bytes: Buffer.concat(chunks) };
      signal?.throwIfAborted();
    }
  } catch (error) {
    signal?.throwIfAborted();
    throw bytes.failure() ?? (error instanceof ArchiveError ? error : damaged('It can’t be read to its end.', error));
  } finally {
    signal?.removeEventListener('abort', abort);
    bytes.stream.destroy();
    tar.destroy();
  }
}

/** Tells a file that can't be read from one with wrong content. */
function watch(stream: Readable) {
  let failure: unknown;
  stream.on('error', () => {});
  return {
    stream,
    failure: () => failure,
    async *chunks(): AsyncGenerator<Uint8Array> {
      const iterator = stream[Symbol.asyncIterator]();
      for (;;) {
        const { value, done } = await iterator.next().catch((error: unknown) => {
          failure = error;
          throw error;
        });
        if (done) return;
        yield value;
      }
    },
  };
}

async function decrypt(chunks: AsyncIterable<Uint8Array>, keys: ArchiveKeys): Promise<Readable> {
  const decrypter = new Decrypter();
  for (const identity of keys.identities) decrypter.addIdentity(identity);
  for (const passphrase of keys.passphrases ?? []) decrypter.addIdentity(passphraseIdentity(passphrase));
  try {
    return Readable.from(await decrypter.decrypt(ReadableStream.from(chunks) as globalThis.ReadableStream));
  } catch (error) {
    if (error instanceof Error && error.message.startsWith('no identity matched'))
      throw new ArchiveError('wrong_key', 'None of the keys opens this archive.', { cause: error });
    throw damaged('It is not in the age format, or its beginning is damaged.', error);
  }
}

async function expectEntry(entries: AsyncIterator<Entry>, name: string): Promise<Buffer> {
  const { value, done } = await entries.next();
  if (done || value.name !== name) throw damaged(`${name} is missing.`);
  return value.bytes;
}

async function* partsOf(
  header: Header,
  entries: AsyncIterator<Entry>,
  onEnd: (manifest: Manifest) => void,
): AsyncGenerator<ArchivePart> {
  const order = header.tables.map(({ name }) => name);
  const read = new Map<string, { rows: number; bytes: number; hash: Hash }>();
  let at = 0;
  for (;;) {
    const { value, done } = await entries.next();
    if (done) throw damaged('Its end is missing.');
    if (value.name === ENTRIES.manifest) {
      const manifest = parse(Manifest, value.bytes);
      check(order, read, manifest);
      if (!(await entries.next()).done) throw damaged('Something follows its end.');
      onEnd(manifest);
      return;
    }
    const table = tableOf(value.name);
    const position = table === null ? -1 : order.indexOf(table, at);
    if (table === null || position === -1) throw damaged(`${value.name} does not belong there.`);
    at = position;
    const sum = read.get(table) ?? { rows: 0, bytes: 0, hash: createHash('sha256') };
    read.set(table, sum);
    sum.hash.update(value.bytes);
    sum.bytes += value.bytes.byteLength;
    sum.rows += countRows(value.bytes);
    yield { table, bytes: value.bytes };
  }
}

function check(
  tables: string[],
  read: Map<string, { rows: number; bytes: number; hash: Hash }>,
  manifest: Manifest,
): void {
  for (const name of tables) {
    const { rows = 0, bytes = 0, hash = createHash('sha256') } = read.get(name) ?? {};
    const expected = manifest[name];
    if (expected?.rows !== rows || expected.bytes !== bytes || expected.sha256 !== hash.digest('hex'))
      throw damaged(`Rows of ${name} are missing or altered.`);
  }
}

function parse<Schema extends z.ZodType>(schema: Schema, bytes: Buffer): z.infer<Schema> {
  try {
    return schema.parse(JSON.parse(bytes.toString('utf8')));
  } catch (error) {
    throw damaged('It is not an archive of this version of Postroom, or of a later one.', error);
  }
}

function damaged(message: string, cause?: unknown): ArchiveError {
  return new ArchiveError('damaged', `The archive is damaged or incomplete. ${message}`, { cause });
}
