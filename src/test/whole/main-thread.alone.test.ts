import { gzipSync } from 'node:zlib';
import { afterAll, expect, it } from 'vitest';
import { contentSettled } from '@/modules/messages/content/keeping/keep';
import { appRouter } from '@/modules/router';
import { createRestHandler } from '@/server/rest/dispatch';
import { makeContentStore } from '@/test/content-store';
import { db } from '@/test/database';
import { makeDomain } from '@/test/factories';
import { expectShortTurns } from '@/test/main-thread';
import { dmarcXml } from '@/test/reports/dmarc-report';
import { day } from '@/test/reports/upload';
import { keyClient } from '@/test/rest';
import { startScriptedMta } from '@/test/servers/scripted-mta';

await makeContentStore();

const mta = await startScriptedMta();
afterAll(() => mta.server.close());

const MB = 1_000_000;

const handle = createRestHandler(appRouter);
const domain = await makeDomain();
const api = await keyClient({ role: 'super_admin' });

const alias = { domain_id: domain.id, source_local_part: 'a' };
const message = {
  from: { email: `ann@${domain.name}` },
  to: [{ email: 'bo@far.example' }],
  subject: 'Hi',
  text_body: 'Hi',
};

type Input = { method?: string; path: string; body?: unknown };

const INPUTS: [name: string, status: number, Input][] = [
  ['an import of 300,000 rows', 400, toAliases(`source_local_part,destination\n${filled('a\n', 650_000)}`)],
  [
    'an import of the most rows',
    200,
    toAliases(`source_local_part,destination\n${lines(5_000, (i) => `a${i},x${i}@far.example`)}`),
  ],
  [
    'an import of the most destinations',
    200,
    toAliases(
      `source_local_part,destination\n${lines(1_500, (i) => `a${i},"${filled(`ann${i}@far.example,`, 240)}"`)}`,
    ),
  ],
  ['an import whose header repeats a column', 400, toAliases(`source_local_part${filled(',destination')}\na,b`)],
  ['an import of nothing but commas', 400, toAliases(`source_local_part,destination\n${filled(',', 990_000)}`)],
  ['an import of blank lines', 200, toAliases(`source_local_part,destination\n${filled('\n', 500_000)}`)],
  ['an import of one cell', 400, toAliases(`source_local_part,destination\na,"${filled('b,')}`)],
  [
    'an import of the most mailboxes',
    200,
    toMailboxes(`local_part,password\n${lines(500, (i) => `a${i},paper boats on the canal ${i}`)}`),
  ],
  ['an import of one column and too many mailboxes', 400, toMailboxes(`local_part\n${filled('a\n', 200_000)}`)],
  ['settings by many names', 400, { method: 'PATCH', path: '/config', body: { values: byNumber(9_500) } }],
  ['a body of unknown fields', 400, { path: '/domains', body: byNumber(9_500) }],
  ['a body of more values than any call has', 400, { path: '/domains', body: byNumber(80_000) }],
  ['a large message of the main thread', 200, { path: '/send', body: { ...message, html_body: filled('<', 125_000) } }],
  ['a message of other alphabets', 200, { path: '/send', body: { ...message, text_body: filled('ü', 60_000) } }],
  ['a message of a megabyte', 200, { path: '/send', body: { ...message, html_body: filled('<b>', 900_000) } }],
  [
    'a batch of messages to many',
    200,
    { path: '/send/batch', body: { messages: Array(100).fill({ ...message, to: recipients(20) }) } },
  ],
  ['a batch of items that are no messages', 400, { path: '/send/batch', body: { messages: Array(200_000).fill(0) } }],
  ['a report of many sources', 200, toReports(dmarcXml({ domain: domain.name, day: day(1), rows: sources(10_000) }))],
  ['a report of nested elements', 400, toReports(filled('<a>', 5 * MB))],
  ['a destination of commas', 400, { path: '/aliases', body: { ...alias, destination: filled(',') } }],
  [
    'a destination of many addresses',
    400,
    { path: '/aliases', body: { ...alias, destination: filled('a@b.example,') } },
  ],
  ['a URL of dots', 400, { path: '/webhooks', body: { url: `https://${filled('a.')}`, events: ['*'] } }],
  [
    'a subscription to many events',
    400,
    { path: '/webhooks', body: { url: 'https://far.example/', events: Array(9_500).fill('*') } },
  ],
  [
    'a password of a megabyte',
    400,
    { path: '/auth/password', body: { current_password: filled('a'), new_password: 'ü' } },
  ],
  ['a search for many words', 200, { method: 'GET', path: `/messages?q=${filled('a%20', 400)}` }],
  ['a search for one long word', 200, { method: 'GET', path: `/audit?q=${filled('a', 200)}` }],
];

it.each(INPUTS)('is not held for more than 100 ms by %s', async (_, status, input) => {
  const call = prepare(input);
  await expectShortTurns(async () => expect(await call()).toBe(status));
});

it.each([
  ['images of attachments', filled('<img src=cid:z>', 150_000)],
  ['elements that are never closed', filled('<div>')],
  ['angle brackets', filled('<')],
])('is not held for more than 100 ms by showing a message of %s', async (_, html) => {
  await prepare({ path: '/send', body: { ...message, html_body: html.slice(0, 900_000) } })();
  await contentSettled();
  const { id } = await db.message.findFirstOrThrow({ orderBy: { createdAt: 'desc' } });
  const call = prepare({ method: 'GET', path: `/messages/${id}/content` });
  await expectShortTurns(async () => expect(await call()).toBe(200));
});

/** Makes the request beforehand, and leaves the response unchecked, since both would take their time on the same thread. */
function prepare({ method = 'POST', path, body }: Input): () => Promise<number> {
  const headers = { ...api.headers, 'content-type': 'application/json' };
  const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
  return async () => {
    const request = new Request(`http://localhost:3000/api/v1${path}`, { method, headers, body: bytes });
    return (await handle(request)).status;
  };
}

function filled(text: string, length = MB): string {
  return text.repeat(Math.floor(length / text.length));
}

function lines(count: number, line: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => line(index)).join('\n');
}

function toAliases(csv: string): Input {
  return { path: '/aliases/import', body: { domain_id: domain.id, csv, dry_run: true } };
}

function toMailboxes(csv: string): Input {
  return { path: '/mailboxes/import', body: { domain_id: domain.id, csv, dry_run: true } };
}

function toReports(xml: string): Input {
  return { path: '/dmarc/reports', body: { content: gzipSync(xml).toString('base64') } };
}

function byNumber(count: number) {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1]));
}

function recipients(count: number) {
  return Array.from({ length: count }, (_, index) => ({ email: `a${index}@far.example` }));
}

function sources(count: number) {
  return Array.from({ length: count }, (_, index) => ({ ip: `198.51.${index >> 8}.${index & 255}` }));
}
