import { expect, it } from 'vitest';
import { parseMessageId } from '@/lib/mail/message-id';
import { readHeader } from './header';

const LONGEST = `<${'x'.repeat(980)}>`;
const ENDLESS_LIST = `To: ${'<somebody@far.example>,\r\n '.repeat(80_000)}<last@far.example>\r\n`;
const FIELDS = 'From: <ann@far.example>\r\nSubject: Hello\r\n';

function read(header: string) {
  return readHeader({
    header: new TextEncoder().encode(header),
    mailFrom: 'bounces@far.example',
    resolved: [{ address: 'bo@here.example' }],
  });
}

it('fields before an endless list of recipients are read, and the rest of the list is not', async () => {
  const { from, subject, whole } = await read(`${FIELDS}${ENDLESS_LIST}`);
  const recipients = whole.addresses('to');
  expect({ from, subject }).toEqual({ from: 'ann@far.example', subject: 'Hello' });
  expect(recipients.length).toBeGreaterThan(1_000);
  expect(recipients.length).toBeLessThan(10_000);
});

it('fields after an endless list of recipients are not read', async () => {
  const { from, subject } = await read(`${ENDLESS_LIST}${FIELDS}`);
  expect({ from, subject }).toEqual({ from: 'bounces@far.example', subject: '' });
});

it.each([
  ['<one@far.example>', '<one@far.example>'],
  ['one@far.example', '<one@far.example>'],
  ['  <one@far.example> (added)', '<one@far.example>'],
  ['<one>', '<one>'],
  ['<@far.example>', '<@far.example>'],
  [LONGEST, LONGEST],
])('the Message-ID %j is %s, which a message that is sent can answer', async (field, messageId) => {
  expect((await read(`Message-ID: ${field}\r\n${FIELDS}`)).messageId).toBe(messageId);
  expect(parseMessageId(messageId)).toBe(messageId);
});

it.each(['', 'none', 'two words@far.example', '<>', `<x${LONGEST.slice(1)}`])(
  'a Message-ID is made in place of %j',
  async (field) => {
    expect((await read(`Message-ID: ${field}\r\n${FIELDS}`)).messageId).toMatch(/^<[0-9a-f-]{36}@here\.example>$/);
  },
);

it('an 8-bit header is read, however deep the parts of the message are nested', async () => {
  const header = 'Subject: Gr\xfc\xdfe\r\nContent-Type: multipart/mixed; boundary=b0\r\n';
  const parts = Array.from(
    { length: 500 },
    (_, n) => `--b${n}\r\nContent-Type: multipart/mixed; boundary=b${n + 1}\r\n\r\n`,
  );
  const { subject } = await readHeader({
    header: Buffer.from(header, 'latin1'),
    mailFrom: '',
    resolved: [],
    read: async () => Buffer.from(`${header}\r\n${parts.join('')}`, 'latin1'),
  });
  expect(subject).toBe('Grüße');
});
