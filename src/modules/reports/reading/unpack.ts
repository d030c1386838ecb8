import { pipeline, Readable } from 'node:stream';
import { constants, createGunzip } from 'node:zlib';
import yauzl from 'yauzl';
import { LIMITS, UnreadableReport } from './report';

const MB = 1024 * 1024;
const PIECE_BYTES = 64 * 1024;
const GZIP = [0x1f, 0x8b];
const REPORT_NAME = /\.(xml|json)\s*$/i;
/** What macOS adds about each file. */
const MACOS_NAME = /(^|\/)(__MACOSX\/|\._)/;

/**
 * The content of a file in pieces: plain, unpacked from gzip, or of each report in a zip file. It stops at the limits, so that its
 * memory does not depend on what a file would unpack to.
 */
export async function* unpack(bytes: Uint8Array): AsyncGenerator<AsyncIterable<Uint8Array>> {
  if (bytes.byteLength > LIMITS.compressedBytes) throw tooLarge();
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (startsWith(file, GZIP)) yield gunzipped(file);
  else if (startsWith(file, [0x50, 0x4b])) yield* unzip(file);
  else yield pieces(file);
}

async function* pieces(file: Buffer): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < file.byteLength; start += PIECE_BYTES) yield file.subarray(start, start + PIECE_BYTES);
}

/** Some reporters pack twice: the second time as the transfer encoding of a file that is packed already. */
async function* gunzipped(file: Buffer): AsyncGenerator<Uint8Array> {
  const content = limited(gunzip(Readable.from([file])), file.byteLength);
  const { value: first, done } = await content.next();
  if (done) return;
  const all = prefixed(first, content);
  yield* startsWith(first, GZIP) ? limited(gunzip(Readable.from(all)), file.byteLength) : all;
}

async function* prefixed(first: Uint8Array, rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield first;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

/** A file that was cut is read as far as it goes. */
function gunzip(packed: Readable): Readable {
  // A pipe would keep errors from the reader.
  return pipeline(packed, createGunzip({ finishFlush: constants.Z_SYNC_FLUSH }), () => {});
}

async function* unzip(file: Buffer): AsyncGenerator<AsyncIterable<Uint8Array>> {
  try {
    const zip = await yauzl.fromBufferPromise(file, { lazyEntries: true, validateEntrySizes: true, autoClose: false });
    if (zip.entryCount > LIMITS.zipEntries) throw new UnreadableReport('The zip file has too many files.');
    const entries: yauzl.Entry[] = [];
    for await (const entry of zip.eachEntry()) {
      if (!entry.fileName.endsWith('/') && !MACOS_NAME.test(entry.fileName)) entries.push(entry);
    }
    const named = entries.filter(({ fileName }) => REPORT_NAME.test(fileName));
    for (const entry of named.length > 0 ? named : entries) yield entryOf(zip, entry);
    if (entries.length > 0) return;
  } catch (error) {
    throw unreadable(error);
  }
  throw new UnreadableReport('The zip file has no file.');
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
