import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import type { DnsZone } from '@/test/servers/dns';
import { startDns } from '@/test/servers/dns';
import { checkAt, domainFacts, entryOf, publishedZone, recordOf } from '@/test/servers/published-domain';

const FOLDER = new URL('./dns/', import.meta.url);
const files = readdirSync(FOLDER).filter((name) => name.endsWith('.zone'));
const server = await startDns();

afterAll(() => server.stop());

/** Each file has records that others publish, and beside it is the result for one of them. A name has nothing but what the file says. */
it.each(files)('%s is judged as expected', async (name) => {
  const text = readFileSync(new URL(name, FOLDER), 'utf8');
  const { purpose, messageHas = [], ...expected } = JSON.parse(
    readFileSync(new URL(`${name}.expected.json`, FOLDER), 'utf8'),
  );
  const [, domain = ''] = /^; domain (\S+)/.exec(text) ?? [];
  const facts = domainFacts({ name: domain });
  server.zone = zoneOf(text, publishedZone(facts));
  if (!text.includes(`\n_dmarc.${domain}.`) && purpose === 'dmarc') delete server.zone[`_dmarc.${domain}`];
  const record = recordOf(await checkAt(server, facts), purpose);
  expect(record).toMatchObject(expected);
  for (const part of messageHas) expect(record.message).toContain(part);
});

/** Lines of a name, a type and a value; the value in quotes, with backslashes before quotes and backslashes. */
function zoneOf(text: string, zone: DnsZone): DnsZone {
  const lines = text.split('\n').flatMap((line) => {
    const [, owner = '', type = '', value = ''] = /^([^;\s]+)\.\s+(\S+)\s*(.*)$/.exec(line) ?? [];
    return owner ? [{ owner, type, value: value.startsWith('"') ? unquoted(value) : value }] : [];
  });
  for (const { owner } of lines) zone[owner] = {};
  for (const { owner, type, value } of lines) {
    if (type === 'NONE') continue;
    const entry = entryOf(zone, owner) as Record<string, string[]>;
    entry[type] = [...(entry[type] ?? []), value];
  }
  return zone;
}

function unquoted(value: string): string {
  return value.slice(1, -1).replace(/\\(.)/g, '$1');
}
