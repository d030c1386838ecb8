import { expectedRecords } from './checking/check';
import type { DomainFacts } from './records/record';
import type { DnsRecord } from './schema';

const TTL_SECONDS = 3600;
const MAX_STRING_LENGTH = 255;

/** The records to publish in the form that DNS providers import (RFC 1035), without those in `published`. */
export function zoneFile(facts: DomainFacts, published: readonly DnsRecord[]): string {
  const isPublished = (type: string, name: string, purpose: string) =>
    published.some((record) => record.type === type && record.name === name && record.purpose === purpose);
  const lines = expectedRecords(facts)
    .filter(({ expected, type, name, purpose }) => expected !== null && !isPublished(type, name, purpose))
    .map(({ expected, type, name }) => `${name}. ${TTL_SECONDS} IN ${type} ${zoneValue(type, expected as string)}`);
  return `${[`; Records of ${facts.name}`, `$ORIGIN ${facts.name}.`, ...lines].join('\n')}\n`;
}

function zoneValue(type: string, value: string): string {
  // The name at the end of other values is absolute; the root is written as a dot already.
  if (type !== 'TXT') return value.endsWith('.') ? value : `${value}.`;
  const strings = value.match(new RegExp(`.{1,${MAX_STRING_LENGTH}}`, 'g')) ?? [''];
  return strings.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join(' ');
}
