/** An element of BER (X.690): where its content and the next element begin. */
type Element = { tag: number; start: number; end: number; next: number };

const [SEQUENCE, OCTETS, FIRST, CONSTRUCTED] = [0x30, 0x04, 0xa0, 0x20];
// Signed content is four deep, and in at most a few pieces within each other.
const MAX_DEPTH = 10;
/** Mail programs make one of a kilobyte or more. */
const MAX_PIECES = 100_000;

/**
 * The message part in signed content (RFC 8551, 3.5.2; RFC 5652, 5), which is read without verifying the signature. Null if it can't
 * be read.
 */
export function signedContent(bytes: Buffer): Buffer | null {
  const content = elementAt(bytes, 0, bytes.length);
  const signed = childOf(bytes, childOf(bytes, content, SEQUENCE, FIRST), FIRST, SEQUENCE);
  // Behind the version and the algorithms.
  const encapsulated = childOf(bytes, signed, SEQUENCE, SEQUENCE);
  const value = childOf(bytes, childOf(bytes, encapsulated, SEQUENCE, FIRST), FIRST);
  return value && octetsIn(bytes, value);
}

/** The first child with that tag, of an element with the other tag. */
function childOf(bytes: Buffer, parent: Element | null, parentTag: number, tag?: number): Element | null {
  if (parent?.tag !== parentTag) return null;
  for (const child of childrenOf(bytes, parent)) if (tag === undefined || child.tag === tag) return child;
  return null;
}

function* childrenOf(bytes: Buffer, { start, end }: Element, depth = 0): Generator<Element> {
  let child = elementAt(bytes, start, end, depth);
  while (child) {
    yield child;
    child = child.next < end ? elementAt(bytes, child.next, end, depth) : null;
  }
}

/** The bytes of a string, which can be in pieces. */
function octetsIn(bytes: Buffer, element: Element, depth = 0): Buffer | null {
  if (element.tag === OCTETS) return bytes.subarray(element.start, element.end);
  if (element.tag !== (OCTETS | CONSTRUCTED) || depth > MAX_DEPTH) return null;
  const pieces: Buffer[] = [];
  for (const child of childrenOf(bytes, element)) {
    const piece = pieces.length < MAX_PIECES ? octetsIn(bytes, child, depth + 1) : null;
    if (piece === null) return null;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** The element there, within the limit. Null if it isn't complete. */
function elementAt(bytes: Buffer, at: number, limit: number, depth = 0): Element | null {
  if (at + 2 > limit || depth > MAX_DEPTH) return null;
  const [tag, length] = [bytes[at] as number, bytes[at + 1] as number];
  if (length === 0x80) return withoutLength(bytes, { tag, at, limit, depth });
  const size = length & 0x80 ? length & 0x7f : 0;
  const start = at + 2 + size;
  if (size > 4 || start > limit) return null;
  const end = start + (size > 0 ? bytes.readUIntBE(at + 2, size) : length);
  return end <= limit ? { tag, start, end, next: end } : null;
}

/** An element that ends where its children do. */
function withoutLength(
  bytes: Buffer,
  { tag, at, limit, depth }: { tag: number; at: number; limit: number; depth: number },
): Element | null {
  let end = at + 2;
  while (end + 2 <= limit && (bytes[end] !== 0 || bytes[end + 1] !== 0)) {
    const child = elementAt(bytes, end, limit, depth + 1);
    if (!child) return null;
    end = child.next;
  }
  return end + 2 <= limit && tag & CONSTRUCTED ? { tag, start: at + 2, end, next: end + 2 } : null;
}
