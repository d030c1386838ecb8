import { readFileSync, writeFileSync } from 'node:fs';
import { type DnsZone, startDns } from '../../src/test/servers/dns';

/** Starts a DNS server that answers from a file, so that specs in other processes can publish records. */
export async function startZones(file: string) {
  writeFileSync(file, '{}');
  const server = await startDns();
  Object.defineProperty(server, 'zone', { get: () => JSON.parse(readFileSync(file, 'utf8')) });
  return { port: server.port, file, stop: server.stop };
}

/** Publishes records, beside those of other specs. */
export function publish(zone: DnsZone): void {
  const file = process.env.E2E_ZONES as string;
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), ...zone }));
}

/** The records of a zone file. */
export function parseZone(text: string): DnsZone {
  const zone: DnsZone = {};
  for (const line of text.split('\n')) {
    const [, name, type, value = ''] = /^(\S+)\. \d+ IN (\S+) (.*)$/.exec(line) ?? [];
    if (name === undefined || type === undefined) continue;
    const plain = type === 'TXT' ? value.slice(1, -1).replaceAll('" "', '') : value.replace(/\.$/, '');
    zone[name] = { ...zone[name], [type]: [...(zone[name]?.[type] ?? []), plain] };
  }
  return zone;
}
