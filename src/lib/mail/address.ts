export type ParsedAddress = { local: string; domain: string; address: string };

export const MAX_ADDRESS_LENGTH = 254;
/** The most recipients of one message that is sent, in all its fields together. */
export const MAX_RECIPIENTS = 100;
export const ADDRESS_ERROR = 'Enter an email address such as ann@example.com.';
const MAX_LOCAL_PART_LENGTH = 64;
const MAX_DOMAIN_LENGTH = 253;

/**
 * Parses exactly one plain `local@domain` (docs/contributing/security-rules.md 4): no display name, comment, quotes, list or route. Spaces
 * around it, as copying adds them, are left out. The local part is an ASCII dot-atom, kept as written; the domain becomes
 * lower-case A-labels. Else null.
 */
export function parseAddress(text: unknown): ParsedAddress | null {
  if (typeof text !== 'string' || text.length > MAX_ADDRESS_LENGTH) return null;
  const plain = withoutSpaces(text);
  const at = plain.indexOf('@');
  if (at < 0 || at !== plain.lastIndexOf('@')) return null;
  const local = plain.slice(0, at);
  const domain = normalizeDomainName(plain.slice(at + 1));
  if (!isLocalPart(local) || domain === null) return null;
  const address = `${local}@${domain}`;
  return address.length <= MAX_ADDRESS_LENGTH ? { local, domain, address } : null;
}

/**
 * Lower-cases and IDNA-encodes a domain name of two or more labels, without the dot of the root after it and spaces around it.
 * Null for IP literals, numeric top-level domains, ports, paths, a leading dot, and anything else that isn't a host name of
 * letters, digits and hyphens.
 */
export function normalizeDomainName(text: unknown): string | null {
  if (typeof text !== 'string' || text.length === 0 || text.length > MAX_DOMAIN_LENGTH) return null;
  const plain = withoutSpaces(text).replace(/[.\u3002\uff0e\uff61]$/, '');
  const lower = plain.toLowerCase();
  // Parsing a URL takes several times as long, and changes no such name.
  if (HOST_NAME.test(lower) && !lower.includes(PUNYCODE)) return lower;
  if (NOT_A_HOST.test(plain) || UNSEEN.test(plain)) return null;
  const name = hostOf(plain);
  return name !== null && name.length <= MAX_DOMAIN_LENGTH && HOST_NAME.test(name) ? name : null;
}

// `%` and `!` are valid atext, but old relays would forward by them (percent hack, bang paths).
const DOT_ATOM = /^[\w#$&'*+/=?^`{|}~-]+(?:\.[\w#$&'*+/=?^`{|}~-]+)*$/;
// The last label is no number, decimal or hexadecimal: those end an IPv4 address.
const HOST_NAME =
  /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?!(?:\d+|0x[\da-f]*)$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const PUNYCODE = 'xn--';
const NOT_A_HOST = /[^A-Za-z0-9.\u{80}-\u{10FFFF}-]/u;
// IDNA would silently drop or replace these: controls, format characters, surrogates, unassigned, separators.
const SPACE = /[\t\p{Zs}]/u;
const UNSEEN = /[\p{C}\p{Z}]/u;

/** Parses an address of a query, where a plus sign that wasn't encoded arrives as a space. */
export function parseSearchedAddress(text: string): ParsedAddress | null {
  return parseAddress(withPlusSigns(text));
}

/** The text without the spaces around it, and with a plus sign for each space in it, for what never has spaces. */
export function withPlusSigns(text: string): string {
  return withoutSpaces(text).replaceAll(' ', '+');
}

/** An address of a query, or @ and a domain, in the form of parseAddress. Null if the text is neither. */
export function parseAddressOrDomain(text: string): string | null {
  const isDomain = text.startsWith('@');
  const parsed = parseSearchedAddress(isDomain ? `x${text}` : text);
  if (!parsed) return null;
  return isDomain ? `@${parsed.domain}` : parsed.address;
}

/** Without the spaces and tabs around it. Line breaks stay, which no address may have. */
export function withoutSpaces(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && SPACE.test(text.charAt(start))) start += 1;
  while (end > start && SPACE.test(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

/** Returns the error in text that isn't an address; `otherwise` unless a reason is known. */
export function addressError(text: unknown, otherwise = ADDRESS_ERROR): string {
  if (typeof text !== 'string' || text.length > MAX_ADDRESS_LENGTH) return otherwise;
  const at = text.lastIndexOf('@');
  return normalizeDomainName(text.slice(at + 1)) === null ? otherwise : localPartError(text.slice(0, at), otherwise);
}

/** The same for the part before the @. */
export function localPartError(text: unknown, otherwise: string): string {
  if (typeof text !== 'string' || text.length > MAX_ADDRESS_LENGTH) return otherwise;
  const local = withoutSpaces(text).normalize('NFC');
  const [character] = local.match(BEYOND_ASCII) ?? [];
  if (!character || !isLocalPart(local.replace(BEYOND_ASCII, 'x'))) return otherwise;
  return `“${character}” isn’t supported before the @: it needs SMTPUTF8, which Postroom doesn’t use. Use only ASCII characters there.`;
}

const BEYOND_ASCII = /(?!\p{ASCII})[\p{L}\p{M}\p{N}\p{P}\p{S}]/gu;

export function isLocalPart(text: string): boolean {
  return text.length <= MAX_LOCAL_PART_LENGTH && DOT_ATOM.test(text);
}

function hostOf(text: string): string | null {
  try {
    return new URL(`http://${text}`).hostname;
  } catch {
    return null;
  }
}
