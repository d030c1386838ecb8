import { pipeline, Readable } from 'node:stream';
import { constants, createGunzip } from 'node:zlib';
import yauzl from 'yauzl';
import { LIMITS, UnreadableReport } from './report';

const MB = 1024 * 1024;
const PIECE_BYTES = 64 * 1024;
const GZIP = [0x1f, 0x8b];
const ZIP = [0x50, 0x4b];
const ZIP_END = Buffer.from([0x50, 0x4b, 0x05, 0x06]);
/** Bytes of the end of a zip file, before its comment. */
const ZIP_END_BYTES = 22;
/** Depth of archives in one another. */
const MAX_DEPTH = 3;
const REPORT_NAME = /\.(xml|json)(\.(gz|gzip|zip))?\s*$/i;
/** Names of the entries that macOS adds to a zip file, with metadata of each file. */
const MACOS_NAME = /(^|[/\\])(__MACOSX[/\\]|\._)/;
const OTHER_ARCHIVES: [name: string, start: number[]][] = [
  ['bzip2', [0x42, 0x5a, 0x68]],
  ['xz', [0xfd, 0x37, 0x7a, 0x58, 0x5a]],
  ['7z', [0x37, 0x7a, 0xbc, 0xaf]],
  ['RAR', [0x52, 0x61, 0x72, 0x21]],
];

/** How many more files a file and all archives in it may have. */
type Budget = { files: number };

/**
 * The content of a file in pieces: plain, unpacked from gzip, or of each report in a zip file, also of those in one another. It stops
 * at the limits, so that its memory does not depend on what a file would unpack to.
 */
export function unpack(bytes: Uint8Array): AsyncGenerator<AsyncIterable<Uint8Array>> {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return contentsOf(file, { files: LIMITS.zipEntries }, MAX_DEPTH);
}

async function* contentsOf(given: Buffer, budget: Budget, depth: number): AsyncGenerator<AsyncIterable<Uint8Array>> {
  if (given.byteLength > LIMITS.compressedBytes) throw tooLarge();
  const file = withoutLineBreaks(given);
  if (startsWith(file, GZIP)) yield* inside(gunzipped(file), budget, depth);
  else if (startsWith(file, ZIP)) yield* unzip(file, budget, depth);
  else {
    const [archive] = OTHER_ARCHIVES.find(([, start]) => startsWith(file, start)) ?? [];
    if (archive) throw new UnreadableReport(`The file is packed with ${archive}. Send it as gzip or zip.`);
    yield pieces(given);
  }
}

/** Line breaks can get before and behind an archive on its way. Neither kind ends in one, within the limits. */
function withoutLineBreaks(file: Buffer): Buffer {
  const isBreak = (byte: number) => byte === 0x0d || byte === 0x0a;
  const start = file.findIndex((byte) => !isBreak(byte));
  return start < 0 ? file : file.subarray(start, file.findLastIndex((byte) => !isBreak(byte)) + 1);
}

async function* pieces(file: Buffer): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < file.byteLength; start += PIECE_BYTES) yield file.subarray(start, start + PIECE_BYTES);
}

/** The content, or what is in it if that is an archive, too: some reporters pack twice. */
async function* inside(
  content: AsyncGenerator<Uint8Array>,
  budget: Budget,
  depth: number,
): AsyncGenerator<AsyncIterable<Uint8Array>> {
  const { value: first, done } = await content.next();
  if (done) return yield pieces(Buffer.alloc(0));
  const all = prefixed(first, content);
  if (!startsWith(first, GZIP) && !startsWith(first, ZIP)) return yield all;
  if (depth <= 1) throw new UnreadableReport('The file has archives in one another, too many for a report.');
  yield* contentsOf(await whole(all), budget, depth - 1);
}

/** An archive in another one, which is no larger than one that is sent by itself. */
async function whole(content: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let total = 0;
  for await (const chunk of content) {
    total += chunk.byteLength;
    if (total > LIMITS.compressedBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function* prefixed(first: Uint8Array, rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield first;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

function gunzipped(file: Buffer): AsyncGenerator<Uint8Array> {
  // A file that was cut is read as far as it goes. A pipe would keep errors from the reader.
  const gunzip = createGunzip({ finishFlush: constants.Z_SYNC_FLUSH });
  return limited(
    pipeline(Readable.from([file]), gunzip, () => {}),
    file.byteLength,
  );
}

async function* unzip(file: Buffer, budget: Budget, depth: number): AsyncGenerator<AsyncIterable<Uint8Array>> {
  try {
    const zip = await openZip(file);
    if (zip.entryCount > budget.files) throw new UnreadableReport('The zip file has too many files.');
    budget.files -= zip.entryCount;
    const entries: { entry: yauzl.Entry; name: string }[] = [];
    for await (const entry of zip.eachEntry()) {
      // Names lead nowhere, so that any is allowed.
      const name = Buffer.from(entry.fileName as unknown as Uint8Array).toString();
      if (!/[/\\]$/.test(name) && !MACOS_NAME.test(name)) entries.push({ entry, name });
    }
    const named = entries.filter(({ name }) => REPORT_NAME.test(name));
    for (const { entry } of named.length > 0 ? named : entries) yield* entryIn({ zip, entry }, budget, depth);
    if (entries.length > 0) return;
  } catch (error) {
    throw unreadable(error);
  }
  throw new UnreadableReport('The zip file has no file.');
}

/** Yields the content of an entry. One that can't be read doesn't prevent reading the others. */
async function* entryIn(
  { zip, entry }: { zip: yauzl.ZipFile; entry: yauzl.Entry },
  budget: Budget,
  depth: number,
): AsyncGenerator<AsyncIterable<Uint8Array>> {
  try {
    yield* inside(entryOf(zip, entry), budget, depth);
  } catch (error) {
    yield rejected(unreadable(error));
  }
}

async function* rejected(error: UnreadableReport): AsyncGenerator<Uint8Array> {
  yield await Promise.reject(error);
}

/** Opens a zip file, without what follows its end. */
function openZip(file: Buffer): Promise<yauzl.ZipFile> {
  const end = file.lastIndexOf(ZIP_END);
  const comment = end >= 0 && end + ZIP_END_BYTES <= file.length ? file.readUInt16LE(end + ZIP_END_BYTES - 2) : 0;
  const zip = end < 0 ? file : file.subarray(0, end + ZIP_END_BYTES + comment);
  const options = { lazyEntries: true, validateEntrySizes: true, autoClose: false, decodeStrings: false };
  return yauzl.fromBufferPromise(zip, options);
}

async function* entryOf(zip: yauzl.ZipFile, entry: yauzl.Entry): AsyncGenerator<Uint8Array> {
  if (!entry.canDecodeFileData()) throw new UnreadableReport('The zip file is encrypted, or packed in an unknown way.');
  if (entry.uncompressedSize > LIMITS.bytes) throw tooLarge();
  let source: Readable;
  try {
    source = await zip.openReadStreamPromise(entry);
  } catch (error) {
    throw unreadable(error);
  }
  yield* limited(source, entry.compressedSize);
}

async function* limited(source: Readable, packedBytes: number): AsyncGenerator<Uint8Array> {
  let total = 0;
  try {
    for await (const chunk of source as AsyncIterable<Uint8Array>) {
      total += chunk.byteLength;
      if (total > LIMITS.bytes || total > MB + packedBytes * LIMITS.ratio) throw tooLarge();
      yield chunk;
    }
  } catch (error) {
    throw unreadable(error);
  } finally {
    source.destroy();
  }
}

function unreadable(error: unknown): UnreadableReport {
  return error instanceof UnreadableReport ? error : new UnreadableReport('The file is damaged.');
}

function tooLarge(): UnreadableReport {
  return new UnreadableReport(`The report is larger than ${LIMITS.bytes / MB} MB.`, 'too_large');
}

function startsWith(file: Uint8Array, start: number[]): boolean {
  return start.every((byte, index) => file[index] === byte);
}
