import { Readable } from 'node:stream';
import { OutboundFailure } from './failure';

export type OutboundBody = {
  /** The next chunk, null at the end. @throws OutboundFailure `broken` if the length differs from `bodyBytes` */
  next: () => Promise<Uint8Array | null>;
  /** Closes the source, even if it hangs or was never read. Never throws. */
  close: () => void;
};

/** Reads a body of exactly `bodyBytes` bytes from its source, one chunk at a time. */
export function openBody(source: AsyncIterable<Uint8Array>, bodyBytes: number): OutboundBody {
  if (source instanceof Readable) source.on('error', ignore);
  const iterator = source[Symbol.asyncIterator]();
  let leftBytes = bodyBytes;
  return {
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
