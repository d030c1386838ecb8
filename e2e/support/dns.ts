import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { v7 as uuidv7 } from 'uuid';
import { type DnsZone, startDns } from '../../src/test/servers/dns';

type Content = { zone?: DnsZone; faults?: Record<string, 'drop' | null> };

/**
 * Starts a DNS server that answers from the files of a folder, so that specs in other processes can publish records. Each
 * change is a file of its own, moved into place whole, so that no change is lost or read half.
 */
export async function startZones(folder: string) {
  mkdirSync(folder);
  const server = await startDns();
  const read = (): Content[] =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .sort()
      .map((name) => JSON.parse(readFileSync(path.join(folder, name), 'utf8')));
  Object.defineProperty(server, 'zone', { get: () => Object.assign({}, ...read().map(({ zone }) => zone)) });
  Object.defineProperty(server, 'faults', { get: () => Object.assign({}, ...read().map(({ faults }) => faults)) });
  return { port: server.port, folder, stop: server.stop };
}

/** Publishes records, beside those of other specs. */
export function publish(zone: DnsZone): void {
  add({ zone });
}

/** Imports a zone file, as a DNS provider does. */
export function loadZone(text: string): void {
  publish(parseZone(text));
}

/** Leaves questions for a name unanswered. @returns a function that ends it */
export function dropQuestions(name: string): () => void {
  add({ faults: { [name]: 'drop' } });
  return () => add({ faults: { [name]: null } });
}

function add(content: Content): void {
  const file = path.join(process.env.E2E_ZONES as string, `${uuidv7()}.json`);
  writeFileSync(`${file}.part`, JSON.stringify(content));
  renameSync(`${file}.part`, file);
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
