import fc from 'fast-check';
import PostalMime, { decodeWords, type Email } from 'postal-mime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSmtpSubmitter, type SmtpSubmitter } from '@/mail/submission/submit';
import { compose, date, expectValidOnTheWire, header, messageId, minimal } from '@/test/composed-message';
import { startSmtpServer, type TestSmtpServer } from '@/test/servers/smtp-server';
import { OutgoingMessage } from '../schema';
import { composeMessage } from './compose';

let server: TestSmtpServer;
let submitter: SmtpSubmitter;

beforeAll(async () => {
  server = await startSmtpServer();
  submitter = createSmtpSubmitter(server.url);
});

afterAll(async () => {
  await submitter.close();
  await server.close();
});

describe('a composed message, sent by SMTP and parsed by another library', () => {
  it('arrives with every field unchanged', async () => {
    const binary = Buffer.from(Array.from({ length: 70_000 }, (_, index) => (index * 7919 + (index >> 8)) % 256));
    const mixedText = Buffer.from(
      'one\ntwo\r\nthree\rfour\r\n.\r\n..\r\n.foo\r\n\r\nFrom the start\n  trailing  \n\tünï\u0000x',
    );
    const { email, received } = await roundTrip({
      from: { email: 'ann@bücher.example', name: 'Änn "the" Büchér, Inc.' },
      to: [
        { email: 'bob@example.org', name: 'Bob' },
        { email: 'carol@EXAMPLE.net' },
        { email: 'li@例え.テスト', name: '李小龍' },
      ],
      cc: [{ email: 'dave@example.org', name: 'Dave, <the> other @ one; (x)' }],
      bcc: [{ email: 'secret@hidden.example', name: 'Geheim' }],
      reply_to: { email: 'replies@example.com', name: 'Ré Plies' },
      subject: 'Grüße 🎉 aus "Köln" — a subject that is long enough to need more than one encoded word, 漢字 too',
      text_body: 'Hällo,\n.\n..\n.foo\nlast line\n',
      html_body: '<p>Hällo &amp; bye</p>\n.\n',
      attachments: [
        { filename: 'bïnary 漢字.bin', content_type: 'application/octet-stream', content: binary.toString('base64') },
        {
          filename: 'mixed "quoted"; x=y.txt',
          content_type: 'text/plain; charset=utf-8',
          content: mixedText.toString('base64'),
        },
        { filename: 'empty.csv', content_type: 'text/csv', content: '' },
      ],
      headers: {
        'X-Campaign': 'spring 2026',
        'X-MiXeD-CaSe': 'a  b   c',
        'X-Unicode': 'größe 🎉',
        'X-Long': `${'word '.repeat(180)}end`,
      },
    });

    expect(email.from).toEqual({ address: 'ann@xn--bcher-kva.example', name: 'Änn "the" Büchér, Inc.' });
    expect(email.to).toEqual([
      { address: 'bob@example.org', name: 'Bob' },
      { address: 'carol@example.net', name: '' },
      { address: 'li@xn--r8jz45g.xn--zckzah', name: '李小龍' },
    ]);
    expect(email.cc).toEqual([{ address: 'dave@example.org', name: 'Dave, <the> other @ one; (x)' }]);
    expect(email.replyTo).toEqual([{ address: 'replies@example.com', name: 'Ré Plies' }]);
    expect(email.subject).toBe(
      'Grüße 🎉 aus "Köln" — a subject that is long enough to need more than one encoded word, 漢字 too',
    );
    expect(email.messageId).toBe(messageId);
    expect(email.date).toBe(date.toISOString());
    expect(lines(email.text)).toEqual(['Hällo,', '.', '..', '.foo', 'last line']);
    expect(lines(email.html)).toEqual(['<p>Hällo &amp; bye</p>', '.']);
    expect(header(email, 'x-campaign')).toBe('spring 2026');
    expect(header(email, 'x-mixed-case')).toBe('a  b   c');
    expect(decodeWords(header(email, 'x-unicode') ?? '')).toBe('größe 🎉');
    expect(header(email, 'x-long')).toBe(`${'word '.repeat(180)}end`);
    expect(
      email.attachments.map(({ filename, mimeType, disposition }) => ({ filename, mimeType, disposition })),
    ).toEqual([
      { filename: 'bïnary 漢字.bin', mimeType: 'application/octet-stream', disposition: 'attachment' },
      { filename: 'mixed "quoted"; x=y.txt', mimeType: 'text/plain', disposition: 'attachment' },
      { filename: 'empty.csv', mimeType: 'text/csv', disposition: 'attachment' },
    ]);
    expect(bytes(email, 0).equals(binary)).toBe(true);
    expect(bytes(email, 1).equals(mixedText)).toBe(true);
    expect(bytes(email, 2).length).toBe(0);

    expect(received.mailFrom).toBe('ann@xn--bcher-kva.example');
    expect(received.rcptTo).toEqual([
      'bob@example.org',
      'carol@example.net',
      'li@xn--r8jz45g.xn--zckzah',
      'dave@example.org',
      'secret@hidden.example',
    ]);
    const raw = received.raw.toString('latin1');
    expect(raw).not.toMatch(/^bcc:/im);
    expect(raw).not.toMatch(/hidden\.example|Geheim/);
    expect(raw).toContain('\r\nX-MiXeD-CaSe: a  b   c\r\n');
  });

  it.each([
    ['text only', { text_body: 'only text' }, 'only text', undefined],
    ['HTML only', { html_body: '<b>only</b>' }, undefined, '<b>only</b>'],
    ['empty text with HTML', { text_body: '', html_body: '<b>only</b>' }, undefined, '<b>only</b>'],
  ])('carries %s', async (_case, bodies, text, html) => {
    const { email } = await roundTrip({ ...minimal(), text_body: undefined, ...bodies });
    expect(lines(email.text)).toEqual(lines(text));
    expect(lines(email.html)).toEqual(lines(html));
  });

  it('carries any text, name, subject, file name, header and file', async () => {
    const phrase = fc
      .oneof(fc.string({ unit: 'grapheme', maxLength: 120 }), fc.string({ maxLength: 120 }), lookAlike())
      .filter(isHeaderText);
    const shape = fc.record({
      subject: phrase.filter((text) => text !== ''),
      name: phrase,
      // postal-mime decodes encoded words even in names encoded by RFC 2231.
      filename: phrase.filter((text) => text !== '' && text !== '.' && text !== '..' && !/[/\\]|=\?/.test(text)),
      value: phrase,
      text: fc.string({
        unit: fc.oneof(
          fc.string({ unit: 'grapheme', maxLength: 1 }),
          fc.constantFrom('\n', '\r\n', '.', ' ', 'long'.repeat(30)),
        ),
      }),
      content: fc.uint8Array({ maxLength: 300 }),
    });
    await fc.assert(
      fc.asyncProperty(shape, async ({ subject, name, filename, value, text, content }) => {
        const message = {
          ...minimal(),
          from: { email: 'ann@example.com', name },
          to: [{ email: 'bob@example.org', name }],
          subject,
          text_body: `.${text}`.replaceAll('\0', ''),
          headers: { 'X-Value': value },
          attachments: [{ filename, content_type: 'text/plain', content: Buffer.from(content).toString('base64') }],
        };
        const { raw } = composeMessage(OutgoingMessage.parse(message), { messageId, date });
        expectValidOnTheWire(raw);
        const email = await PostalMime.parse(raw);
        expect(email.subject).toBe(subject);
        expect(email.from).toEqual({ address: 'ann@example.com', name });
        expect(email.to).toEqual([{ address: 'bob@example.org', name }]);
        const found = header(email, 'x-value') ?? '';
        if (/^[\x20-\x7e]*$/.test(value)) expect(found).toBe(value.trim());
        else expect(decodeWords(found)).toBe(value);
        expect(email.attachments[0]?.filename).toBe(filename);
        expect(bytes(email, 0).equals(content)).toBe(true);
        expect(lines(email.text)).toEqual(lines(message.text_body));
      }),
    );
  });
});

async function roundTrip(input: unknown) {
  const { envelope, raw } = await compose(input);
  const outcome = await submitter.submit({ envelope, raw });
  expect(outcome).toMatchObject({ outcome: 'accepted' });
  const received = server.received.at(-1);
  if (!received) throw new Error('nothing arrived');
  expect(received.raw.equals(raw)).toBe(true);
  return { received, email: await PostalMime.parse(received.raw) };
}

function lookAlike() {
  const piece = fc.constantFrom(
    '=?',
    '?=',
    'utf-8',
    '?Q?',
    '?B?',
    'a',
    ' ',
    '  ',
    '"',
    '\\',
    '<',
    '>',
    ',',
    '@',
    'é',
    '_',
    '=',
    '(',
    ')',
    ';',
  );
  return fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
}

function isHeaderText(text: string): boolean {
  return text.isWellFormed() && !/[\u0000-\u001f\u007f-\u009f]/.test(text);
}

function bytes(email: Email, index: number): Buffer {
  const content = email.attachments[index]?.content;
  if (content === undefined || typeof content === 'string') throw new Error('no such attachment');
  return Buffer.from(content as ArrayBuffer);
}

function lines(text: string | undefined): string[] | undefined {
  return text
    ?.replace(/\r\n|\r/g, '\n')
    .replace(/\n+$/, '')
    .split('\n');
}
