import { describe, expect, it } from 'vitest';
import { newCopyOf } from './new-copy';
import { attachmentIn, viewOf } from './view';

const bytes = (text: string) => new TextEncoder().encode(text);
const message = (...lines: string[]) => bytes(lines.join('\r\n'));

function multipart(parts: string[][], type = 'mixed') {
  const body = parts.flatMap((part) => ['--b', ...part]);
  return message(`Content-Type: multipart/${type}; boundary=b`, 'Subject: Many', '', ...body, '--b--', '');
}

describe('what a reader sees of a message', () => {
  it('has neither text nor HTML if the message has none', async () => {
    expect(await viewOf(message('Subject: Empty', '', ''))).toMatchObject({
      text: null,
      html: null,
      headers: [{ name: 'Subject', value: 'Empty' }],
      attachments: [],
      truncated: false,
    });
  });

  it('decodes encoded words and folded fields, and keeps repeated ones', async () => {
    const { headers } = await viewOf(
      message('Received: a', 'Received: b', 'Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=', ' an alle', '', 'x'),
    );
    expect(headers).toEqual([
      { name: 'Received', value: 'a' },
      { name: 'Received', value: 'b' },
      { name: 'Subject', value: 'Grüße an alle' },
    ]);
  });

  it('shows text in an unknown charset as well as it can', async () => {
    const view = await viewOf(message('Content-Type: text/plain; charset=klingon-8', '', 'nuqneH'));
    expect(view.text).toContain('nuqneH');
  });

  it.each([
    '',
    '\0\0\0',
    'no header at all',
    '\r\n\r\n',
    'Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n--b\r\n--b',
  ])('survives %j', async (raw) => {
    expect(await viewOf(bytes(raw))).toMatchObject({ headers: expect.any(Array), attachments: expect.any(Array) });
  });

  it('lists at most 500 of 1,000 parts, and says that some are left out', async () => {
    const parts = Array.from({ length: 1_000 }, (_, index) => [
      'Content-Type: application/pdf',
      `Content-Disposition: attachment; filename=${index}.pdf`,
      '',
      'x',
    ]);
    const view = await viewOf(multipart(parts));
    expect(view.attachments).toHaveLength(500);
    expect(view.truncated).toBe(true);
  });

  it('lists at most 500 of 10,000 header fields, and says that some are left out', async () => {
    const fields = Array.from({ length: 10_000 }, (_, index) => `X-Field-${index}: ${index}`);
    const view = await viewOf(message(...fields, '', 'x'));
    expect(view.headers).toHaveLength(500);
    expect(view).toMatchObject({ truncated: true, text: expect.stringContaining('x') });
  });

  it('cuts endless text, HTML and header fields, and says so', async () => {
    const text = await viewOf(message('Subject: x', '', 'y'.repeat(2_000_000)));
    expect(text).toMatchObject({ truncated: true });
    expect(text.text).toHaveLength(1_000_000);
    const html = await viewOf(message('Content-Type: text/html', '', `<p>${'y'.repeat(2_000_000)}`));
    expect(html.html?.length).toBeLessThan(1_000_100);
    expect(html.truncated).toBe(true);
    const field = await viewOf(message(`Subject: ${'z'.repeat(100_000)}`, '', 'x'));
    expect(field.headers[0]?.value).toHaveLength(8_000);
    expect(field.truncated).toBe(true);
  });

  it('shows the header of a message that is nested too deeply to parse', async () => {
    let inner = ['Content-Type: text/plain', '', 'deep'];
    for (let depth = 0; depth < 500; depth++)
      inner = [`Content-Type: multipart/mixed; boundary=b${depth}`, '', `--b${depth}`, ...inner, `--b${depth}--`];
    const view = await viewOf(message('Subject: Deep', ...inner));
    expect(view.headers[0]).toEqual({ name: 'Subject', value: 'Deep' });
    expect(view.truncated).toBe(true);
  });

  it('shows only the header of a message with more parts than any has', async () => {
    const view = await viewOf(
      message('Subject: Parts', 'Content-Type: multipart/mixed; boundary=b', '', '--b\r\n'.repeat(40_000)),
    );
    expect(view).toMatchObject({ headers: [{ value: 'Parts' }, {}], attachments: [], truncated: true });
  });

  it('gives the file of each attachment, named or not', async () => {
    const raw = multipart([
      ['Content-Type: text/plain', '', 'Hi'],
      ['Content-Type: application/octet-stream', 'Content-Disposition: attachment', '', 'one'],
      ['Content-Type: text/csv; name="../../x.csv"', 'Content-Disposition: attachment', '', 'a,b'],
    ]);
    expect(new TextDecoder().decode((await attachmentIn(raw, 0))?.content)).toBe('one');
    expect(await attachmentIn(raw, 0)).toMatchObject({ filename: 'attachment-1' });
    expect(await attachmentIn(raw, 1)).toMatchObject({ filename: '.._.._x.csv', contentType: 'text/csv' });
    expect(await attachmentIn(raw, 2)).toBeNull();
  });
});

describe('a new copy of a message', () => {
  const at = new Date('2026-03-01T12:34:56Z');
  const copy = (raw: Uint8Array) => new TextDecoder().decode(newCopyOf(raw, '<new@a.example>', at));

  it('has its own Message-ID and date, and nothing of its first way through the mail server', () => {
    const raw = message(
      'Received: from a',
      '\tby b',
      'DKIM-Signature: v=1;',
      ' b=abc',
      'From: a@b.example',
      'MESSAGE-ID:',
      ' <old@a.example>',
      'Date: Thu, 1 Jan 1970 00:00:00 +0000',
      'X-Folded: one',
      ' two',
      '',
      'Date: in the body',
      '',
    );
    expect(copy(raw)).toBe(
      [
        'Message-ID: <new@a.example>',
        'Date: Sun, 01 Mar 2026 12:34:56 +0000',
        'From: a@b.example',
        'X-Folded: one',
        ' two',
        '',
        'Date: in the body',
        '',
      ].join('\r\n'),
    );
  });

  it('keeps a body of any bytes, or none', () => {
    const raw = new Uint8Array([...bytes('A: b\r\n\r\n'), 0xff, 0x00, 0x0d, 0x0a]);
    expect([...newCopyOf(raw, '<n@a>', at)].slice(-4)).toEqual([0xff, 0x00, 0x0d, 0x0a]);
    expect(copy(bytes('A: b\r\n\r\n'))).toMatch(/A: b\r\n\r\n$/);
  });
});
