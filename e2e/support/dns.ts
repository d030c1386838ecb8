import { readFileSync, writeFileSync } from 'node:fs';
import { type DnsZone, startDns } from '../../src/test/servers/dns';

type Content = { zone: DnsZone; faults: Record<string, 'drop'> };

/** Starts a DNS server that answers from a file, so that specs in other processes can publish records. */
export async function startZones(file: string) {
  writeFileSync(file, JSON.stringify({ zone: {}, faults: {} }));
  const server = await startDns();
  const read = (): Content => JSON.parse(readFileSync(file, 'utf8'));
  Object.defineProperty(server, 'zone', { get: () => read().zone });
  Object.defineProperty(server, 'faults', { get: () => read().faults });
  return { port: server.port, file, stop: server.stop };
}

/** Publishes records, beside those of other specs. */
export function publish(zone: DnsZone): void {
  change((content) => ({ ...content, zone: { ...content.zone, ...zone } }));
}

/** Imports a zone file, as a DNS provider does. */
export function loadZone(text: string): void {
  publish(parseZone(text));
}

/** Leaves questions for a name unanswered. @returns a function that ends it */
export function dropQuestions(name: string): () => void {
  change(({ zone, faults }) => ({ zone, faults: { ...faults, [name]: 'drop' } }));
  return () => change(({ zone, faults: { [name]: _, ...faults } }) => ({ zone, faults }));
}

function change(update: (content: Content) => Content): void {
  const file = process.env.E2E_ZONES as string;
  writeFileSync(file, JSON.stringify(update(JSON.parse(readFileSync(file, 'utf8')))));
}

function parseZone(text: string): DnsZone {
  const zone: DnsZone = {};
  for (const line of text.split('\n')) {
    const [, name, type, value = ''] = /^(\S+)\. \d+ IN (\S+) (.*)$/.exec(line) ?? [];
    if (name === undefined || type === undefined) continue;
    const plain = type === 'TXT' ? value.slice(1, -1).replaceAll('" "', '') : value.replace(/\.$/, '');
    zone[name] = { ...zone[name], [type]: [...(zone[name]?.[type] ?? []), plain] };
  }
  return zone;
}
