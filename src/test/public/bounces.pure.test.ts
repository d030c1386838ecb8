import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { cpuMsOf } from '@/test/main-thread';
import { readReturned } from '@/modules/messages/returned/reading/read';

const FOLDER = new URL('./bounces/', import.meta.url);
const files = readdirSync(FOLDER).filter((name) => name.endsWith('.eml'));

/** Mail in the shapes in which servers return it: each beside what is read of it. */
it.each(files)('%s is read as far as it goes', async (name) => {
  const expected = JSON.parse(readFileSync(new URL(`${name}.expected.json`, FOLDER), 'utf8'));
  expect(await readReturned({ bytes: new Uint8Array(readFileSync(new URL(name, FOLDER))) })).toMatchObject(expected);
});

const field = (text: string) => `Final-Recipient: rfc822; ann@far.example\r\nAction: failed\r\nStatus: ${text}\r\n\r\n`;
const reportOf = (status: string) =>
  new TextEncoder().encode(
    `Content-Type: multipart/report; boundary=b\r\n\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\n${status}\r\n--b--\r\n`,
  );

it.each([
  ['very many recipients', field('5.1.1').repeat(100_000)],
  ['a status without an end', field(`5.${'1'.repeat(2_000_000)}`)],
  ['lines that are no fields', 'x\r\n'.repeat(500_000)],
  ['one line that is no field and has no end', 'x'.repeat(500_000)],
  ['a carriage return in place of each line end', 'x y\r'.repeat(100_000)],
  ['empty lines', '\r\n'.repeat(500_000)],
  ['a long diagnosis', `${field('5.1.1').trim()}\r\nDiagnostic-Code: smtp; 550 ${'5.1.'.repeat(200_000)}`],
])('%s take little time and memory', async (_name, status) => {
  const read = () => readReturned({ bytes: reportOf(`X: y\r\n\r\n${status}`) });
  expect(await cpuMsOf(read)).toBeLessThan(1_000);
  const found = await read();
  const recipients = found.kind === 'bounce' ? found.recipients : [];
  expect(recipients.length).toBeLessThanOrEqual(100);
  expect(recipients.every(({ response }) => response.length <= 1_000)).toBe(true);
});

it('names of servers have no control characters, and a limit', async () => {
  const report = (name: string) => `Reporting-MTA: dns; ${name}\r\n\r\n${field('5.1.1').trim()}\r\nRemote-MTA: dns; ${name}`;
  const read = (name: string) => readReturned({ bytes: reportOf(report(name)) });
  for (const name of ['mx\0.far.example', `mx${'.\x1f\0'.repeat(10_000)}`]) {
    const found = await read(name);
    expect(JSON.stringify(found)).not.toMatch(/\\u00[01]/);
    expect(JSON.stringify(found).length).toBeLessThan(3_000);
  }
  expect(await read('\0')).toMatchObject({ reportingMta: null, recipients: [{ remoteMta: null }] });
});

it.each([
  ['constructor', '5.1.1', 'failed'],
  ['toString', '4.2.2', 'delayed'],
  ['error', '5.0.0', 'failed'],
  ['error', '4.0.0', 'delayed'],
])('the unknown action %s with the status %s means %s', async (action, status, meaning) => {
  const found = await readReturned({ bytes: reportOf(field(status).replace('failed', action)) });
  expect(found).toMatchObject({ kind: 'bounce', recipients: [{ action: meaning }] });
});

it.each([
  `${'<ann@far.example>:\r\n'.repeat(20)}550 x${' 5.1.'.repeat(300)}\r\n${'x'.repeat(20_000)}\r\n`.repeat(50),
  `Undelivered: ann@far.example ${'x@'.repeat(500)}${'could not be '.repeat(60)}\r\n`.repeat(400),
])('a bounce without structure takes little time, however long it is', async (lines) => {
  const bytes = new TextEncoder().encode(`Subject: x\r\n\r\nHi. This is the qmail-send program.\r\n\r\n${lines}`);
  const read = () => readReturned({ bytes });
  expect(await cpuMsOf(read)).toBeLessThan(1_000);
  const found = await read();
  const recipients = found.kind === 'bounce' ? found.recipients : [];
  expect(recipients.length).toBeGreaterThan(0);
  expect(recipients.length).toBeLessThanOrEqual(100);
});

it('parts that are nested too deeply are not looked into', async () => {
  const open = (depth: number) => `Content-Type: multipart/mixed; boundary=b${depth}\r\n\r\n--b${depth}\r\n`;
  const nested = Array.from({ length: 20 }, (_, depth) => open(depth)).join('');
  const bytes = new TextEncoder().encode(`${nested}Content-Type: message/delivery-status\r\n\r\n${field('5.1.1')}`);
  expect(await readReturned({ bytes })).toEqual({ kind: 'unreadable' });
});
