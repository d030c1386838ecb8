import type { InboundMail } from '../inbound/port';
import { readMessage } from '../mime/message';

/** Searches a message stream for the GTUBE line, the standard test for spam filters. */
export function createGtubeFilter() {
  const start: Buffer[] = [];
  let startBytes = 0;
  let tail = Buffer.alloc(0);
  let isFound = false;
  return {
    async *passOn(message: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
      for await (const chunk of message) {
        if (startBytes < START_BYTES) {
          start.push(chunk.subarray(0, START_BYTES - startBytes));
          startBytes += chunk.length;
        }
        if (!isFound) {
          const seam = Buffer.concat([tail, chunk.subarray(0, GTUBE.length)]);
          isFound = seam.includes(GTUBE) || chunk.includes(GTUBE);
          tail = Buffer.concat([tail, chunk.subarray(-GTUBE.length)]).subarray(-GTUBE.length);
        }
        yield chunk;
      }
    },
    /** Rspamd's score. The sandbox keeps such mail instead of rejecting it, so that it can be viewed. */
    verdict(): Pick<InboundMail, 'verdict' | 'spam'> {
      const isSpam = isFound || hasInText(Buffer.concat(start));
      if (isSpam) return { verdict: { score: 15, action: 'quarantine' }, spam: 'blocked' };
      return { verdict: { score: 0, action: 'no action' }, spam: 'no' };
    },
  };
}

const GTUBE = 'XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X';
// Only the start is decoded, because decoding is slow and text parts come first; the rest is searched raw.
const START_BYTES = 64 * 1024;
const START_LINES = 1_000;

/** Searches encoded text parts. A message that cannot be parsed has none. */
function hasInText(message: Buffer): boolean {
  try {
    const { text, html } = readMessage(withMimeHeaderOnly(message));
    return [text, html].some((body) => body?.includes(GTUBE));
  } catch {
    return false;
  }
}

// Skip the other header fields: parsing thousands of addresses would be wasted.
function withMimeHeaderOnly(message: Buffer): Buffer {
  const text = message.toString('latin1');
  const [header = ''] = text.split(/\r?\n\r?\n/, 1);
  const fields = header.split(/\r?\n(?![ \t])/).filter((field) => /^(content|mime)-/i.test(field));
  const body = text.slice(header.length).split('\n', START_LINES).join('\n');
  return Buffer.from(fields.join('\r\n') + body, 'latin1');
}
