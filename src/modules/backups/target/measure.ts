import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { StoredArchive, WriteOptions } from './port';

/** Counts and sums the bytes of an archive while they are read, and tells its own failure from one of the target. */
export function measure(archive: Readable, onBytes: WriteOptions['onBytes']) {
  const hash = createHash('sha256');
  let bytes = 0;
  let failure: { error: unknown } | undefined;
  // An archive that fails before it is read reports it when it is read.
  archive.on('error', () => {});
  return {
    async *chunks(): AsyncGenerator<Buffer> {
      const iterator = (archive as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
      try {
        for (;;) {
          const { value, done } = await iterator.next().catch((error: unknown) => {
            failure = { error };
            throw error;
          });
          if (done) return;
          hash.update(value);
          bytes += value.byteLength;
          onBytes?.(value.byteLength);
          yield value;
        }
      } finally {
        archive.destroy();
      }
    },
    /** Why the archive could not be made, if that is so. */
    failure: () => failure,
    measured: (): StoredArchive => ({ bytes, sha256: hash.digest('hex') }),
  };
}
