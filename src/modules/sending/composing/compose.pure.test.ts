import PostalMime, { decodeWords } from 'postal-mime';
import { describe, expect, it } from 'vitest';
import { compose, date, expectValidOnTheWire, header, messageId, minimal } from '@/test/composed-message';
import type { OutgoingMessage } from '../schema';
import { composeMessage, newMessageId } from './compose';

describe('composeMessage', () => {
  it('adds each recipient to the envelope once, as it is spelled first', async () => {
    const { envelope } = await compose({
      ...minimal(),
      to: [{ email: 'bob@example.org' }, { email: 'bob@EXAMPLE.org', name: 'Bob' }],
      cc: [{ email: 'bob@example.org' }, { email: 'carol@example.org' }],
      bcc: [{ email: 'carol@example.org' }, { email: 'Bob@example.org' }],
    });
    expect(envelope).toEqual({
      from: 'ann@example.com',
      to: ['bob@example.org', 'carol@example.org'],
    });
  });

  it.each([
    ['the message that is answered', {}, ['<1@far.example>']],
    [
      'the conversation that is given',
      { references: ['0@far.example', '<1@far.example>'] },
      ['<0@far.example>', '<1@far.example>'],
    ],
  ])('names %s in References', async (_, given, references) => {
    const email = await PostalMime.parse((await compose({ ...minimal(), in_reply_to: '1@far.example', ...given })).raw);
    expect(header(email, 'in-reply-to')).toBe('<1@far.example>');
    expect(header(email, 'references')?.split(/\s+/)).toEqual(references);
  });

  it.each(['<one>', '<@far.example>', `<${'x'.repeat(980)}>`])('answers the Message-ID %s', async (id) => {
    const { raw } = await compose({ ...minimal(), in_reply_to: id, references: [id, id] });
    expectValidOnTheWire(raw);
    const email = await PostalMime.parse(raw);
    expect([header(email, 'in-reply-to'), header(email, 'references')]).toEqual([id, `${id} ${id}`]);
  });

  it('returns the size in bytes', async () => {
    const { raw, sizeBytes } = await compose(minimal());
    expect(sizeBytes).toBe(raw.length);
  });

  it('writes ASCII with CRLF and no line over 998 characters for any fields', async () => {
    const { raw } = await compose({
      ...minimal(),
      subject: 's'.repeat(998),
      from: { email: 'ann@example.com', name: 'n'.repeat(256) },
      to: Array.from({ length: 100 }, (_, index) => ({
        email: `r${index}@${'d'.repeat(60)}.example`,
        name: 'ü'.repeat(256),
      })),
      text_body: `${'x'.repeat(5000)}\rlone\nlines\r\n${'ü'.repeat(2000)}`,
      headers: Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`X-H${index}`, 'v'.repeat(998)])),
      attachments: [{ filename: 'ü'.repeat(255), content_type: 'text/plain', content: '' }],
    });
    expectValidOnTheWire(raw);
  });

  it.each([[990], [995], [997]])('keeps an X- value of %i characters unchanged', async (length) => {
    const value = 'v'.repeat(length);
    const email = await PostalMime.parse((await compose({ ...minimal(), headers: { 'X-Long': value } })).raw);
    expect(header(email, 'x-long')).toBe(value);
  });

  it('encodes an X- value of 998 characters as encoded words', async () => {
    const value = 'v'.repeat(998);
    const email = await PostalMime.parse((await compose({ ...minimal(), headers: { 'X-Long': value } })).raw);
    expect(decodeWords(header(email, 'x-long') ?? '')).toBe(value);
  });

  it('keeps text that looks like an encoded word', async () => {
    const lookAlikeText = '=?utf-8?Q?not_encoded?=';
    const email = await PostalMime.parse(
      (
        await compose({
          ...minimal(),
          subject: lookAlikeText,
          from: { email: 'ann@example.com', name: lookAlikeText },
          headers: { 'X-A': lookAlikeText },
        })
      ).raw,
    );
    expect([email.subject, email.from?.name, header(email, 'x-a')]).toEqual([
      lookAlikeText,
      lookAlikeText,
      lookAlikeText,
    ]);
  });

  it.each(['text_body', 'html_body', 'subject'])('reads no file named by an object in %s', (field) => {
    const smuggled = { ...minimal(), [field]: { path: '/etc/passwd' } } as unknown as OutgoingMessage;
    const raw = textOrError(smuggled);
    expect(raw).not.toContain('root:');
    expect(Buffer.from(raw.replace(/\s/g, ''), 'base64').toString()).not.toContain('root:');
  });

  it('throws for an unchecked address', () => {
    const smuggled = { ...minimal(), to: [{ email: 'a@example.org, b@example.org' }] };
    expect(() => composeMessage(smuggled, { messageId, date })).toThrow(TypeError);
  });
});

function textOrError(message: OutgoingMessage): string {
  try {
    return composeMessage(message, { messageId, date }).raw.toString();
  } catch (error) {
    return String(error);
  }
}

describe('newMessageId', () => {
  it('is unique and under the domain', () => {
    const ids = new Set(Array.from({ length: 1000 }, () => newMessageId('example.com')));
    expect(ids.size).toBe(1000);
    for (const id of ids) expect(id).toMatch(/^<[0-9a-f-]{36}@example\.com>$/);
  });
});
