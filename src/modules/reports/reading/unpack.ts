import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import yauzl from 'yauzl';
import { LIMITS, UnreadableReport } from './report';

const MB = 1024 * 1024;
const PIECE_BYTES = 64 * 1024;
const REPORT_NAME = /\.(xml|json)$/i;

/**
 * The content of a file in pieces: plain, or unpacked from gzip or from the first XML or JSON file of a zip file. It stops at
 * the limits, so that its memory does not depend on what a file would unpack to.
 */
export async function* unpack(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.byteLength > LIMITS.compressedBytes) throw tooLarge();
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (startsWith(file, [0x1f, 0x8b])) yield* limited(gunzip(file), file.byteLength);
  else if (startsWith(file, [0x50, 0x4b])) yield* unzip(file);
  else yield* pieces(file);
}

function* pieces(file: Buffer): Generator<Uint8Array> {
  for (let start = 0; start < file.byteLength; start += PIECE_BYTES) yield file.subarray(start, start + PIECE_BYTES);
}

function gunzip(file: Buffer): Readable {
  return Readable.from([file]).pipe(createGunzip());
}

async function* unzip(file: Buffer): AsyncGenerator<Uint8Array> {
  try {
    const zip = await yauzl.fromBufferPromise(file, { lazyEntries: true, validateEntrySizes: true });
    if (zip.entryCount > LIMITS.zipEntries) throw new UnreadableReport('The zip file has too many files.');
    for await (const entry of zip.eachEntry()) {
      if (!REPORT_NAME.test(entry.fileName)) continue;
      if (!entry.canDecodeFileData())
        throw new UnreadableReport('The zip file is encrypted, or packed in an unknown way.');
      if (entry.uncompressedSize > LIMITS.bytes) throw tooLarge();
      yield* limited(await zip.openReadStreamPromise(entry), entry.compressedSize);
      return;
    }
  } catch (error) {
    throw unreadable(error);
  }
  throw new UnreadableReport('The zip file has no XML or JSON file.');
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
