import { checkDomain, expectedRecords } from '@/modules/domains/dns/checking/check';
import type { CheckedRecord } from '@/modules/domains/dns/checking/check-record';
import type { DomainFacts } from '@/modules/domains/dns/records/record';
import type { DnsTestServer, DnsZone } from './dns';

export const MAIL_HOST = 'mail.host.example';
export const MAIL_ADDRESS = '192.0.2.25';
export const MAIL_ADDRESS_NAME = '25.2.0.192.in-addr.arpa';

export function domainFacts(over: Partial<DomainFacts> = {}): DomainFacts {
  return {
    name: 'acme.example',
    mailHost: MAIL_HOST,
    dkimKeys: [{ selector: 's1', status: 'active', value: `v=DKIM1; k=rsa; p=${'MIIB'.repeat(98)}` }],
    ownershipToken: '01a1f000-0000-7000-8000-000000000001',
    appHost: 'console.host.example',
    mtaStsMode: 'none',
    otherMxHosts: [],
    certificateIssuer: 'letsencrypt.org',
    relaySpf: null,
    relayHost: null,
    ...over,
  };
}

/** The zones of a domain that has published everything, and of its mail server. */
export function publishedZone(facts: DomainFacts): DnsZone {
  const zone: DnsZone = {
    [facts.mailHost]: { A: [MAIL_ADDRESS] },
    [MAIL_ADDRESS_NAME]: { PTR: [facts.mailHost] },
    [facts.appHost]: { A: [MAIL_ADDRESS] },
  };
  for (const { name, type, expected } of expectedRecords(facts)) {
    if (expected !== null) entryOf(zone, name)[type] = [...(entryOf(zone, name)[type] ?? []), expected];
  }
  return zone;
}

/** The records of a name, to change them. */
export function entryOf(zone: DnsZone, name: string) {
  const entry = zone[name] ?? {};
  zone[name] = entry;
  return entry;
}

/** Checks a domain at one resolver, which is the name server of everything too. */
export async function checkAt(
  { address, port }: Pick<DnsTestServer, 'address' | 'port'>,
  facts: DomainFacts,
  over: Partial<Parameters<typeof checkDomain>[1]> = {},
): Promise<CheckedRecord[]> {
  return checkDomain(facts, {
    servers: [{ address, port }],
    authoritativePort: port,
    allowPrivateNetworks: true,
    ...over,
  });
}

/** The record of that purpose, and of that name where there are several. */
export function recordOf(records: CheckedRecord[], purpose: string, name = ''): CheckedRecord {
  const record = records.find((candidate) => candidate.purpose === purpose && candidate.name.startsWith(name));
  if (!record) throw new Error(`There is no ${purpose} record ${name}.`);
  return record;
}
