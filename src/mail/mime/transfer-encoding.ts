/**
 * Undoes the transfer encoding of a part (RFC 2045, 6); an unknown one leaves the bytes as they are.
 * @param encoding the name, in lower case
 */
export function decodeTransfer(content: Buffer, encoding: string): Buffer {
  switch (encoding) {
    case 'base64':
    case 'base-64':
    case 'x-base64':
      return decodeBase64(content);
    case 'quoted-printable':
    case 'quoted':
    case 'quotedprintable':
    case 'quoted_printable':
      return decodeQuotedPrintable(content);
    case 'x-uuencode':
    case 'x-uu':
    case 'x-uue':
    case 'uuencode':
    case 'uue':
      return decodeLines(content, uuDigit);
    case 'x-xxencode':
    case 'x-xx':
    case 'xxencode':
      return decodeLines(content, (byte) => XX_DIGITS.indexOf(byte));
    default:
      return content;
  }
}

/**
 * Decodes up to the padding, or all pieces of content that was encoded piece by piece. What isn't base64 at all, such as text with
 * a wrong label, stays as it is.
 */
export function decodeBase64(content: Buffer): Buffer {
  const padding = content.indexOf('=');
  const isPadded = padding >= 0 && padding < content.length - SHORTEST_REST;
  const pieces = isPadded ? decodePieces(content, padding) : null;
  if (pieces) return pieces;
  const encoded = (padding < 0 ? content : content.subarray(0, padding)).toString('latin1');
  const start = encoded.slice(0, 2_000).trim();
  const count = (pattern: RegExp) => start.match(pattern)?.length ?? 0;
  const [spaces, others, digits] = [count(/(?<=\S)[ \t]+(?=\S)/g), count(/[^A-Za-z0-9+/\s]/g), count(/[A-Za-z0-9+/]/g)];
  // Faults of a transfer are rare; words have spaces and punctuation. A single digit at the end encodes nothing.
  const isText = spaces * 20 > digits || others * 10 > digits;
  const isCut = padding < 0 && start === encoded.trim() && digits % 4 === 1;
  return isText || isCut ? content : Buffer.from(encoded, 'base64');
}

const SHORTEST_REST = 16;

/** Decodes content of which more lines of base64 follow the padding; null if anything else follows it, such as a footer. */
function decodePieces(content: Buffer, padding: number): Buffer | null {
  const whole = content.toString('latin1');
  const rest = whole
    .slice(padding)
    .replace(/^=+\s*/, '')
    .trimEnd();
  if (rest.length < SHORTEST_REST || /[^A-Za-z0-9+/=\s]|\S[ \t]+\S/.test(rest)) return null;
  const pieces = whole.replace(/\s+/g, '').match(/[^=]+=*/g) ?? [];
  const arePieces = pieces.every((piece) => piece.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(piece));
  return arePieces ? Buffer.concat(pieces.map((piece) => Buffer.from(piece, 'base64'))) : null;
}

/** Decodes quoted-printable; sequences that aren't valid stay as they are (RFC 2045, 6.7). */
function decodeQuotedPrintable(content: Buffer): Buffer {
  const decoded = Buffer.allocUnsafe(content.length);
  let [at, end] = [0, 0];
  while (at < content.length) {
    const byte = content[at] as number;
    if (byte === 0x3d) {
      const value = hexByte(content, at + 1);
      const next = afterSoftBreak(content, at + 1);
      if (value !== null) decoded[end++] = value;
      else if (next === null) decoded[end++] = byte;
      at = value !== null ? at + 3 : (next ?? at + 1);
    } else if (byte === 0x20 || byte === 0x09) {
      // White space before a line break was added on the way.
      let last = at;
      while (content[last] === 0x20 || content[last] === 0x09) last += 1;
      const isAdded = content[last] === 0x0a || content[last] === 0x0d || last === content.length;
      if (!isAdded) end += content.copy(decoded, end, at, last);
      at = last;
    } else {
      decoded[end++] = byte;
      at += 1;
    }
  }
  return decoded.subarray(0, end);
}

function hexByte(content: Buffer, at: number): number | null {
  const [high, low] = [hexDigit(content[at]), hexDigit(content[at + 1])];
  return high < 0 || low < 0 ? null : high * 16 + low;
}

function hexDigit(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

/** Where the next line begins if only white space is between; null otherwise. */
function afterSoftBreak(content: Buffer, start: number): number | null {
  let at = start;
  while (content[at] === 0x20 || content[at] === 0x09) at += 1;
  if (at === content.length) return at;
  if (content[at] === 0x0d) at += 1;
  return content[at] === 0x0a ? at + 1 : null;
}

const XX_DIGITS = Buffer.from('+-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz');

/** Space is zero, and so is the backquote that replaces it. */
function uuDigit(byte: number): number {
  return byte >= 0x20 && byte <= 0x60 ? (byte - 0x20) & 0x3f : -1;
}

/** Decodes the lines between `begin` and `end`: each has its length first, then four digits for three bytes. */
function decodeLines(content: Buffer, digitOf: (byte: number) => number): Buffer {
  const decoded = Buffer.allocUnsafe(content.length);
  let end = 0;
  let isBegun = false;
  for (const line of linesOf(content)) {
    if (!isBegun) {
      isBegun = line.subarray(0, 6).toString('latin1') === 'begin ';
      continue;
    }
    const length = digitOf(line[0] ?? 0x60);
    if (length <= 0 || line.subarray(0, 3).toString('latin1') === 'end') break;
    const start = end;
    for (let at = 1; end - start < length; at += 4) {
      // Trailing spaces can be lost on the way.
      const [a, b, c, d] = [0, 1, 2, 3].map((index) => Math.max(digitOf(line[at + index] ?? 0x20), 0)) as Four;
      decoded[end++] = (a << 2) | (b >> 4);
      decoded[end++] = ((b << 4) | (c >> 2)) & 0xff;
      decoded[end++] = ((c << 6) | d) & 0xff;
    }
    end = start + length;
  }
  return isBegun ? decoded.subarray(0, end) : content;
}

type Four = [number, number, number, number];

function* linesOf(content: Buffer): Generator<Buffer> {
  for (let start = 0; start < content.length; ) {
    const lineEnd = content.indexOf(0x0a, start);
    const end = lineEnd < 0 ? content.length : lineEnd;
    yield content.subarray(start, content[end - 1] === 0x0d ? end - 1 : end);
    start = end + 1;
  }
}
