import { Readable } from 'node:stream';
import { OutboundFailure } from './failure';

export type OutboundBody = {
  /** All of it; null if it is read from a source. */
  bytes: Uint8Array | null;
  /** The next chunk, null at the end. @throws OutboundFailure `broken` if the length differs from `bodyBytes` */
  next: () => Promise<Uint8Array | null>;
  /** Closes the source, even if it hangs or was never read. Never throws. */
  close: () => void;
};

/**
 * Reads a body of exactly `bodyBytes` bytes from its source, one chunk at a time.
 * @throws OutboundFailure `broken` for bytes of another length
 */
export function openBody(source: Uint8Array | AsyncIterable<Uint8Array>, bodyBytes: number): OutboundBody {
  if (source instanceof Uint8Array) {
    if (source.byteLength !== bodyBytes) throw unreadable();
    return { bytes: source, next: async () => null, close: ignore };
  }
  if (source instanceof Readable) source.on('error', ignore);
  const iterator = source[Symbol.asyncIterator]();
  let leftBytes = bodyBytes;
  return {
    bytes: null,
    async next() {
      const piece = await nextOf(iterator);
      leftBytes -= piece?.byteLength ?? 0;
      if (leftBytes < 0 || (piece === null && leftBytes > 0)) throw unreadable();
      return piece;
    },
    close() {
      endOf(iterator).catch(ignore);
      // A stream's iterator doesn't close it if it was never read.
      if (source instanceof Readable) source.destroy();
    },
  };
}

function ignore() {}

async function nextOf(iterator: AsyncIterator<Uint8Array>): Promise<Uint8Array | null> {
  try {
    const { done, value } = await iterator.next();
    return done ? null : value;
  } catch {
    throw unreadable();
  }
}

async function endOf(iterator: AsyncIterator<Uint8Array>): Promise<void> {
  await iterator.return?.();
}

function unreadable(): OutboundFailure {
  return new OutboundFailure('broken', 'The request body could not be read.');
}
