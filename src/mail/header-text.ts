import { encodeWord, foldLines } from 'nodemailer/lib/mime-funcs';

/** One field whose readers decode it, such as Subject, CRLF at its end: it reads back as exactly `text`. */
export function textHeader(name: string, text: string): string {
  return isPlain(text) ? `${foldLines(`${name}: ${text}`, 76)}\r\n` : `${name}: ${encodedWords(text)}\r\n`;
}

/**
 * One field for programs, CRLF at its end: ASCII stands as given on one line, whatever it looks like, since not every
 * reader decodes such fields. Encoded words only where ASCII or the length of a line leave no other way.
 */
export function verbatimHeader(name: string, value: string): string {
  if (!ASCII.test(value)) return `${name}: ${encodedWords(value)}\r\n`;
  if (name.length + 2 + value.length <= MAX_LINE_LENGTH) return `${name}: ${value}\r\n`;
  return value.length < MAX_LINE_LENGTH ? `${name}:\r\n ${value}\r\n` : `${name}: ${encodedWords(value)}\r\n`;
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
  return isPlain(name) ? `"${name.replace(/["\\]/g, '\\$&')}"` : encodedWords(name);
}

// A reader decodes `=?` wherever it stands, and may turn a fold and the spaces at it into one space.
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
