import { expect, it } from 'vitest';
import { cpuMsOf } from '@/test/main-thread';
import { charsetIn, readHeader, readMessage } from './message';

// Reading takes a fraction of it, and hours or minutes wherever the work grows faster than the message.
const MAX_MS = 5_000;
const BYTES = 128 * 1024;

const filled = (piece: string) => piece.repeat(Math.ceil(BYTES / piece.length));
const parts = (count: number) =>
  Array.from({ length: count }, (_, n) => `--b\r\nContent-Type: multipart/mixed; boundary=c${n}\r\n\r\nx\r\n`).join('');
const attached = (field: string) => `Content-Type: image/png\r\n${field}\r\n\r\nx`;
const text = (charset: string, content: string) => `Content-Type: text/plain; charset=${charset}\r\n\r\n${content}`;
const html = (content: string) =>
  'Content-Type: multipart/mixed; boundary=b\r\n\r\n' +
  `--b\r\nContent-Type: text/plain\r\n\r\nHi\r\n--b\r\nContent-Type: text/html\r\n\r\n${content}\r\n--b--`;

it.each([
  ['a file of blank lines without its end', text('utf-8', `begin 644 a\r\n${filled(`${' '.repeat(60)}\r\n`)}stop`)],
  ['the beginnings of files', text('utf-8', filled('begin 644 a\r\n'))],
  ['a Content-ID of brackets', attached(`Content-ID: a${filled('>')}a`)],
  ['a Content-ID of white space', attached(`Content-ID: a${filled(' ')}a`)],
  [
    'a file name of nested comments',
    attached(`Content-Disposition: attachment; filename=a ${filled('( ')}${filled(') ')}a`),
  ],
  ['a type of nested comments', `Content-Type: text/plain; name=a ${filled('( ')}${filled(') ')}a\r\n\r\nx`],
  ['spaces in HTML', html(filled('&#32;'))],
  ['pairs of GB 2312 that are never closed', text('hz-gb-2312', `${filled('~{')} a`)],
  ['lines that are one paragraph', text('utf-8; format=flowed; delsp=yes', filled('a \r\n').repeat(20))],
  ['encoded words', `Subject: ${filled('=?=?q?')}\r\n\r\nx`],
  [
    'parts whose boundaries are nowhere',
    `Content-Type: multipart/mixed; boundary=b\r\n\r\n${parts(20_000)}${filled('x').repeat(40)}`,
  ],
  [
    'signed content that never ends',
    `Content-Type: application/pkcs7-mime; smime-type=signed-data\r\nContent-Transfer-Encoding: base64\r\n\r\n${filled('MIAk')}`,
  ],
  [
    'multiparts that are encoded as a whole',
    `Content-Type: multipart/mixed; boundary=b\r\n\r\n${parts(10_000).replaceAll('\r\n\r\n', '\r\nContent-Transfer-Encoding: base64\r\n\r\n')}`,
  ],
  ['a parameter of asterisks', attached(`Content-Disposition: attachment; ${filled('*')}`)],
  ['addresses of marks', `From: ${filled(`<a${'\u200b'.repeat(600)}b@c.example>,`)}\r\n\r\nx`],
  ['addresses of white space', `From: ${filled(`<a${' '.repeat(1_900)}b@c.example>,`)}\r\n\r\nx`],
  ['addresses of apostrophes', `From: ${filled(`<a${"'".repeat(1_900)}b@c.example>,`)}\r\n\r\nx`],
])('reads a message of %s in a time that grows with its size only', async (_, message) => {
  const raw = Buffer.from(message);
  const read = () => {
    const { header } = readMessage(raw);
    header.fields();
    header.addresses('from');
    readHeader(raw).addresses('from');
  };
  expect(await cpuMsOf(read)).toBeLessThan(MAX_MS);
});

it('takes a file out of a text whose lines have white space behind them', () => {
  const { text: rest, attachments } = readMessage(
    Buffer.from(
      text('utf-8', 'Hi\r\nbegin 644 a b.txt \r\n#86%T   \r\n`\t\r\nend \r\nBye\r\nbegin 644 c\r\n#86%T\r\n'),
    ),
  );
  expect(rest?.replaceAll('\n', ' ')).toMatch(/^Hi Bye begin 644 c #86%T/);
  expect(attachments.map(({ filename, content }) => [filename, Buffer.from(content).toString()])).toEqual([
    ['a b.txt', 'aat'],
  ]);
});

it('reads no more of a header than its caller asks for', () => {
  const raw = Buffer.from('Subject: 12345\r\nA: b\r\n\r\n');
  expect(readHeader(raw, null, 3).value('subject')).toBe('123');
  expect(readHeader(raw).fields({ count: 1, bytes: 3 })).toEqual([{ name: 'Subject', value: '123', isCut: true }]);
});

it('looks for the charset of a header in a few parts only', () => {
  const message = (count: number) =>
    `Content-Type: multipart/mixed; boundary=b\r\n\r\n${'--b\r\n\r\n'.repeat(count)}--b\r\n${text('koi8-r', 'Hi')}`;
  expect(charsetIn(Buffer.from(message(10)))).toBe('koi8-r');
  expect(charsetIn(Buffer.from(message(15_000)))).toBeNull();
});
