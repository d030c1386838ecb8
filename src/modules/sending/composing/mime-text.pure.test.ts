import fc from 'fast-check';
import MailComposer from 'nodemailer/lib/mail-composer';
import { expect, it } from 'vitest';
import { expectValidOnTheWire } from '@/test/composed-message';
import { mimeText } from './mime-text';

const text = fc.string({
  unit: fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 1 }),
    fc.constantFrom('\r\n', '.', ' ', '\t', '=', 'long '.repeat(30), 'x'.repeat(90), 'ü'.repeat(40)),
  ),
});

it('writes what nodemailer streams, but for where it breaks lines', async () => {
  const attachment = fc.record({
    filename: fc.constantFrom('a.txt', 'bill.pdf', 'mail.eml', 'ü.bin'),
    contentType: fc.constantFrom('text/plain', 'application/pdf', 'message/rfc822', 'application/octet-stream'),
    content: fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes)),
    contentTransferEncoding: fc.constant('base64' as const),
  });
  const mail = fc
    .record({
      text: fc.option(text, { nil: undefined }),
      html: fc.option(text, { nil: undefined }),
      attachments: fc.array(attachment, { maxLength: 3 }),
    })
    .filter(({ text, html }) => Boolean(text || html));
  await fc.assert(
    fc.asyncProperty(mail, async (parts) => {
      const node = new MailComposer({ ...parts, messageId: '<a@example.com>', date: new Date(0) }).compile();
      const written = mimeText(node);
      expect(unbroken(written)).toBe(unbroken(await node.build()));
      expectValidOnTheWire(written);
    }),
  );
});

it('writes the text of large parts', async () => {
  const content = Buffer.from(Array.from({ length: 300_000 }, (_, index) => (index * 7) % 256));
  const long = `${'grüße '.repeat(40_000)}\r\n`;
  const node = new MailComposer({ text: long, html: long, attachments: [{ filename: 'a', content }] }).compile();
  const written = mimeText(node);
  expect(written.equals(await node.build())).toBe(true);
});

it('reads no file', () => {
  const node = new MailComposer({ text: 'Hello', attachments: [{ path: '/etc/passwd' }] }).compile();
  expect(() => mimeText(node)).toThrow(TypeError);
});

/** Without the soft line breaks of quoted-printable text. */
function unbroken(raw: Buffer): string {
  return raw.toString('latin1').replaceAll('=\r\n', '');
}
