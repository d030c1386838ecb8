export type ParsedAddress = { local: string; domain: string; address: string };

export const MAX_ADDRESS_LENGTH = 254;
export const ADDRESS_ERROR = 'Enter an email address such as ann@example.com.';
const MAX_LOCAL_PART_LENGTH = 64;
const MAX_DOMAIN_LENGTH = 253;

/**
 * Parses exactly one plain `local@domain` (docs/security-rules.md 4): no display name, comment, quotes, list, route or
 * whitespace. The local part is an ASCII dot-atom, kept as written; the domain becomes lower-case A-labels. Else null.
 */
export function parseAddress(text: unknown): ParsedAddress | null {
  if (typeof text !== 'string' || text.length > MAX_ADDRESS_LENGTH) return null;
  const at = text.indexOf('@');
  if (at < 0 || at !== text.lastIndexOf('@')) return null;
  const local = text.slice(0, at);
  const domain = normalizeDomainName(text.slice(at + 1));
  if (!isLocalPart(local) || domain === null) return null;
  const address = `${local}@${domain}`;
  return address.length <= MAX_ADDRESS_LENGTH ? { local, domain, address } : null;
}

/**
 * Lower-cases and IDNA-encodes a domain name of two or more labels. Null for IP literals, numeric top-level domains,
 * ports, paths, a leading or trailing dot, and anything else that isn't a host name of letters, digits and hyphens.
 */
export function normalizeDomainName(text: unknown): string | null {
  if (typeof text !== 'string' || text.length === 0 || text.length > MAX_DOMAIN_LENGTH) return null;
  if (NOT_A_HOST.test(text) || UNSEEN.test(text)) return null;
  const name = hostOf(text);
  if (name === null || name.length > MAX_DOMAIN_LENGTH) return null;
  const labels = name.split('.');
  if (labels.length < 2 || !labels.every((label) => LABEL.test(label))) return null;
  return ALL_DIGITS.test(labels.at(-1) ?? '') ? null : name;
}

// `%` and `!` are valid atext, but old relays would forward by them (percent hack, bang paths).
const DOT_ATOM = /^[\w#$&'*+/=?^`{|}~-]+(?:\.[\w#$&'*+/=?^`{|}~-]+)*$/;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const ALL_DIGITS = /^\d+$/;
const NOT_A_HOST = /[^A-Za-z0-9.\u{80}-\u{10FFFF}-]/u;
// IDNA would silently drop or replace these: controls, format characters, surrogates, unassigned, separators.
const UNSEEN = /[\p{C}\p{Z}]/u;

function isLocalPart(text: string): boolean {
  return text.length <= MAX_LOCAL_PART_LENGTH && DOT_ATOM.test(text);
}

function hostOf(text: string): string | null {
  try {
    return new URL(`http://${text}`).hostname;
  } catch {
    return null;
  }
}
