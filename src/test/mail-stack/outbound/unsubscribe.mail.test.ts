import { beforeEach, expect, it } from 'vitest';
import { subscriptionOf } from '@/server/secrets/unsubscribe-token';
import { activateKey, signaturesOf } from '../support/dkim-keys';
import { db } from '../support/mail-server';
import { messageText, openInbound } from '../support/smtp-session';
import { api, at, domain, remoteAddress, remoteServer, traceMail, waitForEvents } from '../support/traced-mail';

await traceMail();

const SOON = { timeout: 40_000, interval: 200 };

beforeEach(() => activateKey(domain.name, 'first'));

async function sendNews(recipient: string): Promise<string> {
  const before = remoteServer.received.length;
  const { error } = await api.post('/send', {
    from: { email: at('news') },
    to: [{ email: recipient }],
    subject: 'News',
    text_body: 'Good morning.',
    unsubscribe: { list: 'newsletter', mailto: true },
    feedback_id: 'may:shop:news:4f1c',
  });
  if (error) return error.code;
  await expect.poll(() => remoteServer.received.length, SOON).toBe(before + 1);
  return remoteServer.received.at(-1)?.raw.toString('latin1') ?? '';
}

it('the fields to unsubscribe arrive on one line each, and DKIM signs them and Feedback-ID', async () => {
  const recipient = remoteAddress();
  const raw = await sendNews(recipient);
  expect(await signaturesOf(Buffer.from(raw, 'latin1'))).toEqual([`pass rsa-sha256 by first.${domain.name}`]);
  const [header = ''] = raw.split('\r\n\r\n');
  const signed = (/\bh=([^;]+)/.exec(header)?.[1] ?? '').toLowerCase().replace(/\s/g, '').split(':');
  expect(signed).toEqual(
    expect.arrayContaining(['list-id', 'list-unsubscribe', 'list-unsubscribe-post', 'feedback-id']),
  );
  const lines = header.split('\r\n');
  const starts = [
    'List-Id: <newsletter.',
    'List-Unsubscribe: <http',
    'List-Unsubscribe-Post: List-Unsubscribe=One-Click',
    'Feedback-ID: may:shop:news:4f1c',
  ];
  for (const start of starts) {
    const index = lines.findIndex((line) => line.startsWith(start));
    expect(index, start).toBeGreaterThanOrEqual(0);
    expect(lines[index + 1], start).not.toMatch(/^\s/);
  }
  expect(subscriptionOf(/\/unsubscribe\/([\w-]+)>/.exec(header)?.[1] ?? '')).toMatchObject({ email: recipient });
});

it('mail to the address in the header unsubscribes', async () => {
  const recipient = remoteAddress();
  const token = /subject=([\w-]+)>/.exec(await sendNews(recipient))?.[1] ?? '';
  const session = await openInbound();
  const text = messageText({ from: recipient, to: at('unsubscribe-requests'), subject: token });
  expect(await session.send(recipient, [at('unsubscribe-requests')], text)).toMatch(/^250 /);
  session.quit();
  const [event] = await waitForEvents('mail.unsubscribed', 1);
  expect(event?.data).toMatchObject({ recipient, list: 'newsletter', domain: domain.name });
  expect(await sendNews(recipient)).toBe('RECIPIENT_SUPPRESSED');
  expect(await db.suppression.findMany({ where: { domainId: domain.id } })).toMatchObject([{ list: 'newsletter' }]);
});
