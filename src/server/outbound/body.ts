import { Readable } from 'node:stream';
import { OutboundFailure } from './failure';

export type OutboundBody = {
  /** The next piece, null at the end. @throws OutboundFailure `broken` unless there is just what was announced */
  next: () => Promise<Uint8Array | null>;
  /** Ends the source, even one that hangs or was never begun. Never throws. */
  close: () => void;
};

/** Pulls a body of exactly `bodyBytes` bytes from its source, a piece at a time. */
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
      // The iterator of a stream that was never begun leaves it open.
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
  return new OutboundFailure('broken', 'The body of the request could not be read.');
}
