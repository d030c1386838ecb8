import { encodeWord, foldLines } from 'nodemailer/lib/mime-funcs';

/**
 * One header field of free text, CRLF at its end, that reads back as exactly `text`: as it is where ASCII can carry it,
 * else in encoded words. `isFolded` wraps plain text at 76 columns; without it a plain value stays on one line.
 */
export function textHeader(name: string, text: string, { isFolded }: { isFolded: boolean }): string {
  const line = `${name}: ${text}`;
  if (!isPlain(text) || line.length > MAX_LINE_LENGTH) return `${name}: ${encodedWords(text)}\r\n`;
  if (!isFolded) return `${line}\r\n`;
  const folded = isFoldable(text) ? foldLines(line, 76) : `${name}: ${encodedWords(text)}`;
  return `${folded}\r\n`;
}

/** One address field, CRLF at its end, one address a line; the addresses must be plain `local@domain`. */
export function addressHeader(name: string, list: readonly { name?: string | undefined; email: string }[]): string {
  return `${name}: ${list.map(mailbox).join(',\r\n ')}\r\n`;
}

function mailbox({ name, email }: { name?: string | undefined; email: string }): string {
  return name ? `${displayName(name)}${name.length > 60 ? '\r\n ' : ' '}<${email}>` : email;
}

function displayName(name: string): string {
  if (/^[A-Za-z0-9]+(?: [A-Za-z0-9]+)*$/.test(name)) return name;
  return isPlain(name) && isFoldable(name) ? `"${name.replace(/["\\]/g, '\\$&')}"` : encodedWords(name);
}

// A reader decodes `=?` wherever it stands, so text that merely looks encoded is encoded as well.
function isPlain(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text) && text.trim() === text && !text.includes('=?');
}

// A reader may turn a fold and the spaces at it into one space, and a line is at most 998 long (RFC 5322, 2.1.1).
function isFoldable(text: string): boolean {
  return !text.includes('  ') && text.split(' ').every((word) => word.length < MAX_LINE_LENGTH / 2);
}

function encodedWords(text: string): string {
  const asciiLetters = text.match(/[A-Za-z]/g)?.length ?? 0;
  const words = encodeWord(text, asciiLetters * 2 > text.length ? 'Q' : 'B', 52);
  return words.replaceAll('?= =?', '?=\r\n =?');
}

const MAX_LINE_LENGTH = 998;
