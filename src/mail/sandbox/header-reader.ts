import { headerEnd } from '@/lib/mail/header-end';
import { MESSAGE_ID } from '@/lib/mail/message-id';

/** A stream that collects the header of a message passing through. */
export function createHeaderReader() {
  const chunks: Buffer[] = [];
  let collectedBytes = 0;
  return {
    async *passOn(message: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
      for await (const chunk of message) {
        if (collectedBytes < MAX_HEADER_BYTES) {
          chunks.push(chunk);
          collectedBytes += chunk.length;
        }
        yield chunk;
      }
    },
    /** The raw header, truncated at a length that no legitimate header has. */
    header(): Buffer {
      const start = Buffer.concat(chunks).subarray(0, MAX_HEADER_BYTES);
      return start.subarray(0, headerEnd(start) ?? start.length);
    },
  };
}

/** The Message-ID in a header, with its angle brackets. */
export function messageIdOf(header: Buffer): string | null {
  return FIELD.exec(header.toString('latin1'))?.[1] ?? null;
}

const FIELD = new RegExp(String.raw`^message-id:\s*(${MESSAGE_ID.source})`, 'im');
const MAX_HEADER_BYTES = 128 * 1024;
