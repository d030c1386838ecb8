import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { attachment, codeOf, valid } from '@/test/outgoing-message';
import { checkOutgoingMessage } from './composing/check-outgoing-message';

describe('hostile input', () => {
  it('gets a message or a documented error code for any JSON', () => {
    const codes = ['ok', 'MISSING_FIELDS', 'INVALID_SENDER', 'INVALID_HEADER', 'VALIDATION_ERROR'];
    const field = fc.constantFrom(
      'from',
      'to',
      'cc',
      'bcc',
      'reply_to',
      'in_reply_to',
      'references',
      'auto_submitted',
      'subject',
      'text_body',
      'html_body',
      'attachments',
      'headers',
      'template',
      '__proto__',
    );
    const value = fc.oneof(
      fc.jsonValue({ maxDepth: 3 }),
      fc.array(fc.dictionary(fc.constantFrom('email', 'name', '__proto__'), fc.jsonValue())),
      fc.dictionary(fc.constantFrom('id', 'variables', '__proto__'), fc.jsonValue()),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(field, value), { maxLength: 4 }), (pairs) => {
        const changes = pairs.map(([key, json]) => `${JSON.stringify(key)}: ${JSON.stringify(json)}`);
        const base = JSON.stringify(valid).slice(1, -1);
        expect(codes).toContain(codeOf(JSON.parse(`{${[base, ...changes].join(',')}}`)));
      }),
    );
  });

  it('accepts exactly the base64 that an encoder produces, with or without white space', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 40 }),
        fc.nat(60),
        fc.constantFrom('', '\n', '=', '-', '_', '.', ' ', '\v'),
        (bytes, at, extra) => {
          const encoded = Buffer.from(bytes).toString('base64');
          const altered = `${encoded.slice(0, at)}${extra}${encoded.slice(at)}`;
          const code = codeOf({ ...valid, attachments: [{ ...attachment, content: altered }] });
          expect(code).toBe(altered.replace(/[\n ]/, '') === encoded ? 'ok' : 'VALIDATION_ERROR');
        },
      ),
    );
  });

  it('reads 16 MB of valid or invalid base64 without a stack overflow', () => {
    const good = 'QUJD'.repeat(4 * 1024 * 1024);
    expect(codeOf({ ...valid, attachments: [{ ...attachment, content: good }] })).toBe('ok');
    expect(codeOf({ ...valid, attachments: [{ ...attachment, content: `${good}QUJ!` }] })).toBe('VALIDATION_ERROR');
  });

  it.each(['to', 'reply_to', 'references'])('gets few issues for 200,000 items of %s', (field) => {
    const error = checkOutgoingMessage({ ...valid, [field]: new Array(200_000).fill('x') });
    expect('fields' in error && error.fields).toEqual([{ path: field, message: 'Enter at most 100 items.' }]);
  });

  it('gets few issues for 100,000 headers', () => {
    const headers = Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`Bad-${n}`, 'x']));
    const error = checkOutgoingMessage({ ...valid, headers });
    expect('fields' in error && error.fields.length).toBeLessThanOrEqual(50);
  });

  it.each([' ; a=b', ' ; ', ' \t;\t a=b ;'])('checks a content type of %j made to cause backtracking', (part) => {
    const hostile = `a/b${part.repeat(Math.floor(250 / part.length))}(`;
    expect(codeOf({ ...valid, attachments: [{ ...attachment, content_type: hostile }] })).toBe('VALIDATION_ERROR');
  });
});
