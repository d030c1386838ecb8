import { expect, it } from 'vitest';
import { expectShortTurns } from '@/test/main-thread';
import { messageBySmtp } from './smtp-message';

const FROM = 'ann@shop.example';
const HEADER = `From: ${FROM}\nMessage-ID: <1@shop.example>\nDate: Fri, 27 Nov 2026 10:00:00 +0000\n`;
const SENT_HEADER = HEADER.replaceAll('\n', '\r\n');

const read = (text: string) =>
  messageBySmtp({ sender: FROM, recipients: ['bo@far.example'], raw: Buffer.from(text, 'latin1') }, new Date());

async function sent(text: string): Promise<string> {
  const message = await read(text);
  return 'refusal' in message ? message.refusal : Buffer.from(message.raw).toString('latin1');
}

it('a message of 12 MB in short lines holds the main thread for less than 100 ms at once', async () => {
  const text = `${HEADER}\n${'x\n'.repeat(6 * 1024 * 1024)}`;
  const raw = Buffer.from(text, 'latin1');
  let bytes = 0;
  await expectShortTurns(async () => {
    const message = await messageBySmtp({ sender: FROM, recipients: ['bo@far.example'], raw }, new Date());
    bytes = 'refusal' in message ? 0 : message.raw.byteLength;
  });
  expect(bytes).toBe(SENT_HEADER.length + 2 + 18 * 1024 * 1024);
});

it('a recipient in two letter cases gets it once', async () => {
  const recipients = ['Bo@far.example', 'cy@far.example', 'bo@far.example'];
  const message = await messageBySmtp({ sender: FROM, recipients, raw: Buffer.from(`${HEADER}\nHi`) }, new Date());
  const to = recipients.slice(0, 2);
  expect(message).toMatchObject({ envelope: { to }, recipients: to.map((address) => ({ address, kind: 'to' })) });
});

it('line ends become those of SMTP, also at the border of what is read at once', async () => {
  const MB = 1024 * 1024;
  for (const [given, expected] of [
    ['a\nb\r\nc\rd\n\n', 'a\r\nb\r\nc\rd\r\n\r\n'],
    ['a\r\nb\r\n', 'a\r\nb\r\n'],
    ['no line end', 'no line end'],
  ])
    expect(await sent(`${HEADER}\n${given}`)).toBe(`${SENT_HEADER}\r\n${expected}`);
  // The carriage return is the last byte of the first slice.
  const left = MB - 1 - `${HEADER}\n`.length;
  const lines = 'x\r\n'.repeat(Math.floor(left / 3) - 9);
  const body = `${lines}${'y'.repeat(left - lines.length)}\r\n`;
  expect(await sent(`${HEADER}\n${body}z\n`)).toBe(`${SENT_HEADER}\r\n${body}z\r\n`);
});

it.each([
  ['\n', 998, true],
  ['\r\n', 998, true],
  ['', 998, true],
  ['\n', 999, false],
  ['\r\n', 999, false],
  ['', 999, false],
])('a line that ends with %j has at most 998 characters: %i', async (end, length, isAccepted) => {
  const result = await read(`${HEADER}\nHi\n${'x'.repeat(length)}${end}`);
  expect('refusal' in result ? result.refusal : null).toEqual(
    isAccepted ? null : expect.stringMatching(/^554 5\.7\.1 A line is longer than 998/),
  );
});

it('a header of more than 128 KB is refused', async () => {
  const fields = (bytes: number) => 'X: y\n'.repeat(Math.floor(bytes / 6));
  expect(await read(`${HEADER}${fields(120 * 1024)}\nHi`)).toHaveProperty('raw');
  expect(await read(`${HEADER}${fields(130 * 1024)}\nHi`)).toEqual({
    refusal: '554 5.7.1 The header is larger than 128 KB',
  });
});

it.each(['Bcc: bo@far.example', 'BCC : bo@far.example,\n cy@far.example', 'Resent-Bcc\t: bo@far.example'])(
  'leaves out %j, also with white space before the colon, and nothing behind it',
  async (field) => {
    const text = await sent(`${HEADER}${field}\nSubject : Hi\n\nBcc: in the text`);
    expect(text).toBe(`${SENT_HEADER}Subject : Hi\r\n\r\nBcc: in the text`);
  },
);

it('takes tags and metadata from their fields, which recipients don’t get', async () => {
  const tags = 'X-Postroom-Tags: kind=receipt,\n team=shop';
  const metadata = 'X-POSTROOM-METADATA : {"order": 1042,\n "name":\n =?UTF-8?Q?=22Gr=C3=BC=C3=9Fe=22?= }';
  const text = `${HEADER}${tags}\n${metadata}\nSubject: Hi\n\nX-Postroom-Tags: in the text`;
  expect(await read(text)).toMatchObject({
    tags: { kind: 'receipt', team: 'shop' },
    metadata: { order: 1042, name: 'Grüße' },
  });
  expect(await sent(text)).toBe(`${SENT_HEADER}Subject: Hi\r\n\r\nX-Postroom-Tags: in the text`);
});

it.each([
  ['X-Postroom-Tags: receipt', 'X-Postroom-Tags: Write tags as kind=receipt, team=shop.'],
  ['X-Postroom-Metadata: 1042', 'X-Postroom-Metadata: Enter a JSON object such as {"order": 1042}.'],
])('refuses %j', async (field, reason) => {
  expect(await read(`${HEADER}${field}\n\nHi`)).toEqual({ refusal: `554 5.7.1 ${reason}` });
});
