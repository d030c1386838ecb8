import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { contentSettled } from '@/modules/messages/content/keeping/keep';
import { mailServerCalls } from '@/modules/messages/service';
import { serveHttp } from '@/server/http/http-server';
import { subscriptionOf, unsubscribeToken } from '@/server/secrets/unsubscribe-token';
import { makeContentStore } from '@/test/content-store';
import { db } from '@/test/database';
import { makeDomain } from '@/test/factories';
import { startInbound } from '@/test/mail/sandbox-inbound';
import { expectError, keyClient } from '@/test/rest';
import { startScriptedMta } from '@/test/servers/scripted-mta';
import { setSettings } from '@/test/settings';
import { findUnsubscribeHandler } from './handler';
import { preferredLanguage } from './texts';

await makeContentStore();
const mta = await startScriptedMta();
afterAll(() => mta.server.close());
setSettings({ APP_URL: 'https://mail.shop.example' });
const { sendRaw } = await startInbound(mailServerCalls(db), { maxMessageBytes: 1024 * 1024 });
const api = await keyClient();

const server = createServer();
let close: () => Promise<void>;
let origin: string;

beforeAll(async () => {
  close = serveHttp(server, {
    appUrl: 'https://mail.shop.example',
    trustedProxies: [],
    isDev: false,
    findApiHandler: () => undefined,
    findPublishedHandler: (_host, path) => findUnsubscribeHandler(path),
    servePage: async (_request, response) => void response.end('a page'),
    redirectOf: async () => null,
    countRequest: async () => ({ count: 1, resetMs: 60_000 }),
    refusalOf: () => null,
    observe: () => {},
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => close());

let domain: { id: string; name: string };

beforeEach(async () => {
  domain = await makeDomain();
});

const message = (over: object = {}) => ({
  from: { email: `news@${domain.name}` },
  to: [{ email: 'Ann@far.example' }],
  subject: 'News',
  text_body: 'Hello',
  unsubscribe: { list: 'newsletter' },
  ...over,
});
const send = (over: object = {}) => api.post('/send', message(over));

/** Sends a message. @returns the path of its link, and the lines of its header */
async function sendNews(over: object = {}) {
  const { status, data } = await send(over);
  expect(status).toBe(200);
  const header = (mta.server.messages.at(-1) ?? '').split('\r\n\r\n')[0]?.split('\r\n') ?? [];
  const field = header.find((line) => line.startsWith('List-Unsubscribe:')) ?? '';
  return { messageId: data.message_id, header, field, path: /\/unsubscribe\/[\w-]+/.exec(field)?.[0] ?? '' };
}

const open = (path: string, init: RequestInit = {}) => fetch(`${origin}${path}`, init);
const oneClick = (path: string, body = 'List-Unsubscribe=One-Click') =>
  open(path, { method: 'POST', body, headers: { 'Content-Type': 'application/x-www-form-urlencoded' } });
const suppressions = () => db.suppression.findMany({ where: { domainId: domain.id } });
const events = async () =>
  (await db.event.findMany({ where: { domainId: domain.id, type: 'mail.unsubscribed' } })).map(({ body }) =>
    JSON.parse(String(body)),
  );

describe('a message with unsubscribe', () => {
  it('has the fields of RFC 8058, each on one line', async () => {
    const { header, field, path } = await sendNews();
    expect(header).toContain(`List-Id: <newsletter.${domain.name}>`);
    expect(header).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click');
    expect(field).toBe(`List-Unsubscribe: <https://mail.shop.example${path}>`);
    const { field: both } = await sendNews({ unsubscribe: { list: 'newsletter', mailto: true } });
    expect(both).toMatch(/^List-Unsubscribe: <https:[^>]+>, <mailto:unsubscribe-requests@[^?]+\?subject=[\w-]+>$/);
  });

  it('has one recipient, and a list with a plain name', async () => {
    const cc = [{ email: 'bo@far.example' }];
    expectError(await send({ cc }), 400, 'VALIDATION_ERROR');
    for (const list of ['', 'News', 'a b', '-a', 'a.b', 'a'.repeat(64), '>x'])
      expect((await send({ unsubscribe: { list } })).status, list).toBe(400);
    expectError(await send({ unsubscribe: {} }), 400, 'MISSING_FIELDS');
    const batch = [message(), message({ to: [{ email: 'bo@far.example' }] })];
    expect((await api.post('/send/batch', { messages: batch })).data).toMatchObject({ succeeded: 2 });
  });

  it('is not sent to those who unsubscribed, unlike other lists, transactional mail and other domains', async () => {
    await oneClick((await sendNews()).path);
    const answer = await send();
    expectError(answer, 422, 'RECIPIENT_SUPPRESSED');
    expect(answer.error?.details).toEqual({ suppressed: [{ email: 'Ann@far.example', reason: 'unsubscribe' }] });
    expect((await send({ unsubscribe: { list: 'offers' } })).status).toBe(200);
    expect((await send({ unsubscribe: undefined })).status).toBe(200);
    expect((await send({ transactional: true })).status).toBe(200);
    domain = await makeDomain();
    expect((await send()).status).toBe(200);
  });

  it('that leaves later is checked when it leaves, too', async () => {
    const { data } = await send({ send_at: new Date(Date.now() + 3_600_000).toISOString() });
    expect(await db.scheduledMessage.findFirstOrThrow({ where: { messageId: data.id } })).toMatchObject({
      list: 'newsletter',
    });
  });

  it('has no link in a copy that is sent again', async () => {
    const { messageId } = await sendNews();
    const row = await db.message.findFirstOrThrow({ where: { messageId } });
    await contentSettled();
    expect((await api.post(`/messages/${row.id}/resend`, { to: ['bo@far.example'] })).status).toBe(200);
    expect(mta.server.messages.at(-1)).not.toContain('List-Unsubscribe');
  });
});

describe('the link', () => {
  it('unsubscribes by POST at once, with suppression, trace and event', async () => {
    const { path, messageId } = await sendNews({ tags: { campaign: 'may' } });
    expect((await oneClick(path)).status).toBe(200);
    expect(await suppressions()).toMatchObject([
      { email: 'ann@far.example', reason: 'unsubscribe', list: 'newsletter' },
    ]);
    const data = { message_id: messageId, recipient: 'Ann@far.example', domain: domain.name, list: 'newsletter' };
    expect(await events()).toMatchObject([{ id: messageId, data: { ...data, tags: { campaign: 'may' } } }]);
    const row = await db.message.findFirstOrThrow({ where: { messageId } });
    const shown = (await api.get(`/messages/${row.id}`)).data.events;
    expect(shown.at(-1)).toMatchObject({ type: 'unsubscribed', detail: { list: 'newsletter' } });
    expect((await oneClick(path)).status).toBe(200);
    expect(await events()).toHaveLength(1);
  });

  it.each(['', 'x=y', '--b\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--b--'])(
    'takes the body %j',
    async (body) => {
      await oneClick((await sendNews()).path, body);
      expect(await suppressions()).toHaveLength(1);
    },
  );

  it('changes nothing by GET or HEAD, so that scanners of links unsubscribe nobody', async () => {
    const { path } = await sendNews();
    const page = await open(path);
    await open(path, { method: 'HEAD' });
    await open(`${path}?List-Unsubscribe=One-Click`);
    expect(await suppressions()).toEqual([]);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(page.headers.get('set-cookie')).toBeNull();
    const text = await page.text();
    expect(text).toContain('Ann@far.example');
    expect(text).toContain('<form method="post">');
    expect(text).not.toContain('<script');
    expect((await open(path, { method: 'DELETE' })).status).toBe(405);
  });

  it('says so of a list that the address has left for all domains', async () => {
    const { path } = await sendNews();
    const reason = 'unsubscribe';
    await db.suppression.create({ data: { email: 'ann@far.example', reason, list: 'newsletter', domainId: null } });
    expect(await (await open(path)).text()).toContain('Subscribe again');
    await db.suppression.deleteMany({ where: { domainId: null } });
  });

  it('subscribes again on the same page', async () => {
    const { path } = await sendNews();
    expect(await (await oneClick(path)).text()).toContain('Subscribe again');
    expect(await (await open(path)).text()).toContain('name="Subscribe"');
    await oneClick(path, 'Subscribe=One-Click');
    expect(await suppressions()).toEqual([]);
    expect(await (await open(path)).text()).toContain('name="List-Unsubscribe"');
    expect((await send()).status).toBe(200);
  });

  it.each(['kept', 'deleted'])(
    'records few changes a day, however often its page is used, of a message that is %s',
    async (message) => {
      const { path, messageId } = await sendNews();
      const { id } = await db.message.findFirstOrThrow({ where: { messageId } });
      const trace = () =>
        db.messageEvent.count({ where: { messageId: id, type: { in: ['unsubscribed', 'resubscribed'] } } });
      if (message === 'deleted') await db.message.delete({ where: { id } });
      for (let round = 0; round < 8; round++) {
        await oneClick(path);
        await oneClick(path);
        expect(await suppressions()).toHaveLength(1);
        await oneClick(path, 'Subscribe=One-Click');
        expect(await suppressions()).toEqual([]);
      }
      expect(await events()).toHaveLength(3);
      expect(await trace()).toBe(message === 'kept' ? 6 : 0);
      const other = await sendNews({ to: [{ email: 'bo@far.example' }] });
      await oneClick(other.path);
      expect(await events()).toHaveLength(4);
    },
  );

  it('is valid after the message was deleted, and not in another form', async () => {
    const { path } = await sendNews();
    await db.message.deleteMany({ where: { domainId: domain.id } });
    expect((await oneClick(path)).status).toBe(200);
    expect(await suppressions()).toMatchObject([{ sourceMessageId: null }]);
    expect(await events()).toHaveLength(1);
    const altered = path.replace(/(?<=.{40})./, (one) => (one === 'A' ? 'B' : 'A'));
    for (const bad of ['/unsubscribe/x', altered, path.slice(0, -20)])
      expect((await oneClick(bad)).status, bad).toBe(404);
    await db.domain.delete({ where: { id: domain.id } });
    expect((await open(path)).status).toBe(404);
  });

  it('shows a page in the recipient’s language, without markup from the address', async () => {
    const { path } = await sendNews({ to: [{ email: "a&b'c@far.example" }] });
    const page = await open(path, { headers: { 'Accept-Language': 'de-AT,de;q=0.9,en;q=0.8' } });
    const text = await page.text();
    expect(text).toContain('<html lang="de">');
    expect(text).toContain('Abmelden');
    expect(text).toContain('a&#38;b&#39;c@far.example');
  });
});

it.each([
  [null, 'en'],
  ['fr', 'en'],
  ['de', 'de'],
  ['fr, de;q=0.5, en;q=0.2', 'de'],
  ['de;q=0, en', 'en'],
  ['en-GB,en;q=0.9,de;q=0.8', 'en'],
  [';;,=,de;q=x', 'en'],
  ['constructor', 'en'],
  ['__proto__, toString;q=0.5, de;q=0.1', 'de'],
])('the language for %j is %s', (header, language) => {
  expect(preferredLanguage(header)).toBe(language);
});

describe('mail to unsubscribe', () => {
  const subjectOf = (field: string) => /subject=([\w-]+)/.exec(field)?.[1] ?? '';
  const mail = (subject: string) => `From: x@far.example\r\nSubject: ${subject}\r\n\r\n\r\n`;
  const dropped = async () =>
    (await api.get(`/unread-bounces?domain_id=${domain.id}`)).data.dropped.map(
      ({ reason }: { reason: string }) => reason,
    );

  it('does so by the token in its subject, from any address', async () => {
    const { field } = await sendNews({ unsubscribe: { list: 'newsletter', mailto: true } });
    await sendRaw(mail(subjectOf(field)), `Unsubscribe-Requests@${domain.name}`, 'ann@elsewhere.example');
    expect(await suppressions()).toMatchObject([{ email: 'ann@far.example', list: 'newsletter' }]);
    expect(await events()).toHaveLength(1);
    expect(await dropped()).toEqual([]);
  });

  it('without a valid token changes nothing, and is counted', async () => {
    await sendRaw(mail('unsubscribe me'), `unsubscribe-requests@${domain.name}`);
    expect(await suppressions()).toEqual([]);
    expect(await dropped()).toEqual(['no_message']);
  });
});

it('a token has nothing readable, and belongs to this purpose', () => {
  const subscription = { messageId: '<1@shop.example>', email: 'ann@far.example', list: 'news' };
  const token = unsubscribeToken(subscription);
  expect(subscriptionOf(token)).toEqual(subscription);
  expect(Buffer.from(token, 'base64url').toString('latin1')).not.toContain('ann');
  expect(unsubscribeToken(subscription)).not.toBe(token);
  expect(subscriptionOf('')).toBeNull();
});
