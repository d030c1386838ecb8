import { describe, expect, it } from 'vitest';
import { createDocument } from 'zod-openapi';
import { MAX_RECIPIENTS } from '@/lib/mail/address';
import { attachment, checked, codeOf, many, valid } from '@/test/outgoing-message';
import { checkOutgoingMessage } from './composing/check-outgoing-message';
import { OutgoingMessage } from './schema';

describe('a valid message', () => {
  it.each<[string, object]>([
    ['the smallest message', {}],
    ['HTML alone', { text_body: undefined, html_body: '<p>Hi</p>' }],
    ['empty text with HTML', { text_body: '', html_body: '<p>Hi</p>' }],
    [
      'every field',
      {
        cc: [{ email: 'c@example.org', name: 'Größe' }],
        bcc: [{ email: 'd@example.org' }],
        reply_to: { email: 'e@example.org' },
        in_reply_to: '<1@example.org>',
        references: ['<0@example.org>', '1@example.org'],
        auto_submitted: 'auto-replied',
        feedback_id: 'spring:shop:news:acme',
        importance: 'high',
        priority: 'non-urgent',
        sensitivity: 'private',
        organization: 'Größe GmbH',
        comments: 'c'.repeat(998),
        keywords: '',
        html_body: '<p>Hi</p>',
        attachments: [{ ...attachment, content_id: 'a', disposition: 'inline' }],
        headers: { 'X-Campaign': 'spring', 'x-lower': 'yes', 'X-Empty': '' },
      },
    ],
    [
      'null for what is optional',
      {
        from: { email: 'ann@example.com', name: null },
        to: [{ email: 'a@example.org', name: null }],
        cc: null,
        reply_to: null,
        in_reply_to: null,
        references: null,
        auto_submitted: null,
        html_body: null,
        attachments: null,
        headers: null,
      },
    ],
    ['base64 in lines', { attachments: [{ ...attachment, content: 'YWJj\r\nYWJj\n' }] }],
    ['base64 in columns', { attachments: [{ ...attachment, content: ' YWJj\tYW Jj' }] }],
    ['spaces and the dot of the root', { from: { email: ' ann@example.com. ' } }],
    ['empty lists', { cc: [], bcc: [], reply_to: [], references: [], attachments: [], headers: {} }],
    ['empty objects as PHP writes them', { headers: [], tags: [], metadata: [] }],
    ['an empty attachment', { attachments: [{ ...attachment, content: '' }] }],
    ['one recipient in to, cc and bcc', { cc: valid.to, bcc: valid.to }],
    [
      'a content type with parameters',
      { attachments: [{ ...attachment, content_type: 'text/csv; charset="utf-8"; header=present' }] },
    ],
    ['a subject of 998 characters', { subject: 's'.repeat(998) }],
    ['100 recipients in all', { to: many(40), cc: many(30), bcc: many(30) }],
    ['an international domain', { to: [{ email: 'bob@bücher.example' }] }],
    ['line breaks and tabs in a body', { text_body: 'a\r\nb\nc\rd\te\f' }],
    ['emoji everywhere', { subject: '🎉', text_body: '🎉', from: { email: 'ann@example.com', name: '🎉' } }],
  ])('is accepted with %s', (_case, change) => {
    expect(codeOf({ ...valid, ...change })).toBe('ok');
  });

  it.each([
    ['text/csv;charset=utf-8;', 'text/csv; charset=utf-8'],
    ['text/csv ; charset=utf-8 ;; header="a; b=c" ; ', 'text/csv; charset=utf-8; header="a; b=c"'],
    ['image/png; ', 'image/png'],
    ['message/rfc822 ;', 'message/rfc822'],
  ])('has the content type %j as %j', (given, content_type) => {
    const { attachments } = OutgoingMessage.parse({ ...valid, attachments: [{ ...attachment, content_type: given }] });
    expect(attachments).toEqual([{ ...attachment, content_type }]);
  });

  it('is parsed unchanged', () => {
    expect(OutgoingMessage.parse(structuredClone(valid))).toEqual(valid);
  });
});

describe('a message with missing fields', () => {
  it.each<[string, object, string[]]>([
    [
      'everything',
      { from: undefined, to: undefined, subject: undefined, text_body: undefined },
      ['from', 'to', 'subject', 'text_body', 'html_body'],
    ],
    [
      'null values',
      { from: null, to: null, subject: null, text_body: null },
      ['from', 'to', 'subject', 'text_body', 'html_body'],
    ],
    [
      'empty values',
      { from: { email: '' }, to: [], subject: '', text_body: '' },
      ['from.email', 'to', 'subject', 'text_body', 'html_body'],
    ],
    ['the sender of an empty object', { from: {} }, ['from.email']],
    ['a recipient without address', { to: [{ email: 'a@example.org' }, { name: 'Bob' }] }, ['to.1.email']],
    ['a copy without address', { cc: [{}] }, ['cc.0.email']],
    ['an empty reply address', { reply_to: { email: '' } }, ['reply_to.email']],
    ['an empty one of several', { reply_to: [{ email: 'a@example.org' }, { name: 'Bo' }] }, ['reply_to.1.email']],
    [
      'parts of an attachment',
      { attachments: [{ filename: '', content: '' }] },
      ['attachments.0.filename', 'attachments.0.content_type'],
    ],
  ])('names the fields for %s', (_case, change, paths) => {
    expect(checked({ ...valid, ...change })).toEqual({ code: 'MISSING_FIELDS', paths });
  });

  it.each([[undefined], [null]])('is rejected with MISSING_FIELDS if the body is %s', (raw) => {
    expect(codeOf(raw)).toBe('MISSING_FIELDS');
  });
});

describe('the error code of several problems', () => {
  const badSender = { from: { email: 'nobody' } };
  const badHeader = { headers: { Foo: 'bar' } };
  const badName = { to: [{ email: 'bob@example.org', name: 'n'.repeat(257) }] };

  it.each<[string, string, object]>([
    ['MISSING_FIELDS', 'all the others', { ...badSender, ...badHeader, ...badName, subject: '', surplus: 1 }],
    [
      'MISSING_FIELDS',
      'all the others, for the body alone',
      { ...badSender, ...badHeader, ...badName, text_body: '', surplus: 1 },
    ],
    ['INVALID_SENDER', 'a bad header and a bad name', { ...badSender, ...badHeader, ...badName, surplus: 1 }],
    ['INVALID_HEADER', 'a bad name and an unknown field', { ...badHeader, ...badName, surplus: 1 }],
    ['VALIDATION_ERROR', 'nothing', { ...badName, surplus: 1 }],
  ])('is %s before %s', (code, _others, change) => {
    expect(codeOf({ ...valid, ...change })).toBe(code);
  });

  it('includes the recipient limit if other fields are invalid', () => {
    const error = checked({ ...valid, to: many(60), cc: many(60), subject: 7 });
    expect(error).toEqual({ code: 'VALIDATION_ERROR', paths: ['subject', 'to'] });
  });
});

describe('an invalid message', () => {
  const addresses = [
    'nobody',
    'a@x.example, b@y.example',
    'Ann <ann@example.com>',
    '"ann"@example.com',
    'a%b@example.com',
    'x!a@example.com',
    'a@example.com\r\nBcc: b@example.org',
    'a@example.com\0',
    'a@exa\ud800mple.com',
    'a@[127.0.0.1]',
    'a@localhost',
    ' ',
    `${'a'.repeat(300)}@example.com`,
    'jörg@example.com',
    '<a@example.com>',
    'a@example.com>',
  ];

  it.each(addresses)('rejects %j as sender with INVALID_SENDER', (email) => {
    expect(codeOf({ ...valid, from: { email } })).toBe('INVALID_SENDER');
  });

  it.each(addresses)('rejects %j as to, cc, bcc and reply_to', (email) => {
    for (const change of [
      { to: [{ email }] },
      { cc: [{ email }] },
      { bcc: [{ email }] },
      { reply_to: { email } },
      { reply_to: [{ email }] },
    ]) {
      expect(codeOf({ ...valid, ...change })).toBe('VALIDATION_ERROR');
    }
  });

  it.each<[string, unknown]>([
    ['a name without X-', { Subject: 'x' }],
    ['a name that only contains X-', { 'Not-X-Foo': 'x' }],
    ['Bcc', { Bcc: 'b@example.org' }],
    ['nothing after X-', { 'X-': 'x' }],
    ['a space in a name', { 'X-A B': 'x' }],
    ['a colon in a name', { 'X-A: b\r\nBcc': 'x' }],
    ['CR LF in a name', { 'X-A\r\nBcc: b@example.org\r\nX-B': 'x' }],
    ['a non-ASCII name', { 'X-Größe': 'x' }],
    ['a name of 77 characters', { [`X-${'a'.repeat(75)}`]: 'x' }],
    ['CR in a value', { 'X-A': 'a\rb' }],
    ['LF in a value', { 'X-A': 'a\nBcc: b@example.org' }],
    ['NUL in a value', { 'X-A': 'a\0b' }],
    ['a control character in a value', { 'X-A': 'a\u0085b' }],
    ['a lone surrogate in a value', { 'X-A': 'a\ud800b' }],
    ['a value of 999 characters', { 'X-A': 'a'.repeat(999) }],
    ['a number as value', { 'X-A': 1 }],
    ['null as value', { 'X-A': null }],
    ['an object as value', { 'X-A': { prepared: true, value: 'x' } }],
    ['a list as value', { 'X-A': ['x'] }],
    ['one name in two spellings', { 'X-A': 'x', 'x-a': 'y' }],
    ['__proto__', JSON.parse('{"__proto__": "x"}')],
    ['__proto__ with valid headers', JSON.parse('{"X-A": "x", "__proto__": {"X-B": "y"}}')],
    ['constructor', { constructor: 'x' }],
    ['tags, which have a field', { 'X-POSTROOM-TAGS': 'kind=x' }],
    ['metadata, which have a field', { 'x-postroom-metadata': '{}' }],
  ])('rejects %s in headers with INVALID_HEADER', (_case, headers) => {
    expect(codeOf({ ...valid, headers })).toBe('INVALID_HEADER');
  });

  const nonStrings: [string, unknown][] = [
    ['a path object', { path: '/etc/passwd' }],
    ['an href object', { href: 'http://127.0.0.1/' }],
    ['a raw object', { raw: 'x' }],
    ['a list', ['x']],
    ['a number', 7],
    ['true', true],
  ];

  it.each(nonStrings)('rejects %s in place of a string', (_case, nonString) => {
    const changes = [
      { subject: nonString },
      { text_body: nonString },
      { html_body: nonString },
      { from: { email: nonString } },
      { from: { email: 'ann@example.com', name: nonString } },
      { to: [{ email: nonString }] },
      { reply_to: { email: 'a@example.org', name: nonString } },
      { reply_to: [{ email: 'a@example.org', name: nonString }] },
      { in_reply_to: nonString },
      { references: [nonString] },
      { auto_submitted: nonString },
      { feedback_id: nonString },
      { importance: nonString },
      { keywords: nonString },
      { attachments: [{ ...attachment, filename: nonString }] },
      { attachments: [{ ...attachment, content_type: nonString }] },
      { attachments: [{ ...attachment, content: nonString }] },
      { attachments: [{ ...attachment, content_id: nonString }] },
      { attachments: [{ ...attachment, disposition: nonString }] },
    ];
    for (const change of changes) expect(codeOf({ ...valid, ...change })).toBe('VALIDATION_ERROR');
  });

  it.each<[string, object]>([
    ['an unknown field', { surplus: 1 }],
    ...[
      'http://a.example/',
      'https://',
      'https://a.example/>, <mailto:a@b.example',
      'https://a.example/ü',
      'https://a b',
      'https://a.example/\r\nBcc: a',
    ].map((url): [string, object] => [`${url} to unsubscribe`, { unsubscribe: { list: 'news', url } }]),
    [
      'a link and an address to unsubscribe',
      { unsubscribe: { list: 'news', url: 'https://a.example/', mailto: true } },
    ],
    ['an unknown field of an address', { to: [{ email: 'a@example.org', address: 'b@example.org' }] }],
    ['a path in an attachment', { attachments: [{ ...attachment, path: '/etc/passwd' }] }],
    ['an href in an attachment', { attachments: [{ ...attachment, href: 'http://127.0.0.1/' }] }],
    ['raw', { raw: 'x' }],
    ['envelope', { envelope: { from: 'a@example.com', to: ['b@example.org'] } }],
    ['icalEvent', { icalEvent: { path: '/etc/passwd' } }],
    ['__proto__ at the top', JSON.parse('{"__proto__": {"bcc": [{"email": "x@example.org"}]}}')],
    ['__proto__ in the sender', JSON.parse('{"from": {"email": "ann@example.com", "__proto__": {"name": "x"}}}')],
    ['a string as sender', { from: 'ann@example.com' }],
    ['a list as sender', { from: [{ email: 'ann@example.com' }] }],
    ['an object as recipients', { to: { email: 'bob@example.org' } }],
    ['a string as recipients', { to: 'bob@example.org' }],
    ['a string in the recipients', { to: ['bob@example.org'] }],
    ['nested lists of recipients', { to: [[{ email: 'bob@example.org' }]] }],
    ['headers as a list', { headers: [['X-A', 'x']] }],
    ['headers as a string', { headers: 'X-A: x' }],
    ['more than 50 headers', { headers: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`X-${n}`, 'x'])) }],
    ['101 recipients in all', { to: many(40), cc: many(30), bcc: many(31) }],
    ['101 recipients in one list', { to: many(MAX_RECIPIENTS + 1) }],
    ['a subject of 999 characters', { subject: 's'.repeat(999) }],
    ['a name of 257 characters', { from: { email: 'ann@example.com', name: 'n'.repeat(257) } }],
    ['comments of 999 characters', { comments: 'c'.repeat(999) }],
    ['CR LF in a Feedback-ID', { feedback_id: 'a\r\nBcc: b@example.org' }],
    ['another importance', { importance: 'High' }],
    ['CR in a subject', { subject: 'a\rb' }],
    ['LF in a subject', { subject: 'a\nBcc: b@example.org' }],
    ['NUL in a subject', { subject: 'a\0b' }],
    ['a tab in a subject', { subject: 'a\tb' }],
    ['a lone surrogate in a subject', { subject: 'a\udc00' }],
    ['CR LF in a name', { to: [{ email: 'a@example.org', name: 'a\r\nBcc: b@example.org' }] }],
    ['a lone surrogate in a name', { to: [{ email: 'a@example.org', name: '\ud800' }] }],
    ['NUL in a text', { text_body: 'a\0b' }],
    ['NUL in HTML', { html_body: '\0' }],
    ['a lone surrogate in a text', { text_body: 'a\ud83d' }],
    ['a file name with a slash', { attachments: [{ ...attachment, filename: '../a.txt' }] }],
    ['a file name with a backslash', { attachments: [{ ...attachment, filename: 'C:\\a.txt' }] }],
    ['a file name of dots', { attachments: [{ ...attachment, filename: '..' }] }],
    ['CR LF in a file name', { attachments: [{ ...attachment, filename: 'a\r\nX-A: b' }] }],
    ['a file name of 256 characters', { attachments: [{ ...attachment, filename: 'a'.repeat(256) }] }],
    ['a content type without subtype', { attachments: [{ ...attachment, content_type: 'text' }] }],
    ['CR LF in a content type', { attachments: [{ ...attachment, content_type: 'text/plain\r\nX-A: b' }] }],
    ['an open parameter', { attachments: [{ ...attachment, content_type: 'text/plain; charset="utf-8' }] }],
    ['a comment in a content type', { attachments: [{ ...attachment, content_type: 'text/plain (x)' }] }],
    ['spaces alone in a parameter', { attachments: [{ ...attachment, content_type: 'text/plain; charset = utf-8' }] }],
    [
      'an empty parameter of a long type',
      { attachments: [{ ...attachment, content_type: `a/b${' ;'.repeat(120)}(` }] },
    ],
    ['an empty parameter of a multipart type', { attachments: [{ ...attachment, content_type: 'multipart/mixed ;' }] }],
    ['a multipart attachment', { attachments: [{ ...attachment, content_type: 'multipart/mixed; boundary=x' }] }],
    ['a part of a message', { attachments: [{ ...attachment, content_type: 'Message/Partial' }] }],
    ['501 attachments', { attachments: Array.from({ length: 501 }, () => attachment) }],
  ])('rejects %s', (_case, change) => {
    expect(codeOf({ ...valid, ...change })).toBe('VALIDATION_ERROR');
  });

  it.each([
    'a',
    'ab',
    'abc',
    'abcde',
    '====',
    'ab=c',
    '=abc',
    'a===',
    'abcd====',
    'ab-_',
    'YWJj\nYWJ',
    'YWJj\u00a0',
    'YWJj\f',
    'YW=\nY',
    'YWJé',
  ])('rejects %j as base64', (content) => {
    expect(codeOf({ ...valid, attachments: [{ ...attachment, content }] })).toBe('VALIDATION_ERROR');
  });

  it.each([[{ type: 'Buffer', data: [104, 105] }], [{ 0: 104 }], [[104, 105]], [104], [true]])(
    'asks for base64 text in place of %j',
    (content) => {
      const result = checkOutgoingMessage({ ...valid, attachments: [{ ...attachment, content }] });
      const message = 'Enter base64 text, such as buffer.toString("base64").';
      expect(result).toMatchObject({ fields: [{ path: 'attachments.0.content', message }] });
    },
  );

  it.each([[7], ['x'], [true], [[valid]]])('rejects %j as the body', (raw) => {
    expect(codeOf(raw)).toBe('VALIDATION_ERROR');
  });
});

describe('the OpenAPI document', () => {
  it('shows every field with its limits', () => {
    const document = createDocument({
      openapi: '3.1.0',
      info: { title: 'test', version: '1' },
      paths: {
        '/send': {
          post: { requestBody: { content: { 'application/json': { schema: OutgoingMessage } } }, responses: {} },
        },
      },
    });
    const operation = document.paths?.['/send']?.post as {
      requestBody: { content: Record<string, { schema: unknown }> };
    };
    expect(operation.requestBody.content['application/json']?.schema).toMatchObject({
      required: ['from', 'to'],
      additionalProperties: false,
      properties: {
        from: {
          properties: { email: { type: 'string', format: 'email' }, name: { maxLength: 256 } },
          required: ['email'],
        },
        to: { type: 'array', minItems: 1, maxItems: 100, items: { properties: { email: { type: 'string' } } } },
        bcc: { type: 'array' },
        reply_to: { anyOf: [{ type: 'object' }, { type: 'array', items: { type: 'object' }, maxItems: 100 }] },
        in_reply_to: { type: 'string' },
        references: { type: 'array', items: { type: 'string' }, maxItems: 100 },
        auto_submitted: { enum: ['auto-generated', 'auto-replied'] },
        feedback_id: { type: 'string', maxLength: 998 },
        importance: { enum: ['high', 'normal', 'low'] },
        subject: { type: 'string', maxLength: 998 },
        text_body: { type: 'string' },
        html_body: { type: 'string' },
        attachments: { type: 'array', items: { required: ['filename', 'content_type', 'content'] } },
        headers: { type: 'object', additionalProperties: { type: 'string' }, maxProperties: 50 },
      },
    });
  });
});
