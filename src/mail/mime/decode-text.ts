import { isAscii, isUtf8 } from 'node:buffer';
import iconv from 'iconv-lite';
import { type Decoder, decoderFor } from './charset-label';
import { decodeHz, decodeIso2022, isIso2022 } from './iso-2022';

/** Evidence of the charset of some bytes: labels of charsets, best evidence first. */
export type CharsetEvidence = {
  /** The label that belongs to these bytes. */
  declared?: string | null;
  /** The label of another part of the same message, for bytes without a usable one. */
  hint?: string | null;
  /** Whether an HTML document can name its charset itself. */
  isHtml?: boolean;
};

/**
 * Decodes bytes of mail. What the bytes show counts more than what is said of them, in this order:
 *
 * 1. a byte order mark;
 * 2. the escape sequences of ISO-2022 in 7-bit bytes;
 * 3. valid UTF-8 with characters beyond ASCII, unless the declared charset reads them well, too; without a charset beyond
 *    Western ones, also UTF-8 with a few invalid bytes, as cutting leaves them;
 * 4. the declared charset, if most of the bytes are valid in it;
 * 5. the charset that HTML declares, then the hint, if all bytes are valid in it;
 * 6. what the bytes look like: Japanese, Korean or Cyrillic;
 * 7. windows-1252.
 *
 * Bytes that are invalid in the charset become U+FFFD.
 */
export function decodeText(bytes: Uint8Array, { declared, hint, isHtml = false }: CharsetEvidence = {}): string {
  const buffer = withPairsJoined(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  const labelled = declared ? decoderFor(declared) : null;
  const own = labelled && WIDE.test(labelled.name) && isNarrow(buffer) ? UTF_8 : labelled;
  if (isAscii(buffer) && !buffer.includes(0x1b) && !SEVEN_BIT.test(own?.name ?? '')) return buffer.toString('latin1');
  const marked = byteOrderMark(buffer);
  if (marked) return iconv.decode(buffer, marked);
  if (isIso2022(buffer)) return decodeIso2022(buffer);

  const ofDeclared = own && read(buffer, own);
  const hinted = hint ? decoderFor(hint) : null;
  const expected = ofDeclared ?? (hinted?.kind === 'multi-byte' && read(buffer, hinted));
  if (isUtf8(buffer) && !isAscii(buffer) && !(expected && isPlausible(buffer, expected))) return buffer.toString();
  if ((own === null || own.name === WINDOWS_1252.name) && !hinted && isNearlyUtf8(buffer)) return buffer.toString();
  if (ofDeclared && ofDeclared.invalid <= ofDeclared.valid) return ofDeclared.text;

  const meta = isHtml
    ? META.exec(buffer.toString('latin1', 0, META_BYTES))
        ?.slice(1)
        .find(Boolean)
    : null;
  for (const label of [meta, hint]) {
    const decoder = label ? decoderFor(label) : null;
    const reading = decoder && decoder.kind !== 'unicode' && read(buffer, decoder);
    if (reading && reading.invalid === 0) return reading.text;
  }
  return guess(buffer) ?? read(buffer, WINDOWS_1252).text;
}

const PAIR = /\xed([\xa0-\xaf][\x80-\xbf])\xed([\xb0-\xbf][\x80-\xbf])/g;

/** UTF-8 of text in CESU-8, in which Java and Oracle write each half of a surrogate pair by itself. Other bytes as they are. */
function withPairsJoined(bytes: Buffer): Buffer {
  if (!bytes.includes(0xed)) return bytes;
  const text = bytes.toString('latin1');
  const half = (given: string) => 0xd000 | ((given.charCodeAt(0) & 0x3f) << 6) | (given.charCodeAt(1) & 0x3f);
  const joined = text.replace(PAIR, (_, high: string, low: string) =>
    Buffer.from(String.fromCharCode(half(high), half(low))).toString('latin1'),
  );
  if (joined === text) return bytes;
  const result = Buffer.from(joined, 'latin1');
  return isUtf8(result) ? result : bytes;
}

const WINDOWS_1252: Decoder = { name: 'windows1252', kind: 'single-byte' };
const UTF_8: Decoder = { name: 'utf-8', kind: 'utf-8' };
const WIDE = /^(?:utf16|utf32|ucs)/;
// Charsets whose ASCII bytes mean something else.
const SEVEN_BIT = /^(?:utf7|utf16|utf32|ucs|hz)/;
const META_BYTES = 4096;
const META = /<meta\b[^>]*?\bcharset\s*=\s*["']?\s*([\w:.-]+)|<\?xml\b[^>]*?\bencoding\s*=\s*["']([\w:.-]+)/i;

function byteOrderMark(bytes: Buffer): string | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf8';
  const isEven = bytes.length % 2 === 0;
  if (isEven && bytes[0] === 0xff && bytes[1] === 0xfe)
    return bytes.readUInt16LE(bytes.length > 3 ? 2 : 0) ? 'utf16le' : 'utf32le';
  return isEven && bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf16be' : null;
}

/** Whether the bytes can't be UTF-16 or UTF-32: they are words in UTF-8, and every text of several words has NUL bytes there. */
function isNarrow(bytes: Buffer): boolean {
  return /[ \r\n]/.test(bytes.toString('latin1')) && !bytes.includes(0) && isUtf8(bytes);
}

// Text in a Western charset is almost never valid as UTF-8, and never several times as often as not.
const MAX_INVALID_SHARE = 0.25;

function isNearlyUtf8(bytes: Buffer): boolean {
  const { valid, invalid } = read(bytes, UTF_8);
  return invalid <= valid * MAX_INVALID_SHARE;
}

/** `valid` and `invalid` count characters beyond ASCII. */
type Reading = { decoder: Decoder; text: string; valid: number; invalid: number };

function read(bytes: Buffer, decoder: Decoder): Reading {
  const text = decode(bytes, decoder);
  let [valid, invalid] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 0xfffd) invalid += 1;
    else if (unit > 0x7f) valid += 1;
  }
  return { decoder, text, valid, invalid };
}

function decode(bytes: Buffer, { kind, name }: Decoder): string {
  if (kind === 'utf-8') return bytes.toString();
  if (kind === 'iso-2022') return decodeIso2022(bytes);
  if (kind === 'hz') return decodeHz(bytes);
  const text = iconv.decode(bytes, name);
  return name.startsWith('iso8859') ? text.replace(/[\x80-\x9f]/g, windows1252) : text;
}

/** Nobody writes control characters: programs declare ISO 8859 and mean the charset of Windows. */
function windows1252(control: string): string {
  return iconv.decode(Buffer.from(control, 'latin1'), 'windows1252');
}

/** Whether text in the declared charset, which is valid UTF-8 as well, could have been meant so. */
function isPlausible(bytes: Buffer, { decoder, text, invalid }: Reading): boolean {
  if (decoder.kind === 'utf-8' || decoder.kind === 'unicode') return true;
  if (invalid > 0 || decoder.kind === 'iso-2022') return false;
  // Few texts are both: three bytes of UTF-8 are one and a half characters elsewhere, and most others need bytes below 0xa1.
  if (decoder.kind !== 'single-byte') return bytes.every((byte) => byte < 0x80 || (byte >= 0xa1 && byte < 0xe0));
  if (/^(?:windows|cp)125[24]$|^iso885915$|^macroman$/.test(decoder.name)) return false;
  const isWord = bytes.every((byte, index) => byte < 0x80 || byte >= 0xc0 || /\p{L}/u.test(text.charAt(index)));
  return isWord && !/\p{Ll}\p{Lu}/u.test(text);
}

/** Charsets whose text is known by its most frequent letters, with the share of them that it has at least. */
const GUESSES: [label: string, letters: RegExp, share: number][] = [
  ['shift_jis', /[\u3041-\u3093\u30a1-\u30f6\u3001\u3002]/g, 0.3],
  ['euc-jp', /[\u3041-\u3093\u30a1-\u30f6\u3001\u3002]/g, 0.3],
  ['euc-kr', /[\uac00-\ud7a3]/g, 0.8],
  ['koi8-r', /[оеаинтсрвлОЕАИНТСРВЛ]/g, 0.5],
  ['windows-1251', /[оеаинтсрвлОЕАИНТСРВЛ]/g, 0.5],
];
const MIN_LETTERS = 4;

/** Western text has single accented letters among ASCII ones; other scripts have words beyond ASCII. */
function guess(bytes: Buffer): string | null {
  const start = bytes.subarray(0, 100_000);
  const words = start.toString('latin1').match(/[\x80-\xff]+/g) ?? [];
  if (words.filter(({ length }) => length === 1).length * 4 > words.length) return null;
  for (const [label, letters, share] of GUESSES) {
    const decoder = decoderFor(label);
    const reading = decoder && read(start, decoder);
    const found = reading?.text.match(letters)?.length ?? 0;
    if (reading?.invalid === 0 && found >= MIN_LETTERS && found >= share * reading.valid)
      return decode(bytes, reading.decoder);
  }
  return null;
}
