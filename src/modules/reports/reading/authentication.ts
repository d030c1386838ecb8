import { normalizeDomainName, parseAddress } from '@/lib/mail/address';
import { organizationOf } from '@/lib/mail/organization';

/** Who sent a message: the organization's domain that DKIM or SPF confirm, or else the one that the message claims. */
export type ReportSender = { domain: string | null; isAuthenticated: boolean };

type Field = { name: string; value: string };

const MAX_RESULTS = 50;
/** The methods that confirm a domain, the strongest first, and the properties that name it. */
const METHODS: [method: string, properties: string[]][] = [
  ['dmarc', ['header.from']],
  ['dkim', ['header.d', 'header.i']],
  ['spf', ['smtp.mailfrom', 'smtp.helo']],
];

/**
 * Reads what the mail server wrote into Authentication-Results (RFC 8601) under its name. The mail server writes one of them, so
 * that with a second one of that name, which the sender has forged, none counts.
 */
export function senderOf(fields: Field[], from: string | undefined, mailHost: string | undefined): ReportSender {
  const claimed = parseAddress(from ?? '')?.domain;
  const unconfirmed = { domain: claimed ? organizationOf(claimed) : null, isAuthenticated: false };
  const [own, another] = fields
    .filter(({ name }) => name.toLowerCase() === 'authentication-results')
    .map(({ value }) => resultsIn(value))
    .filter(({ server }) => mailHost !== undefined && server === mailHost.toLowerCase());
  if (!own || another) return unconfirmed;
  for (const [method, properties] of METHODS) {
    const passed = own.results.find((result) => result.startsWith(`${method}=pass`));
    const domain = passed && domainIn(passed, properties);
    if (domain) return { domain: organizationOf(domain), isAuthenticated: true };
  }
  return unconfirmed;
}

function resultsIn(value: string): { server: string; results: string[] } {
  const [server = '', ...results] = withoutComments(value)
    .split(';')
    .slice(0, MAX_RESULTS)
    .map((part) => part.trim().toLowerCase());
  return { server: server.split(/\s/)[0] ?? '', results };
}

function withoutComments(text: string): string {
  let depth = 0;
  let kept = '';
  for (const character of text) {
    if (character === '(') depth += 1;
    else if (character === ')') depth = Math.max(0, depth - 1);
    else if (depth === 0) kept += character;
  }
  return kept;
}

function domainIn(result: string, properties: string[]): string | null {
  const words = result.split(/\s+/);
  for (const property of properties) {
    const word = words.find((one) => one.startsWith(`${property}=`));
    const value = word?.slice(property.length + 1).replace(/^"|"$/g, '');
    const domain = value && normalizeDomainName(value.slice(value.lastIndexOf('@') + 1));
    if (domain) return domain;
  }
  return null;
}
