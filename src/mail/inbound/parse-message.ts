import PostalMime, { type Email } from 'postal-mime';

/** Parses a whole message. An attached message is kept as one attachment instead of being parsed too. */
export function parseMessage(raw: Uint8Array): Promise<Email> {
  const options = { forceRfc822Attachments: true, maxHeadersSize: raw.byteLength + 1 };
  const isWhole = raw.byteLength === raw.buffer.byteLength;
  return new Parser(options).parse(isWhole ? (raw.buffer as ArrayBuffer) : raw);
}

type Part = { parentNode?: Part; content: ArrayBuffer | null; contentTransferEncoding: { encoding: string } };

type Collect = (part: Part, ...more: unknown[]) => Promise<void>;

const collectPart = (PostalMime.prototype as unknown as { collectNode: Collect }).collectNode;

// The line break before a boundary belongs to the boundary (RFC 2046, 5.1.1), but the parser leaves it in parts other
// than base64. `collectNode` is missing in its types; a test verifies that the parser still calls it.
class Parser extends PostalMime {
  collectNode(part: Part, ...more: unknown[]): Promise<void> {
    const { parentNode, content, contentTransferEncoding } = part;
    if (parentNode && content && !/base64/i.test(contentTransferEncoding.encoding))
      part.content = withoutLastBreak(content);
    return collectPart.call(this, part, ...more);
  }
}

function withoutLastBreak(content: ArrayBuffer): ArrayBuffer {
  const isBreak = new Uint8Array(content).at(-1) === 0x0a;
  return isBreak ? content.slice(0, -1) : content;
}
