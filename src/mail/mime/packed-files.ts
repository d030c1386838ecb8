import { decodeText } from './decode-text';
import { decodeRaw } from './header-fields';
import { decodeTransfer } from './transfer-encoding';

export type MailFile = {
  filename: string | null;
  /** The MIME type, such as `text/plain`. */
  mimeType: string;
  disposition: 'inline' | 'attachment' | null;
  /** Without brackets. */
  contentId: string | null;
  content: Uint8Array;
};

const SIGN = Buffer.from('begin ');
const BEGIN = /^begin [0-7]{3,4} ([^\r\n]{1,255})$/;
const DATA = /^[\x20-\x60]{1,90}[ \t]*$/;
const END = /^end[ \t]*$/;
// Neither a name nor a line of data is longer, whatever white space follows.
const MAX_LINE_BYTES = 300;

/** Takes the files out of a text that programs without MIME put there between `begin` and `end`. */
export function takeUuencoded(content: Buffer): { rest: Buffer; files: MailFile[] } {
  const files: MailFile[] = [];
  const kept: Buffer[] = [];
  let keptTo = 0;
  for (let at = content.indexOf(SIGN); at >= 0; at = content.indexOf(SIGN, at + 1)) {
    const found = at === 0 || content[at - 1] === 0x0a ? fileAt(content, at) : null;
    if (!found) continue;
    const bytes = decodeTransfer(content.subarray(at, found.end), 'x-uuencode');
    files.push({
      filename: decodeRaw(found.name.trim(), null),
      mimeType: 'application/octet-stream',
      disposition: 'attachment',
      contentId: null,
      content: bytes,
    });
    kept.push(content.subarray(keptTo, at));
    keptTo = found.end;
    at = found.end - 1;
  }
  return files.length > 0
    ? { rest: Buffer.concat([...kept, content.subarray(keptTo)]), files }
    : { rest: content, files };
}

/**
 * The file that begins there, up to where its last line ends; null if its lines end before `end`. No line of data holds a `begin`,
 * so no line is read for two files.
 */
function fileAt(content: Buffer, start: number): { name: string; end: number } | null {
  let line = lineAt(content, start);
  const name = BEGIN.exec(line.text)?.[1];
  if (name === undefined) return null;
  do {
    if (line.next >= content.length) return null;
    line = lineAt(content, line.next);
  } while (DATA.test(line.text));
  return END.test(line.text) ? { name, end: line.next } : null;
}

function lineAt(content: Buffer, start: number): { text: string; next: number } {
  const lineEnd = content.indexOf(0x0a, start);
  const end = lineEnd < 0 ? content.length : lineEnd;
  const text = content.toString('latin1', start, Math.min(end, start + MAX_LINE_BYTES)).replace(/\r$/, '');
  return { text, next: lineEnd < 0 ? end : end + 1 };
}

/**
 * The files of a winmail.dat, in which Outlook puts attachments (MS-OXTNEF), and whether those are all: messages and other items
 * of Outlook are no files, and the end can be missing.
 */
export function readTnef(content: Buffer): { files: MailFile[]; areAll: boolean } {
  if (content.length < 6 || content.readUInt32LE(0) !== SIGNATURE) return { files: [], areAll: false };
  const items: TnefFile[] = [];
  let codePage: string | null = null;
  const { list, isWhole } = attributesIn(content);
  for (const { id, data } of list) {
    const file = items.at(-1);
    if (id === OEM_CODE_PAGE && data.length >= 4) codePage = `cp${data.readUInt32LE(0)}`;
    else if (id === ATTACHMENT_START) items.push({ title: null, longName: null, content: null });
    else if (file && id === ATTACHMENT_TITLE) file.title = data;
    else if (file && id === ATTACHMENT_DATA) file.content = data;
    else if (file && id === ATTACHMENT_PROPERTIES) file.longName = longFilename(data);
  }
  const files = items.flatMap(({ title, longName, content: bytes }) => {
    const filename = longName ?? (title && withoutNul(decodeText(title, { declared: codePage })));
    return bytes
      ? [
          {
            filename: filename || null,
            mimeType: 'application/octet-stream',
            disposition: 'attachment',
            contentId: null,
            content: bytes,
          } as const,
        ]
      : [];
  });
  return { files, areAll: isWhole && files.length === items.length };
}

type TnefFile = { title: Buffer | null; longName: string | null; content: Buffer | null };

const SIGNATURE = 0x223e9f78;
const OEM_CODE_PAGE = 0x00069007;
const ATTACHMENT_START = 0x00069002;
const ATTACHMENT_TITLE = 0x00018010;
const ATTACHMENT_DATA = 0x0006800f;
const ATTACHMENT_PROPERTIES = 0x00069005;

/** Each attribute has its level, identifier, length, data and checksum. */
function attributesIn(content: Buffer): { list: { id: number; data: Buffer }[]; isWhole: boolean } {
  const list: { id: number; data: Buffer }[] = [];
  let at = 6;
  while (at + 9 <= content.length) {
    const id = content.readUInt32LE(at + 1);
    const length = content.readUInt32LE(at + 5);
    const start = at + 9;
    if (start + length > content.length) return { list, isWhole: false };
    list.push({ id, data: content.subarray(start, start + length) });
    at = start + length + 2;
  }
  return { list, isWhole: true };
}

const LONG_FILENAME = 0x3707;
const [STRING_8, STRING_16] = [0x001e, 0x001f];

/** The property PidTagAttachLongFilename among the others (MS-OXTNEF, 2.1.3.4), which have to be skipped one by one. */
function longFilename(data: Buffer): string | null {
  try {
    return findLongFilename(data);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function findLongFilename(data: Buffer): string | null {
  let at = 4;
  for (let left = data.readUInt32LE(0); left > 0 && at < data.length; left--) {
    const [type, id] = [data.readUInt16LE(at), data.readUInt16LE(at + 2)];
    at += 4;
    if (id >= 0x8000) at = afterName(data, at);
    const base = type & 0xfff;
    const size = SIZES.get(base);
    let count = 1;
    if (size === undefined || type & 0x1000) {
      count = data.readUInt32LE(at);
      at += 4;
    }
    for (; count > 0; count--) {
      if (size !== undefined) {
        at += size;
        if (at > data.length) return null;
        continue;
      }
      const length = data.readUInt32LE(at);
      const value = data.subarray(at + 4, at + 4 + length);
      if (id === LONG_FILENAME && base === STRING_16) return withoutNul(value.toString('utf16le'));
      if (id === LONG_FILENAME && base === STRING_8) return withoutNul(decodeText(value));
      at += 4 + Math.ceil(length / 4) * 4;
      if (at > data.length) return null;
    }
  }
  return null;
}

/** Bytes of values of a fixed size, padded to four. */
const SIZES = new Map([
  [0x02, 4],
  [0x03, 4],
  [0x04, 4],
  [0x05, 8],
  [0x06, 8],
  [0x07, 8],
  [0x0a, 4],
  [0x0b, 4],
  [0x14, 8],
  [0x40, 8],
  [0x48, 16],
]);

/** A named property has a GUID, and then a number or a name of its own. */
function afterName(data: Buffer, at: number): number {
  const isNumber = data.readUInt32LE(at + 16) === 0;
  return isNumber ? at + 24 : at + 24 + Math.ceil(data.readUInt32LE(at + 20) / 4) * 4;
}

function withoutNul(text: string): string {
  return text.replace(/\0.*$/s, '');
}
