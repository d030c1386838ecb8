import { type RawField, readFields } from './header-fields';
import { readStructured, type Structured } from './parameters';
import { decodeTransfer } from './transfer-encoding';

/** A part of a message (RFC 2045, 2046); the message itself is one, too. */
export type Part = {
  fields: RawField[];
  /** The MIME type, such as `text/plain`. */
  type: string;
  contentType: Structured;
  disposition: Structured;
  /** Empty unless it is a multipart with parts. */
  children: Part[];
  /** The content without its transfer encoding. */
  content: () => Buffer;
};

type Range = { start: number; end: number };

/**
 * Reads the parts of a message. A multipart whose boundary occurs nowhere is read with the one that its content shows,
 * or else as text.
 * @throws if parts are nested deeper than MAX_DEPTH, or there are more than `maxParts`
 */
export function readPart(bytes: Buffer, maxParts = MAX_PARTS): Part {
  return partIn(bytes, { start: 0, end: bytes.length }, { depth: 0, ofDigest: false, left: { parts: maxParts } });
}

const MAX_DEPTH = 200;
// Far more than any message has, and read within a second.
const MAX_PARTS = 30_000;

type Place = { depth: number; ofDigest: boolean; left: { parts: number } };

function partIn(bytes: Buffer, { start, end }: Range, { depth, ofDigest, left }: Place): Part {
  if (depth > MAX_DEPTH) throw new Error(`The nesting depth of the parts exceeds ${MAX_DEPTH}.`);
  if (--left.parts < 0) throw new Error('The message has too many parts.');
  const { fields, bodyStart } = readFields(bytes, start, end);
  const contentType = typeField(fields);
  const disposition = readStructured(bodyOf(fields, 'content-disposition') ?? '');
  const type = typeOf(contentType, bodyOf(fields, 'content-type') === null && ofDigest, disposition);
  const body = { start: bodyStart, end };
  const given = readStructured(bodyOf(fields, 'content-transfer-encoding') ?? '').value;
  const isMultipart = type.startsWith('multipart/');
  const place = { depth: depth + 1, ofDigest: type === 'multipart/digest', left };
  const children = isMultipart
    ? childrenIn(bytes, body, { boundary: contentType.rawParameter('boundary'), encoding: given, place })
    : [];
  const isUnread = isMultipart && children.length === 0;
  const encoding = isUnread ? '' : given;
  return {
    fields,
    type: isUnread ? 'text/plain' : type,
    contentType,
    disposition,
    children,
    content: () => decodeTransfer(bytes.subarray(body.start, body.end), encoding),
  };
}

/** The parts of a multipart. Some programs encode it as a whole, which none may be (RFC 2045, 6.4). */
function childrenIn(
  bytes: Buffer,
  body: Range,
  { boundary, encoding, place }: { boundary: string | null; encoding: string; place: Place },
): Part[] {
  const partsOf = (content: Buffer, ranges: Range[]) => ranges.map((range) => partIn(content, range, place));
  const ranges = rangesIn(bytes, body, boundary);
  if (ranges.length > 0) return partsOf(bytes, ranges);
  const content = bytes.subarray(body.start, body.end);
  const decoded = decodeTransfer(content, encoding);
  const inDecoded = decoded === content ? [] : rangesIn(decoded, { start: 0, end: decoded.length }, boundary);
  return inDecoded.length > 0 ? partsOf(decoded, inDecoded) : partsOf(bytes, shownRangesIn(bytes, body));
}

/** The body of the first field of that name, in lower case. */
export function bodyOf(fields: readonly RawField[], name: string): string | null {
  return fields.find((field) => field.name.toLowerCase() === name)?.raw ?? null;
}

/** The first Content-Type that names a type, or the first of all. */
function typeField(fields: readonly RawField[]): Structured {
  const all = fields
    .filter(({ name }) => name.toLowerCase() === 'content-type')
    .slice(0, 2)
    .map(({ raw }) => readStructured(raw.replace(/^([\w-]{1,100})[ \t]*\/[ \t]*/, '$1/')));
  return all.find(({ value }) => TYPE.test(value)) ?? all[0] ?? readStructured('');
}

const TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/;

/** The type of a part. A value that isn't one is plain text (RFC 2045, 5.2), or a file if it is named. */
function typeOf({ value, parameter, rawParameter }: Structured, isMessage: boolean, disposition: Structured): string {
  if (TYPE.test(value)) return value;
  if (isMessage) return 'message/rfc822';
  if (value === 'html') return 'text/html';
  if (value.startsWith('multipart') && rawParameter('boundary')) return 'multipart/mixed';
  const isFile = parameter('name') !== null || disposition.parameter('filename') !== null;
  return isFile && value !== 'text' && value !== '' ? 'application/octet-stream' : 'text/plain';
}

function rangesIn(bytes: Buffer, body: Range, boundary: string | null): Range[] {
  // The lines may have lost a space at the end, which no boundary has (RFC 2046, 5.1.1).
  for (const delimiter of new Set([boundary, boundary?.trimEnd()])) {
    const ranges = delimiter ? divide(bytes, body, delimiter) : [];
    if (ranges.length > 0) return ranges;
  }
  return [];
}

/** Divides a multipart by the boundary that its content shows. */
function shownRangesIn(bytes: Buffer, body: Range): Range[] {
  const shown = SHOWN_BOUNDARY.exec(
    bytes.toString('latin1', body.start, Math.min(body.end, body.start + SHOWN_WITHIN)),
  )?.[1];
  return shown ? divide(bytes, body, shown) : [];
}

const SHOWN_WITHIN = 100_000;
/** A line that could be a boundary, before a field that describes a part. */
const SHOWN_BOUNDARY = /(?:^|\n)--(\S(?:[^\r\n]{0,200}\S)?)[ \t]*\r?\n(?=content-)/i;

/** The contents between the delimiters of a boundary. The line break before a delimiter belongs to it (RFC 2046, 5.1.1). */
function divide(message: Buffer, { start, end }: Range, boundary: string): Range[] {
  // Or each part without its boundary would be searched to the end of the message.
  const bytes = message.subarray(0, end);
  const delimiter = Buffer.from(`--${boundary}`, 'latin1');
  const ranges: Range[] = [];
  let open: number | null = null;
  for (let at = bytes.indexOf(delimiter, start); at >= 0; at = bytes.indexOf(delimiter, at + 1)) {
    if (at > start && bytes[at - 1] !== 0x0a) continue;
    const lineEnd = bytes.indexOf(0x0a, at);
    const next = lineEnd < 0 ? end : lineEnd + 1;
    const rest = bytes.toString('latin1', at + delimiter.length, Math.min(next, at + delimiter.length + 100));
    const isClosing = rest.startsWith('--');
    if (!isClosing && !/^[ \t]*\r?\n?$/.test(rest)) continue;
    if (open !== null) ranges.push({ start: open, end: Math.max(open, beforeBreak(bytes, at)) });
    // The delimiter that closes a nested multipart with the same boundary, or one too early, isn't the end of the parts.
    open = isClosing ? null : next;
  }
  if (open !== null && (open < end || ranges.length === 0)) ranges.push({ start: open, end });
  return ranges;
}

function beforeBreak(bytes: Buffer, at: number): number {
  if (bytes[at - 1] !== 0x0a) return at;
  return bytes[at - 2] === 0x0d ? at - 2 : at - 1;
}
