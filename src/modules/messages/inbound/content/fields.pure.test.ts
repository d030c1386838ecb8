import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseFields } from './fields';

const MB = 1024 * 1024;
const MIXED = 'Content-Type: multipart/mixed; boundary=b\r\n\r\n';

/** The fields of an event about this message, parsed from the part of the body behind its first fields. */
async function fieldsOf(raw: string | Uint8Array, mailFrom = 'bounces@far.example') {
  const bytes = typeof raw === 'string' ? Buffer.from(raw) : raw;
  const text = await parseFields({ raw: new Uint8Array(bytes), mailFrom, headBytes: 7 });
  expect(text.subarray(0, 7)).toEqual(new Uint8Array(7));
  return JSON.parse(`{"data":{${new TextDecoder('utf-8', { fatal: true }).decode(text.subarray(7))}`).data;
}

function part(header: string, body: string): string {
  return `--b\r\n${header}\r\n\r\n${body}\r\n`;
}

describe('the header', () => {
  it('yields contacts with name and address, and every header decoded, named as first spelled', async () => {
    const raw = [
      'Received: one',
      'From: =?utf-8?Q?Bj=C3=B6rn?= <bo@far.example>',
      'To: "Ann, A." <ann@near.example>, li@near.example',
      'Cc: =?utf-8?B?5ryi5a2X?= <mo@near.example>',
      'Reply-To: Desk <desk@far.example>, other@far.example',
      'Subject: =?utf-8?B?R3LDvMOfZQ==?= aus',
      ' Bern',
      'RECEIVED: two',
      '__proto__: x',
      '',
      'Hello',
    ].join('\r\n');
    const fields = await fieldsOf(raw);
    expect(fields).toMatchObject({
      from: { name: 'Björn', email: 'bo@far.example' },
      to: [
        { name: 'Ann, A.', email: 'ann@near.example' },
        { name: '', email: 'li@near.example' },
      ],
      cc: [{ name: '漢字', email: 'mo@near.example' }],
      reply_to: { name: 'Desk', email: 'desk@far.example' },
      reply_to_all: [
        { name: 'Desk', email: 'desk@far.example' },
        { name: '', email: 'other@far.example' },
      ],
      body_text: 'Hello',
      body_html: null,
      attachments: [],
    });
    expect(Object.entries(fields.headers)).toEqual([
      ['Received', 'one\ntwo'],
      ['From', 'Björn <bo@far.example>'],
      ['To', '"Ann, A." <ann@near.example>, li@near.example'],
      ['Cc', '漢字 <mo@near.example>'],
      ['Reply-To', 'Desk <desk@far.example>, other@far.example'],
      ['Subject', 'Grüße aus Bern'],
      ['__proto__', 'x'],
    ]);
  });

  it.each([
    ['no From', 'Subject: x', { name: '', email: 'bounces@far.example' }],
    ['an invalid From address', 'From: undisclosed', { name: '', email: 'bounces@far.example' }],
    ['a group in From', 'From: Us: Li <li@far.example>, mo@far.example;', { name: 'Li', email: 'li@far.example' }],
    ['several From addresses', 'From: li@far.example, mo@far.example', { name: '', email: 'li@far.example' }],
  ])('with %s yields the best known sender', async (_case, header, from) => {
    expect((await fieldsOf(`${header}\r\n\r\nx`)).from).toEqual(from);
  });

  it('expands groups in To and skips empty ones', async () => {
    const raw =
      'To: Us: Li <li@a.example>, mo@a.example;, nobody:;, just a name\r\nCc: undisclosed-recipients:;\r\n\r\nx';
    const { to, cc, reply_to, reply_to_all } = await fieldsOf(raw);
    const us = [
      { name: 'Li', email: 'li@a.example' },
      { name: '', email: 'mo@a.example' },
    ];
    expect({ to, cc, reply_to, reply_to_all }).toEqual({ to: us, cc: [], reply_to: null, reply_to_all: [] });
  });

  it('cannot inject a second value by a line break in an encoded word', async () => {
    const { headers } = await fieldsOf('X-A: =?utf-8?Q?one=0D=0Atwo?=\r\n\r\nx');
    expect(headers['X-A']).toBe('one two');
  });

  it.each([
    ['8-bit bytes', Buffer.from('Subject: Gr\xfc\xdfe\r\nFrom: \xff <a@b.example>\r\n\r\n\xff\xfe', 'latin1')],
    ['NUL bytes', Buffer.from('Sub\0ject: a\0b\r\nFrom: \0@\0\r\n\r\nx\0y', 'latin1')],
    ['lone surrogates', Buffer.from('Subject: =?utf-16le?B?ANg=?=\r\n\r\nx')],
    [
      'lone surrogates in the body',
      Buffer.from('Content-Type: text/plain; charset=utf-16le\r\n\r\n\x00\xd8', 'latin1'),
    ],
  ])('with %s yields valid text without lone surrogates', async (_case, raw) => {
    const fields = await fieldsOf(raw);
    expect(JSON.stringify(fields)).not.toMatch(/\\ud[89a-f]/);
  });
});

describe('the content', () => {
  it('is split into decoded text, HTML and attachments', async () => {
    const raw = [
      `From: a@b.example\r\n${MIXED}`,
      part('Content-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable', 'Gr=FC=DFe'),
      part('Content-Type: text/html; charset=utf-8', '<p>漢字</p>'),
      part('Content-Type: application/pdf\r\nContent-Transfer-Encoding: base64', 'AAEC/w=='),
      part(
        "Content-Type: Image/PNG\r\nContent-ID: <i@x>\r\nContent-Disposition: inline; filename*=utf-8''%C3%BC.png\r\nContent-Transfer-Encoding: base64",
        'iVBORw==',
      ),
      part('Content-Type: text/calendar; method=REQUEST; name=a.ics', 'BEGIN:VCALENDAR\r\nEND:VCALENDAR'),
      '--b--\r\n',
    ].join('');
    const { body_text, body_html, attachments } = await fieldsOf(raw);
    expect(body_text).toContain('Grüße');
    expect(body_html).toContain('<p>漢字</p>');
    expect(attachments).toEqual([
      {
        filename: 'attachment-1.pdf',
        content_type: 'application/pdf',
        disposition: null,
        content_id: null,
        size: 4,
        content_base64: 'AAEC/w==',
      },
      {
        filename: 'ü.png',
        content_type: 'image/png',
        disposition: 'inline',
        content_id: 'i@x',
        size: 4,
        content_base64: 'iVBORw==',
      },
      {
        filename: 'a.ics',
        content_type: 'text/calendar',
        disposition: null,
        content_id: null,
        size: 30,
        content_base64: Buffer.from('BEGIN:VCALENDAR\r\nEND:VCALENDAR').toString('base64'),
      },
    ]);
  });

  it('excludes the line break before the boundary in every encoding', async () => {
    const header = 'Content-Disposition: attachment; filename=a.txt\r\nContent-Type: text/plain';
    const encodings = ['7bit', '8bit', 'quoted-printable', 'base64'].map(
      (encoding) => `${header}\r\nContent-Transfer-Encoding: ${encoding}`,
    );
    const bodies = ['a\r\nb', 'a\r\n', 'a=3D', 'YQo='];
    const attached = encodings.map((encoding, index) => part(encoding, bodies[index] ?? ''));
    const raw = `${MIXED}${part('Content-Type: text/plain', 'Hi')}${attached.join('')}--b--\r\n`;
    const { body_text, attachments } = await fieldsOf(raw);
    expect(body_text).toBe('Hi');
    expect(
      attachments.map(({ content_base64 }: { content_base64: string }) =>
        Buffer.from(content_base64, 'base64').toString(),
      ),
    ).toEqual(['a\r\nb', 'a\r\n', 'a=', 'a\n']);
  });

  it('has no text if there is only HTML', async () => {
    const { body_text, body_html } = await fieldsOf('Content-Type: text/html\r\n\r\n<p>x</p>');
    expect([body_text, body_html]).toEqual([null, '<p>x</p>']);
  });

  it('keeps attached messages whole and out of the text', async () => {
    const inner = 'Subject: inner\r\nContent-Type: text/plain\r\n\r\nInner text';
    const raw = `${MIXED}${part('Content-Type: text/plain', 'Outer')}${part('Content-Type: message/rfc822', inner)}--b--`;
    const { body_text, attachments } = await fieldsOf(raw);
    expect(body_text).toBe('Outer');
    expect(attachments).toMatchObject([{ filename: 'attachment-1.eml', content_type: 'message/rfc822' }]);
    const content = Buffer.from(attachments[0].content_base64, 'base64').toString();
    expect(content).toBe(inner);
  });

  it('encodes long attachments without corruption at slice boundaries', async () => {
    const bytes = Buffer.from(Array.from({ length: 2 * MB + 1 }, (_, index) => (index * 7919) % 251));
    const lines = bytes.toString('base64').replace(/.{76}/g, '$&\r\n');
    const header = 'Content-Type: application/x-a; name=a\r\nContent-Transfer-Encoding: base64';
    const { attachments } = await fieldsOf(`${MIXED}${part(header, lines)}${part(header, 'QQ==')}--b--`);
    expect(attachments.map(({ size }: { size: number }) => size)).toEqual([bytes.length, 1]);
    expect(Buffer.from(attachments[0].content_base64, 'base64').equals(bytes)).toBe(true);
  });

  it('includes all of 10,000 attachments', async () => {
    const { attachments } = await fieldsOf(`${MIXED}${part('Content-Type: a/b', 'x').repeat(10_000)}--b--`);
    expect(attachments).toHaveLength(10_000);
  });

  it('is complete under a 2 MB header', async () => {
    const people = Array.from({ length: 20_000 }, (_, index) => `Person ${index} <p${index}@far.example>`);
    const { to, headers, body_text } = await fieldsOf(
      `To: ${people.join(',\r\n ')}\r\nX-Long: ${'x'.repeat(MB)}\r\n\r\nHi`,
    );
    expect(to).toHaveLength(people.length);
    expect(headers['X-Long']).toHaveLength(MB);
    expect(body_text).toBe('Hi');
  });

  it('is rejected if nested too deeply', async () => {
    const nested = Array.from(
      { length: 5000 },
      (_, depth) => `--b${depth}\r\nContent-Type: multipart/mixed; boundary=b${depth + 1}\r\n`,
    );
    const raw = `Content-Type: multipart/mixed; boundary=b0\r\n\r\n${nested.join('\r\n')}`;
    await expect(fieldsOf(raw)).rejects.toThrow(/nesting depth/);
    expect(await fieldsOf(raw.slice(0, 5000))).toHaveProperty('headers');
  });
});

it('yields valid JSON with every field for arbitrary bytes', async () => {
  const pieces = fc.constantFrom(
    ...[
      '\r\n',
      '\n',
      '\r\n\r\n',
      '--b',
      '--b--',
      ': ',
      ';',
      '=',
      '"',
      '<',
      '>',
      '(',
      '@',
      '\0',
      '\xff',
      '\u{d800}',
      '=?utf-8?B?',
    ],
    ...[
      'Content-Type: multipart/mixed; boundary=b',
      'Content-Type: message/rfc822',
      'Content-Type: text/calendar',
      'From: ',
    ],
    ...[
      'Content-Transfer-Encoding: base64',
      'Content-Disposition: attachment; filename=',
      'To: g:a@b;',
      'charset=utf-16le',
    ],
    ...[
      '__proto__: ',
      'constructor: ',
      'Content-Type: text/html',
      '?=',
      "filename*0*=utf-8''%ff",
      '&#xd800;',
      'format=flowed',
    ],
  );
  const text = fc.array(fc.oneof({ weight: 4, arbitrary: pieces }, fc.string({ unit: 'binary', maxLength: 8 })), {
    maxLength: 60,
  });
  await fc.assert(
    fc.asyncProperty(text, fc.string({ unit: 'binary' }), async (parts, mailFrom) => {
      const fields = await fieldsOf(Buffer.from(parts.join('')), mailFrom);
      expect(Object.keys(fields).sort()).toEqual(
        ['attachments', 'body_html', 'body_text', 'cc', 'from', 'headers', 'reply_to', 'reply_to_all', 'to'].sort(),
      );
      for (const { size, content_base64 } of fields.attachments) {
        expect(Buffer.from(content_base64, 'base64').length).toBe(size);
      }
    }),
  );
});
