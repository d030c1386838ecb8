import PostalMime from 'postal-mime';
import { afterAll, expect, it } from 'vitest';
import { makeDomain } from '@/test/factories';
import { keyClient } from '@/test/rest';
import { startSmtpServer } from '@/test/servers/smtp-server';
import { setSettings } from '@/test/settings';

const mta = await startSmtpServer({ user: 'postroom', password: 'a pass:word@' });
setSettings({ SMTP_URL: mta.url });

afterAll(() => mta.close());

const TEXT = ['.', '..', '.foo', 'Grüße aus Köln', '', `${'long '.repeat(300)}line`, 'the end 🐦', '.'].join('\r\n');
const HTML = '<p>Grüße &amp; <b>日本語</b></p>\r\n.\r\n<p>.</p>';

it('a message sent by REST arrives at an SMTP server with every field unchanged', async () => {
  const domain = await makeDomain();
  const api = await keyClient({ role: 'admin' });
  const binary = Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * 31) % 256));
  const mixedLines = Buffer.from('one\ntwo\r\nthree\rfour\n.\n', 'utf8');
  const answer = await api.post('/send', {
    from: { email: `orders@${domain.name}`, name: 'Bücher & Söhne, “Köln”' },
    to: [{ email: 'ann@far.example', name: 'Änne O’Hara' }, { email: 'bo@bücher.example' }],
    cc: [{ email: 'cc@far.example', name: '李雷' }],
    bcc: [{ email: 'secret@far.example', name: 'Nobody Knows' }],
    reply_to: { email: 'reply@far.example', name: 'Réponse' },
    subject: 'Ваш заказ № 20418 — “ready” 📦',
    text_body: TEXT,
    html_body: HTML,
    attachments: [
      {
        filename: 'Rechnung für März.bin',
        content_type: 'application/octet-stream',
        content: binary.toString('base64'),
      },
      { filename: 'notes.txt', content_type: 'text/plain', content: mixedLines.toString('base64') },
    ],
    headers: { 'X-Order': '20418', 'X-Note': 'Grüße' },
  });
  expect(answer.status).toBe(200);

  const [received] = mta.received;
  expect(mta.received).toHaveLength(1);
  expect(received?.mailFrom).toBe(`orders@${domain.name}`);
  expect(received?.rcptTo.toSorted()).toEqual(
    ['ann@far.example', 'bo@xn--bcher-kva.example', 'cc@far.example', 'secret@far.example'].toSorted(),
  );
  expect(received?.user).toBe('postroom');

  const raw = received?.raw ?? Buffer.alloc(0);
  expect(raw.toString('latin1')).not.toMatch(/bcc:|secret@|Nobody Knows/i);
  const parsed = await PostalMime.parse(raw, { attachmentEncoding: 'arraybuffer' });
  expect(parsed.messageId).toBe(answer.data.message_id);
  expect(parsed.from).toMatchObject({ address: `orders@${domain.name}`, name: 'Bücher & Söhne, “Köln”' });
  expect(parsed.to?.map(({ address, name }) => [address, name])).toEqual([
    ['ann@far.example', 'Änne O’Hara'],
    ['bo@xn--bcher-kva.example', ''],
  ]);
  expect(parsed.cc?.map(({ address, name }) => [address, name])).toEqual([['cc@far.example', '李雷']]);
  expect(parsed.replyTo?.map(({ address, name }) => [address, name])).toEqual([['reply@far.example', 'Réponse']]);
  expect(parsed.subject).toBe('Ваш заказ № 20418 — “ready” 📦');
  expect(lines(parsed.text)).toEqual(lines(TEXT));
  expect(lines(parsed.html)).toEqual(lines(HTML));
  expect(parsed.headers.find((header) => header.key === 'x-order')?.value).toBe('20418');
  expect(parsed.headers.filter((header) => header.key === 'x-note')).toHaveLength(1);
  expect(parsed.attachments.map(({ filename, mimeType }) => [filename, mimeType])).toEqual([
    ['Rechnung für März.bin', 'application/octet-stream'],
    ['notes.txt', 'text/plain'],
  ]);
  expect(Buffer.from(parsed.attachments[0]?.content as ArrayBuffer)).toEqual(binary);
  expect(Buffer.from(parsed.attachments[1]?.content as ArrayBuffer)).toEqual(mixedLines);
});

// The parser keeps a varying number of line breaks at the end of the body.
function lines(text: string | undefined): string[] {
  return (text ?? '').trimEnd().split(/\r?\n/);
}
