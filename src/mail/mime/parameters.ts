import { commentEnd } from './addresses';
import { decodeText } from './decode-text';
import { decodeWords } from './encoded-words';
import { decodeRaw } from './header-fields';

/** A field such as Content-Type: its value in lower case, and its parameters. */
export type Structured = {
  value: string;
  /** Decoded; the hint is a charset for 8-bit characters. */
  parameter: (name: string, hint?: string | null) => string | null;
  /** With one character per byte, and no encoded words decoded. */
  rawParameter: (name: string) => string | null;
};

/**
 * Reads a value with parameters (RFC 2045, 5.1; RFC 2231), as leniently as it can be done without doubt: a missing
 * semicolon, comments, 8-bit characters and encoded words are understood; the first of two parameters counts.
 * @param raw one character per byte
 */
export function readStructured(raw: string): Structured {
  // Between escape sequences, quotes and semicolons are bytes of other characters.
  const pieces = splitAtSemicolons(raw.includes('\x1b') ? decodeRaw(raw, null) : raw);
  const [, first = '', isParameter] = /^([^\s;=]*)(=)?/.exec(pieces[0]?.trim() ?? '') ?? [];
  const value = isParameter ? '' : first;
  const given = new Map<string, string>();
  const rest = [pieces[0]?.trim().slice(value.length) ?? '', ...pieces.slice(1)];
  for (const [index, piece] of rest.entries())
    for (const [name, text] of parametersIn(piece, index === 0)) if (!given.has(name)) given.set(name, text);
  return {
    value: value.replaceAll('"', '').toLowerCase(),
    parameter: (name, hint = null) => extended(given, name) ?? plain(given.get(name), hint),
    rawParameter: (name) => given.get(name) ?? extended(given, name),
  };
}

// A comment that turns out to be text is read again for the comments in it.
const MAX_COMMENTS = 20;

/** Splits outside of quoted strings, and leaves out comments, which begin after white space or a semicolon only. */
function splitAtSemicolons(raw: string): string[] {
  if (!/[;("]/.test(raw)) return [raw];
  const pieces: string[] = [];
  let [piece, isQuoted, hasComments, comments] = ['', false, true, 0];
  for (let at = 0; at < raw.length; at++) {
    const sign = raw.charAt(at);
    if (isQuoted && sign === '\\') piece += sign + raw.charAt(++at);
    else if (sign === '"' && (isQuoted || raw.indexOf('"', at + 1) >= 0)) {
      isQuoted = !isQuoted;
      piece += sign;
    } else if (hasComments && !isQuoted && sign === '(' && /^[\s;]?$/.test(raw.charAt(at - 1))) {
      const end = commentEnd(raw, at);
      comments += 1;
      hasComments = end !== null && comments < MAX_COMMENTS;
      // In a name such as `report (final).pdf`, more of the name follows.
      const isText = end === null || (piece.includes('=') && !/^\s*(?:;|$)/.test(raw.slice(end + 1, end + 100)));
      if (isText) piece += sign;
      else at = end;
    } else if (!isQuoted && sign === ';') {
      pieces.push(piece);
      piece = '';
    } else piece += sign;
  }
  return [...pieces, piece];
}

const PARAMETER = /^\s*([^\s=";*]+(?:\s*\*[\d*]*)?)\s*=\s*(?:"((?:[^"\\]|\\[\s\S])*)"|([\s\S]*))/;
// The search starts over at each character.
const MAX_SPACED = 2_000;
const SPACED_PARAMETER = /([^\s=";]+)=(?:"((?:[^"\\]|\\[\s\S])*)"|(\S*))/g;

/** The parameters of a piece between semicolons: one, or several that only white space divides. */
function parametersIn(piece: string, isBehindValue: boolean): [string, string][] {
  const found = isBehindValue ? [...piece.slice(0, MAX_SPACED).matchAll(SPACED_PARAMETER)] : [PARAMETER.exec(piece)];
  return found.flatMap((match) => {
    if (!match) return [];
    const [, name = '', quoted, token = ''] = match;
    const text = quoted === undefined ? token.trim().replace(/^\\?"|\\"$/g, '') : unescaped(quoted);
    const key = name.toLowerCase().replace(/\s+|(?<=\*)0+(?=\d)/g, '');
    return [[key, text] as [string, string]];
  });
}

/** Windows paths are quoted without escaping them, so that only quotes and backslashes can be escaped. */
function unescaped(quoted: string): string {
  return quoted.replace(/\\(["\\])/g, '$1');
}

function plain(text: string | undefined, hint: string | null): string | null {
  return text === undefined ? null : decodeWords(decodeRaw(text, hint), hint);
}

/** A value in sections or with a charset (RFC 2231, 3 and 4); null if the parameter has none. */
function extended(given: ReadonlyMap<string, string>, name: string): string | null {
  const whole = given.get(`${name}*`);
  if (whole !== undefined) return decodeSections([{ text: whole, isEncoded: true }]);
  const sections: Section[] = [];
  // Some programs count from one.
  const start = given.has(`${name}*0*`) || given.has(`${name}*0`) ? 0 : 1;
  for (let index = start; ; index++) {
    const encoded = given.get(`${name}*${index}*`);
    const text = encoded ?? given.get(`${name}*${index}`);
    if (text === undefined) break;
    sections.push({ text, isEncoded: encoded !== undefined });
  }
  return sections.length > 0 ? decodeSections(sections) : null;
}

type Section = { text: string; isEncoded: boolean };

function decodeSections(sections: Section[]): string {
  const [, declared = '', , rest] = /^([^']*)'([^']*)'([\s\S]*)$/.exec(sections[0]?.text ?? '') ?? [];
  const isEncoded = rest !== undefined && sections[0]?.isEncoded === true;
  const bytes = sections.map(({ text, ...section }, index) => {
    const content = index === 0 && isEncoded ? rest : text;
    const raw = section.isEncoded
      ? content.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
      : content;
    return Buffer.from(raw, 'latin1');
  });
  return decodeWords(decodeText(Buffer.concat(bytes), { declared }));
}
