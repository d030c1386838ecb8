import { decodeWords } from './encoded-words';
import { decodeRaw, strip } from './header-fields';

/** An address as a person would write it; `name` is empty if there is none. */
export type Mailbox = { name: string; address: string };

/**
 * Reads a list of addresses (RFC 5322, 3.4 and 4.4): groups give their members, routes are left out, entries without
 * an address are skipped. Faults that mail programs make are understood: semicolons between addresses, stray brackets,
 * quotes in the middle of a name, names with commas, a whole address in quotes.
 * @param raw one character per byte
 */
export function readAddresses(raw: string, hint: string | null): Mailbox[] {
  const mailboxes: Mailbox[] = [];
  let entry: Token[] = [];
  /** The parts of one name that commas divide, before its bracket, as in `Lee, Ann <ann@far.example>`. */
  let parts: string[] = [];
  const close = () => {
    const isBracketed = entry.some(({ kind }) => kind === 'angle');
    for (const tokensOfOne of withoutCommas(entry)) {
      const mailbox = mailboxOf(tokensOfOne, hint) ?? mailboxInWords(tokensOfOne, hint);
      if (mailbox && isBracketed) mailbox.name = [...parts, mailbox.name].filter(Boolean).join(', ');
      if (mailbox) mailboxes.push(mailbox);
      parts = mailbox || isBracketed ? [] : [...parts, nameOf(tokensOfOne, hint).replace(/\\$/, '')].slice(-MAX_PARTS);
    }
    entry = [];
  };
  for (const token of tokens(decodeRaw(raw, hint))) {
    if (token.kind === 'separator') close();
    else if (token.kind === 'group') entry = [];
    else entry.push(token);
    if (token.kind === 'group' || token.text === ';') parts = [];
  }
  close();
  return mailboxes;
}

const MAX_PARTS = 4;

type Token = { kind: 'text' | 'space' | 'quoted' | 'comment' | 'angle' | 'separator' | 'group'; text: string };

// A domain literal has colons; an encoded word can have any sign; a bracket that is never closed is ended by a comma.
const TOKEN = new RegExp(
  [
    /(?<word>=\?[^?\s]{1,200}\?[bq]\?[^?]{0,1000}\?=)/,
    /(?<space>[ \t\r\n]+)/,
    /(?<literal>\[[^[\]\\\s]{0,255}\])/,
    /<+(?<angle>(?:[ \t]*@[^<>":;]*:)?(?:"(?:[^"\\]|\\[\s\S]){0,500}"|[^<>",;])*)>*/,
    /(?<separator>[,;])/,
    /(?<group>:)(?![:/])/,
    /(?<text>[^\s"[<>,;:(=]+|[^>])/,
    />/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'giy',
);

function* tokens(text: string): Generator<Token> {
  // A comment or quote that is never closed is not searched for again.
  let [at, hasComments, hasQuotes] = [0, true, true];
  // A colon is part of a name if no group ends behind it. Without brackets, it can only be of a group whose end is missing.
  const groupsEnd = text.includes('<') ? text.lastIndexOf(';') : text.length;
  while (at < text.length) {
    const sign = text[at];
    if ((sign === '(' && hasComments) || (sign === '"' && hasQuotes)) {
      const end = sign === '(' ? commentEnd(text, at) : quoteEnd(text, at);
      if (end !== null) {
        const content = text.slice(at + 1, end).replace(/\\([\s\S])/g, '$1');
        yield { kind: sign === '(' ? 'comment' : 'quoted', text: content };
        at = end + 1;
        continue;
      }
      if (sign === '(') hasComments = false;
      else hasQuotes = false;
    }
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    at = match ? TOKEN.lastIndex : at + 1;
    const { word, space, literal, angle, separator, group, text: other } = match?.groups ?? {};
    if (angle !== undefined) yield { kind: 'angle', text: angle };
    else if (space !== undefined) yield { kind: 'space', text: ' ' };
    else if (separator !== undefined) yield { kind: 'separator', text: separator };
    else if (group !== undefined && at <= groupsEnd) yield { kind: 'group', text: group };
    else yield { kind: 'text', text: word ?? literal ?? group ?? (other === '"' ? '' : (other ?? '')) };
  }
}

/** Where the comment that begins there ends; null if it never does. */
export function commentEnd(text: string, start: number): number | null {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const sign = text[at];
    if (sign === '\\') at += 1;
    else if (sign === '(') depth += 1;
    else if (sign === ')' && --depth === 0) return at;
  }
  return null;
}

function quoteEnd(text: string, start: number): number | null {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at;
  }
  return null;
}

/** Addresses alone that only white space divides, as lines of a file do. */
function withoutCommas(entry: Token[]): Token[][] {
  const words = entry.filter(({ kind }) => kind !== 'space');
  const isList = words.length > 1 && words.every(({ kind, text }) => kind === 'text' && ADDRESS.test(text));
  return isList ? words.map((word) => [word]) : [entry];
}

const ADDRESS = /^[^\s@]+@[^\s@]+\.[^\s@.]+$/;

function mailboxOf(entry: Token[], hint: string | null): Mailbox | null {
  const name = (parts: Token[]) => nameOf(parts, hint);
  const comments = entry.filter(({ kind }) => kind === 'comment');
  const rest = entry.filter(({ kind }) => kind !== 'comment');
  const angles = rest.filter(({ kind }) => kind === 'angle');
  const angle = angles.find(({ text }) => text.includes('@')) ?? angles[0];
  if (angle) {
    const address = specOf(angle.text);
    const named = name(rest.filter(({ kind }) => kind !== 'angle')) || name(comments);
    return address === null ? null : { name: unquoted(named), address };
  }
  const bare = bareAddress(rest);
  if (!bare) return null;
  const others = name(rest.filter((token) => !bare.parts.has(token)));
  return { name: unquoted(others || name(comments)), address: bare.address };
}

/** The address in encoded words, in which some programs put the whole entry against RFC 2047. */
function mailboxInWords(entry: Token[], hint: string | null): Mailbox | null {
  const isInWords = entry.every(({ kind, text }) => kind === 'space' || (kind === 'text' && text.startsWith('=?')));
  const decoded = isInWords ? nameOf(entry, hint) : '';
  return decoded.includes('@') && !decoded.includes('=?') ? (readAddresses(decoded, null)[0] ?? null) : null;
}

function nameOf(entry: Token[], hint: string | null): string {
  return decodeWords(entry.map(({ text }) => text).join(''), hint)
    .replace(/\s+/g, ' ')
    .trim();
}

/** An address without brackets: the parts around an @, with white space only next to it or to a dot. */
function bareAddress(entry: Token[]): { address: string; parts: ReadonlySet<Token> } | null {
  const at = entry.findIndex(({ kind, text }) => kind === 'text' && text.includes('@') && !text.startsWith('=?'));
  if (at < 0) {
    const quoted = entry.find(({ kind, text }) => kind === 'quoted' && /^[^\s@"]+@[^\s@"]+$/.test(text));
    return quoted ? { address: quoted.text, parts: new Set([quoted]) } : null;
  }
  let [first, last] = [at, at];
  const joins = (left: Token | undefined, right: Token | undefined) =>
    left !== undefined &&
    right !== undefined &&
    left.kind !== 'space' &&
    right.kind !== 'space' &&
    right.kind !== 'angle';
  const isGlue = (token: Token | undefined, pattern: RegExp) => token?.kind === 'text' && pattern.test(token.text);
  for (;;) {
    if (joins(entry[first - 1], entry[first])) first -= 1;
    else if (
      entry[first - 1]?.kind === 'space' &&
      first > 1 &&
      (isGlue(entry[first], /^[@.]/) || isGlue(entry[first - 2], /\.$/))
    )
      first -= 2;
    else break;
  }
  for (;;) {
    if (joins(entry[last], entry[last + 1])) last += 1;
    else if (
      entry[last + 1]?.kind === 'space' &&
      entry[last + 2] &&
      (isGlue(entry[last], /[@.]$/) || isGlue(entry[last + 2], /^\./))
    )
      last += 2;
    else break;
  }
  const parts = entry.slice(first, last + 1);
  const text = parts
    .map(({ kind, text }) => (kind === 'quoted' ? JSON.stringify(text) : kind === 'space' ? '' : text))
    .join('');
  const address = specOf(text);
  return address ? { address, parts: new Set(parts) } : null;
}

// With a route; an address alone has at most 254.
const MAX_LENGTH = 2_000;
/** Marks of direction and characters without width, which copying puts around an address. */
const INVISIBLE = '\\s\\u200b\\u200e\\u200f\\u202a-\\u202e\\u2060\\u2066-\\u2069\\ufeff';
const BETWEEN_INVISIBLE = new RegExp(`^[${INVISIBLE}]*([\\s\\S]*[^${INVISIBLE}])?`);
const ROUTE = /^@[^:"]*:/;

/** The address between brackets: without a route, white space outside of quotes, and what cannot belong to it. */
function specOf(text: string): string | null {
  if (text.length > MAX_LENGTH) return null;
  const [, visible = ''] = BETWEEN_INVISIBLE.exec(text) ?? [];
  const trimmed = visible.replace(/^mailto:/i, '').replace(ROUTE, '');
  const quoted = /^\s*"((?:[^"\\]|\\[\s\S])*)"\s*(@[\s\S]*)?$/.exec(trimmed);
  if (quoted) {
    const [, local = '', domain] = quoted;
    // Quotes that the local part doesn't need are left out, and so are those around a whole address.
    if (domain === undefined) return /^[^\s@"]+@[^\s@"]+$/.test(local) ? local : null;
    return (NEEDS_NO_QUOTES.test(local) ? local : `"${local}"`) + domain.replace(/\s+/g, '');
  }
  const pieces = trimmed.split(/([@.])/).map((piece) => piece.trim());
  const spec = strip(pieces.join(''), "'<", "'>.");
  const address = (/^\[([^[\]]*@[^[\]]*)\]$/.exec(spec)?.[1] ?? spec).replace(/^mailto:/i, '');
  return /^[^\s@]+@[^\s@]+$/.test(address) || /^[^@\s][^@]*@[^\s@]+$/.test(address) ? address : null;
}

const NEEDS_NO_QUOTES = /^[^\s@"\\()<>[\]:;,.]+(?:\.[^\s@"\\()<>[\]:;,.]+)*$/;

function unquoted(name: string): string {
  return /^'.*'$/.test(name) ? name.slice(1, -1).trim() : name;
}
