import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { uuidv7 } from '@/lib/uuid';
import { makeContentStore } from '@/test/content-store';
import { db } from '@/test/database';
import { makeDomain } from '@/test/factories';
import { client, expectError, keyClient } from '@/test/rest';
import { startScriptedMta } from '@/test/servers/scripted-mta';
import { contentSettled } from './keeping/keep';

const storeFolder = await makeContentStore();

const mta = await startScriptedMta();

afterAll(() => mta.server.close());

const domain = await makeDomain();
const api = await keyClient({ role: 'domain_admin', domainIds: [domain.id] });

function outgoing(over: object = {}) {
  return {
    from: { email: `shop@${domain.name}` },
    to: [{ email: 'ann@far.example' }],
    subject: 'Grüße',
    text_body: 'Hi Ann',
    ...over,
  };
}

/** Sends a message and waits until its content is stored. @returns the id of its row */
async function send(over: object = {}): Promise<string> {
  const { data } = await api.post('/send', outgoing(over));
  await contentSettled();
  return (await db.message.findFirstOrThrow({ where: { messageId: data.message_id } })).id;
}

async function objectFile(messageId: string): Promise<string> {
  const { objectName } = await db.messageContent.findUniqueOrThrow({ where: { messageId } });
  return path.join(storeFolder, objectName as string);
}

async function unavailable(id: string): Promise<string> {
  const answers = await Promise.all(['content', 'attachments/0'].map((part) => api.get(`/messages/${id}/${part}`)));
  const raw = await api.call('GET', `/messages/${id}/raw`);
  const reasons = [...answers, raw].map(
    (answer) => expectError(answer, 404, 'CONTENT_UNAVAILABLE').error.details.reason,
  );
  expect(new Set(reasons).size).toBe(1);
  return reasons[0] as string;
}

describe('the content of a sent message', () => {
  it('is kept, and says how large it is and until when', async () => {
    const id = await send();
    const { content, size, created_at: at } = (await api.get(`/messages/${id}`)).data;
    const expiresAt = new Date(Date.parse(at) + 7 * 24 * 3_600_000).getTime();
    expect(content).toMatchObject({ state: 'kept', reason: null, size });
    expect(Math.abs(Date.parse(content.expires_at) - expiresAt)).toBeLessThan(60_000);
  });

  it('is downloaded as it went to the mail server, under its subject, with an audit entry', async () => {
    const id = await send();
    const response = await api.download(`/messages/${id}/raw`);
    expect(response.headers.get('content-type')).toBe('message/rfc822');
    expect(response.headers.get('content-disposition')).toBe(
      `attachment; filename="Gr__e.eml"; filename*=UTF-8''Gr%C3%BC%C3%9Fe.eml`,
    );
    expect(await response.text()).toBe(mta.server.messages.at(-1));
    const entry = await db.auditEntry.findFirstOrThrow({
      where: { resource: `message:${id}`, action: 'message.download' },
    });
    expect(entry).toMatchObject({ adminId: api.admin.id, domainId: domain.id, outcome: 'success' });
  });

  it('is in the store encrypted and compressed, under a name that cannot be guessed', async () => {
    const id = await send({ text_body: 'secret word '.repeat(2_000) });
    const file = await objectFile(id);
    const stored = await readFile(file);
    expect(stored.byteLength).toBeLessThan(2_000);
    expect(stored.includes('secret word')).toBe(false);
    expect(path.relative(storeFolder, file)).toMatch(/^\d{4}-\d\d-\d\d\/\d\d\/[0-9a-f]{48}$/);
  });

  it('has its text, its headers decoded and in order, and its attachments', async () => {
    const pdf = { filename: 'Rechnung für Ann.pdf', content_type: 'application/pdf', content: btoa('%PDF-1.7') };
    const page = { filename: 'page.html', content_type: 'text/html', content: btoa('<script>alert(1)</script>') };
    const id = await send({ html_body: '<p>Hi <b>Ann</b></p>', attachments: [pdf, page] });
    const { data } = await api.get(`/messages/${id}/content`);
    expect(data).toMatchObject({ text: expect.stringContaining('Hi Ann'), truncated: false, blocked_images: 0 });
    expect(data.html).toContain('<p>Hi <b>Ann</b></p>');
    expect(data.headers.slice(0, 3).map(({ name }: { name: string }) => name)).toEqual(['From', 'To', 'Subject']);
    expect(data.headers).toContainEqual({ name: 'Subject', value: 'Grüße' });
    const file = { inline: false, content_id: null, disposition: 'attachment' };
    expect(data.attachments).toEqual([
      { index: 0, filename: 'Rechnung für Ann.pdf', content_type: 'application/pdf', size: 8, ...file },
      { index: 1, filename: 'page.html', content_type: 'text/html', size: 25, ...file },
    ]);
  });

  it('shows an image that the HTML refers to by its content_id', async () => {
    const logo = { filename: 'logo.png', content_type: 'image/png', content: btoa('\x89PNG'), content_id: 'logo' };
    const id = await send({ html_body: '<img src="cid:logo">', attachments: [logo] });
    const { data } = await api.get(`/messages/${id}/content`);
    expect(data.html).toContain(`src="data:image/png;base64,${btoa('\x89PNG')}"`);
    expect(data.attachments).toEqual([
      {
        index: 0,
        filename: 'logo.png',
        content_type: 'image/png',
        size: 4,
        inline: true,
        content_id: 'logo',
        disposition: 'inline',
      },
    ]);
  });

  it('gives its attachments as downloads, and none as a type that a browser runs', async () => {
    const pdf = { filename: 'a.pdf', content_type: 'application/pdf', content: btoa('%PDF-1.7') };
    const types = ['text/html', 'image/svg+xml', 'application/xhtml+xml', 'text/javascript'];
    const pages = types.map((type) => ({ filename: 'x', content_type: type, content: btoa('<x/>') }));
    const id = await send({ attachments: [pdf, ...pages] });
    const first = await api.download(`/messages/${id}/attachments/0`);
    expect(first.headers.get('content-type')).toBe('application/pdf');
    expect(first.headers.get('content-disposition')).toBe('attachment; filename="a.pdf"');
    expect(await first.text()).toBe('%PDF-1.7');
    for (const index of [1, 2, 3, 4]) {
      const { headers } = await api.download(`/messages/${id}/attachments/${index}`);
      expect(headers.get('content-type')).toBe('application/octet-stream');
      expect(headers.get('content-disposition')).toMatch(/^attachment/);
    }
    expectError(await api.get(`/messages/${id}/attachments/5`), 404, 'NOT_FOUND');
    expectError(await api.get(`/messages/${id}/attachments/x`), 400, 'VALIDATION_ERROR');
  });

  it('is kept of a message that the mail server refused', async () => {
    mta.state.script = (point) => (point === 'DOT' ? { say: '554 5.7.1 No\r\n' } : undefined);
    const { error } = await api.post('/send', outgoing());
    mta.state.script = () => undefined;
    await contentSettled();
    expect((await api.get(`/messages/${error.details.id}/content`)).data.text).toContain('Hi Ann');
  });

  it('is kept of a message that is stored in a thread', async () => {
    const noise = Array.from({ length: 60_000 }, (_, index) => index.toString(36)).join(' ');
    const id = await send({ text_body: noise });
    const content = (await api.get(`/messages/${id}/content`)).data;
    expect(content.text.replaceAll(/\s+/g, ' ').trim()).toBe(noise);
    expect(await (await api.download(`/messages/${id}/raw`)).text()).toBe(mta.server.messages.at(-1));
  });

  it('does not exist for those without access to its domain', async () => {
    const id = await send();
    const other = await makeDomain();
    const strangers = [
      await keyClient({ role: 'domain_admin', domainIds: [other.id] }),
      await keyClient({ role: 'super_admin', scopedDomainIds: [other.id] }),
    ];
    for (const stranger of strangers) {
      for (const part of ['content', 'raw', 'attachments/0']) {
        expectError(await stranger.get(`/messages/${id}/${part}`), 404, 'NOT_FOUND');
      }
      expectError(await stranger.post(`/messages/${id}/resend`), 404, 'NOT_FOUND');
    }
    expectError(await client().get(`/messages/${id}/raw`), 401, 'AUTH_REQUIRED');
    const scoped = await keyClient({ role: 'super_admin', scopedDomainIds: [domain.id] });
    expect((await scoped.get(`/messages/${id}/content`)).status).toBe(200);
  });
});

describe('content that can’t be read', () => {
  it.each([
    ['truncated', (stored: Buffer) => stored.subarray(0, stored.byteLength - 10)],
    ['altered', (stored: Buffer) => stored.map((byte, index) => (index === 30 ? byte ^ 1 : byte))],
    ['empty', (stored: Buffer) => stored.subarray(0, 4)],
  ])('says so when the object is %s', async (_, change) => {
    const id = await send();
    const file = await objectFile(id);
    await writeFile(file, change(await readFile(file)));
    expect(await unavailable(id)).toBe('damaged');
  });

  it('says so when the object belongs to another message', async () => {
    const [id, other] = [await send(), await send()];
    await writeFile(await objectFile(id), await readFile(await objectFile(other)));
    expect(await unavailable(id)).toBe('damaged');
  });

  it('says so when it was encrypted with a key that is no longer known', async () => {
    const id = await send();
    const file = await objectFile(id);
    const stored = await readFile(file);
    await writeFile(file, stored.fill(0, 0, 4));
    expect(await unavailable(id)).toBe('wrong_key');
  });

  it('says so when the object was deleted', async () => {
    const id = await send();
    await rm(await objectFile(id));
    expect(await unavailable(id)).toBe('lost');
  });

  it('says so when it is in another store', async () => {
    const id = await send();
    const storeId = '01a1f000-0000-7000-8000-000000000000';
    await db.messageContent.update({ where: { messageId: id }, data: { storeId } });
    expect(await unavailable(id)).toBe('other_store');
  });

  it('expires after MESSAGE_CONTENT_DAYS, before it is deleted too', async () => {
    const id = await send();
    const storedAt = new Date(Date.now() - 8 * 24 * 3_600_000);
    await db.messageContent.update({ where: { messageId: id }, data: { storedAt } });
    expect((await api.get(`/messages/${id}`)).data.content).toMatchObject({
      state: 'expired',
      message: 'Message content is deleted after 7 days.',
    });
    expectError(await api.get(`/messages/${id}/content`), 404, 'CONTENT_UNAVAILABLE');
  });

  it('was never stored if there is no trace of it, except for a moment', async () => {
    const id = await send();
    await db.messageContent.delete({ where: { messageId: id } });
    expect((await api.get(`/messages/${id}`)).data.content).toMatchObject({ state: 'pending', reason: null });
    await db.message.update({ where: { id }, data: { createdAt: new Date(Date.now() - 3_600_000) } });
    expect((await api.get(`/messages/${id}`)).data.content).toMatchObject({ state: 'not_kept', reason: 'not_stored' });
    await db.messageEvent.create({ data: { id: uuidv7(), messageId: id, type: 'queued', detail: { source: 'smtp' } } });
    expect((await api.get(`/messages/${id}`)).data.content).toMatchObject({ reason: 'submitted_by_smtp' });
    expect(await unavailable(id)).toBe('submitted_by_smtp');
  });
});
