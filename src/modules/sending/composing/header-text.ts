import { encodeWord, foldLines } from 'nodemailer/lib/mime-funcs';

/** A header field that readers decode, such as Subject, with CRLF. It decodes to exactly `text`. */
export function textHeader(name: string, text: string): string {
  return isPlain(text) ? `${foldLines(`${name}: ${text}`, 76)}\r\n` : `${name}: ${encodedWords(text)}\r\n`;
}

/**
 * A header field for programs, with CRLF. ASCII is written unchanged on one line, because not every reader decodes such
 * fields; encoded words are used only for non-ASCII text or overlong lines.
 */
export function verbatimHeader(name: string, value: string): string {
  if (!ASCII.test(value)) return `${name}: ${encodedWords(value)}\r\n`;
  if (name.length + 2 + value.length <= MAX_LINE_LENGTH) return `${name}: ${value}\r\n`;
  return value.length < MAX_LINE_LENGTH ? `${name}:\r\n ${value}\r\n` : `${name}: ${encodedWords(value)}\r\n`;
}

/** An address field with CRLF, one address per line. Addresses must be plain `local@domain`. */
export function addressHeader(name: string, list: readonly { name?: string | undefined; email: string }[]): string {
  return `${name}: ${list.map(mailbox).join(',\r\n ')}\r\n`;
}

/** A field of Message-IDs with CRLF, one per line; empty without any. */
export function idsHeader(name: string, ids: readonly string[]): string {
  return ids.length > 0 ? `${name}: ${ids.join('\r\n ')}\r\n` : '';
}

function mailbox({ name, email }: { name?: string | undefined; email: string }): string {
  return name ? `${displayName(name)}${name.length > 60 ? '\r\n ' : ' '}<${email}>` : email;
}

function displayName(name: string): string {
  if (/^[A-Za-z0-9]+(?: [A-Za-z0-9]+)*$/.test(name)) return name;
  return isPlain(name) ? `"${name.replace(/["\\]/g, '\\$&')}"` : encodedWords(name);
}

// Readers decode `=?` anywhere, and may collapse a fold and its spaces into one space.
function isPlain(text: string): boolean {
  const isLossless = ASCII.test(text) && text.trim() === text && !text.includes('  ') && !text.includes('=?');
  return isLossless && text.split(' ').every((word) => word.length < MAX_LINE_LENGTH / 2);
}

function encodedWords(text: string): string {
  const asciiLetters = text.match(/[A-Za-z]/g)?.length ?? 0;
  const words = encodeWord(text, asciiLetters * 2 > text.length ? 'Q' : 'B', 52);
  return words.replaceAll('?= =?', '?=\r\n =?');
}

const ASCII = /^[\x20-\x7e]*$/;
const MAX_LINE_LENGTH = 998;
