import PostalMime from 'postal-mime';
import type { InboundMail } from '../inbound';

/** Looks for the line that every spam filter is tested with, in a message that passes through. */
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
    /** As Rspamd scores it; the sandbox holds such mail instead of refusing it, so that it can be looked at. */
    async verdict(): Promise<Pick<InboundMail, 'verdict' | 'spam'>> {
      const isSpam = isFound || (await hasInText(Buffer.concat(start)));
      if (isSpam) return { verdict: { score: 15, action: 'quarantine' }, spam: 'blocked' };
      return { verdict: { score: 0, action: 'no action' }, spam: 'no' };
    },
  };
}

const GTUBE = 'XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X';
// Text stands first, and decoding costs time: what stands further on counts only as it is written.
const START_BYTES = 64 * 1024;
const START_LINES = 1_000;

/** In a text part that base64 or quoted-printable hides. A message that cannot be parsed has none. */
async function hasInText(message: Buffer): Promise<boolean> {
  const parsed = await PostalMime.parse(withMimeHeaderOnly(message), { rfc822Attachments: true }).catch(() => null);
  return [parsed?.text, parsed?.html].some((text) => text?.includes(GTUBE));
}

// A header of thousands of addresses would be parsed for nothing.
function withMimeHeaderOnly(message: Buffer): Buffer {
  const text = message.toString('latin1');
  const [header = ''] = text.split(/\r?\n\r?\n/, 1);
  const fields = header.split(/\r?\n(?![ \t])/).filter((field) => /^(content|mime)-/i.test(field));
  const body = text.slice(header.length).split('\n', START_LINES).join('\n');
  return Buffer.from(fields.join('\r\n') + body, 'latin1');
}
