import { afterAll, beforeEach, expect, it } from 'vitest';
import { db } from '@/test/database';
import { makeDomain } from '@/test/factories';
import { expectError, keyClient } from '@/test/rest';
import { startScriptedMta } from '@/test/servers/scripted-mta';

const mta = await startScriptedMta();
const domain = await makeDomain();
const api = await keyClient({ role: 'admin' });

const { data: template } = await api.post('/templates', {
  domain_id: domain.id,
  name: 'order',
  subject: 'Order {{ number }} for {{ name }}',
  html_body: '<p>Hi {{ name }}: {% for item in items %}[{{ item.title }}]{% endfor %}</p>',
  variables: [
    { name: 'number', type: 'number' },
    { name: 'name', type: 'string', required: false, default: 'you' },
    { name: 'items', type: 'list', required: false },
    { name: 'day', type: 'date', required: false },
  ],
});
await api.post(`/templates/${template.id}/publish`, {});

beforeEach(() => {
  mta.state.script = () => undefined;
  mta.server.messages.length = 0;
});

afterAll(() => mta.server.close());

function message(over: object = {}) {
  return {
    from: { email: `shop@${domain.name}` },
    to: [{ email: 'ann@far.example' }],
    template: { id: 'order', variables: { number: 7 } },
    ...over,
  };
}

const using = (variables: object, over: object = {}) => message({ template: { id: 'order', variables }, ...over });

async function newest() {
  const { data } = await api.get(`/messages?domain_id=${domain.id}&limit=1`);
  return (await api.get(`/messages/${data[0].id}`)).data;
}

it('sends what the published version makes, escaped in HTML only, and records the version', async () => {
  const items = [{ title: 'A & B' }, { title: '<i>' }];
  const answer = await api.post('/send', using({ number: 7, name: 'Ann <a@b>', items, unknown: 1 }));
  expect(answer.data).toEqual({ id: expect.any(String), message_id: expect.any(String) });
  const [raw = ''] = mta.server.messages;
  expect(raw).toContain('\r\nSubject: Order 7 for Ann <a@b>\r\n');
  expect(raw).toContain('<p>Hi Ann &lt;a@b&gt;: [A &amp; B][&lt;i&gt;]</p>');
  expect(raw).toContain('\r\nHi Ann <a@b>: [A & B][<i>]\r\n');
  const shown = await newest();
  expect(shown).toMatchObject({
    subject: 'Order 7 for Ann <a@b>',
    template: { id: template.id, name: 'order', version: 1 },
  });
  const entry = await db.auditEntry.findFirst({ where: { resource: `message:${shown.id}` } });
  expect(entry?.details).toMatchObject({ template: { name: 'order', version: 1 } });
});

it('takes the ID as well, and a subject instead of the template’s', async () => {
  const used = { id: template.id, variables: { number: 8 } };
  expect((await api.post('/send', message({ template: used, subject: 'Mine' }))).status).toBe(200);
  expect(mta.server.messages[0]).toContain('\r\nSubject: Mine\r\n');
});

it('lets no subject of the template fail beside one of the request', async () => {
  const used = { id: 'order', variables: { number: 8, name: 'a\nb' } };
  expectError(await api.post('/send', message({ template: used })), 400, 'VALIDATION_ERROR');
  expect((await api.post('/send', message({ template: used, subject: 'Mine' }))).status).toBe(200);
  expect(mta.server.messages[0]).toContain('\r\nSubject: Mine\r\n');
});

it('sends no message without any text, unless it has an attachment, and names the part with a NUL', async () => {
  const { data: own } = await api.post('/templates', {
    domain_id: domain.id,
    name: 'bare',
    subject: 'x',
    html_body: '{% if full %}<p>Hi</p>{% endif %}',
    text_body: '{{ code | url_decode }}{% if full %}Hi{% endif %} ',
    variables: ['full', 'code'].map((name) => ({ name, type: 'string', required: false })),
  });
  await api.post(`/templates/${own.id}/publish`, {});
  const bare = (variables: object, over: object = {}) => message({ template: { id: 'bare', variables }, ...over });
  const { error } = await api.post('/send', bare({}));
  expect(error.details.fields).toEqual([
    { path: 'template.html_body', message: 'The message is empty with these values.' },
  ]);
  expect((await api.post('/send', bare({ full: 'yes' }))).status).toBe(200);
  const attachments = [{ filename: 'a.txt', content_type: 'text/plain', content: 'QQ==' }];
  expect((await api.post('/send', bare({}, { attachments }))).status).toBe(200);
  const nul = await api.post('/send', bare({ code: '%00' }));
  expect(nul.error.details.fields).toMatchObject([{ path: 'template.text_body' }]);
  expect(mta.server.messages).toHaveLength(2);
});

it('leaves a message without a template as it was', async () => {
  await api.post('/send', message({ template: undefined, subject: 'Plain', text_body: 'Hi' }));
  expect(await newest()).not.toHaveProperty('template');
});

it.each([
  ['template.variables.number', { template: { id: 'order' } }],
  ['template.variables.number', { template: { id: 'order', variables: { number: '7' } } }],
  ['template.variables.number', { template: { id: 'order', variables: { number: null } } }],
  ['template.variables.items', { template: { id: 'order', variables: { number: 7, items: {} } } }],
  ['template.variables.day', { template: { id: 'order', variables: { number: 7, day: '2026-02-30' } } }],
  ['template.variables.day', { template: { id: 'order', variables: { number: 7, day: '2026-04-31T10:00:00Z' } } }],
  ['template.variables', { template: { id: 'order', variables: { number: 7, name: 'a\0' } } }],
  ['template.id', { template: { id: 'missing' } }],
  ['template.id', { template: { id: '019ac000-0000-7000-8000-000000000000' } }],
  ['template.id', { template: { id: 'a\0' } }],
  ['template.id', { template: { id: '\ud800' } }],
  ['template.id', { template: { id: 'x'.repeat(101) } }],
  ['template.surplus', { template: { id: 'order', surplus: 1 } }],
  ['html_body', { html_body: '<p>x</p>' }],
  ['text_body', { text_body: 'x' }],
  ['template.subject', { template: { id: 'order', variables: { number: 7, name: 'a\r\nBcc: eve@evil.example' } } }],
  ['template.subject', { template: { id: 'order', variables: { number: 7, name: 'x'.repeat(1000) } } }],
])('rejects %s in %j, and sends nothing', async (path, over) => {
  const answer = await api.post('/send', message(over));
  expect(answer.status).toBe(400);
  expect(answer.error.details.fields).toMatchObject([{ path }]);
  expect(mta.server.messages).toEqual([]);
});

it('sends with templates of the sender’s domain only, and names no others', async () => {
  const other = await makeDomain();
  const from = { email: `shop@${other.name}` };
  for (const id of ['order', template.id]) {
    const { error } = await api.post('/send', message({ from, template: { id, variables: { number: 7 } } }));
    expect(error.details.fields).toEqual([{ path: 'template.id', message: `${other.name} has no template ${id}.` }]);
  }
  const scoped = await keyClient({ role: 'admin', scopedDomainIds: [other.id] });
  expectError(await scoped.post('/send', message()), 403, 'API_KEY_DOMAIN_SCOPE');
  expectError(await api.post('/send', message({ from: { email: 'a@nowhere.example' } })), 403, 'DOMAIN_NOT_FOUND');
});

it('refuses a sender and an inactive domain before it renders', async () => {
  const sender = await keyClient({ role: 'admin', senders: [`only@${domain.name}`] });
  const used = { template: { id: 'order' } };
  expectError(await sender.post('/send', message(used)), 403, 'FORBIDDEN');
  const idle = await makeDomain({ active: false });
  const from = { email: `shop@${idle.name}` };
  expectError(await api.post('/send', message({ ...used, from })), 403, 'DOMAIN_INACTIVE');
});

it('sends with a key that can only send', async () => {
  const sender = await keyClient({ role: 'admin', permissions: ['send'], scopedDomainIds: [domain.id] });
  expect((await sender.post('/send', message())).status).toBe(200);
});

it('needs a published version', async () => {
  await api.post('/templates', { domain_id: domain.id, name: 'draft', subject: 'x', text_body: 'x' });
  const { error } = await api.post('/send', message({ template: { id: 'draft' } }));
  expect(error.details.fields?.[0]?.message).toBe('The template draft has no published version. Publish it first.');
});

it('renders each message of a batch, and fails those alone whose values don’t fit', async () => {
  const { data } = await api.post('/send/batch', {
    messages: [
      using({ number: 1 }),
      using({ number: 'x' }),
      message({ template: undefined, subject: 'Plain', text_body: 'P' }),
      using({ number: 2 }),
    ],
  });
  expect(data).toMatchObject({ total: 4, succeeded: 3, failed: 1 });
  expect(data.results[1]).toMatchObject({
    index: 1,
    code: 'VALIDATION_ERROR',
    error: 'template.variables.number: Enter a number.',
  });
  const subjects = mta.server.messages.map((raw) => /^Subject: (.*)$/m.exec(raw)?.[1]).sort();
  expect(subjects).toEqual(['Order 1 for you', 'Order 2 for you', 'Plain']);
});

it('answers a repeated call with the first response, whatever happened to the template', async () => {
  const { data: own } = await api.post('/templates', {
    domain_id: domain.id,
    name: 'once',
    subject: 'x',
    text_body: 'x',
  });
  await api.post(`/templates/${own.id}/publish`, {});
  const body = message({ template: { id: 'once' } });
  const first = await api.post('/send', body, { 'Idempotency-Key': 'template-1' });
  const batch = { messages: [body] };
  const firstBatch = await api.post('/send/batch', batch, { 'Idempotency-Key': 'template-2' });
  await api.delete(`/templates/${own.id}`);
  expect((await api.post('/send', body, { 'Idempotency-Key': 'template-1' })).data).toEqual(first.data);
  expect((await api.post('/send/batch', batch, { 'Idempotency-Key': 'template-2' })).data).toEqual(firstBatch.data);
  expectError(await api.post('/send', body), 400, 'VALIDATION_ERROR');
  expect(mta.server.messages).toHaveLength(2);
});

it('keeps the text of a scheduled message, and its template, when the template changes or goes', async () => {
  const { data: own } = await api.post('/templates', {
    domain_id: domain.id,
    name: 'later',
    subject: 'v1',
    text_body: 'one',
  });
  await api.post(`/templates/${own.id}/publish`, {});
  const send_at = new Date(Date.now() + 3_600_000).toISOString();
  const { status, data } = await api.post('/send', message({ template: { id: 'later' }, send_at }));
  expect(status).toBe(202);
  await api.patch(`/templates/${own.id}`, { subject: 'v2' });
  await api.post(`/templates/${own.id}/publish`, {});
  await api.delete(`/templates/${own.id}`);
  const shown = (await api.get(`/messages/${data.id}`)).data;
  expect(shown).toMatchObject({ subject: 'v1', template: { id: own.id, name: 'later', version: 1 } });
  expect((await api.get(`/messages/${data.id}/content`)).data.text.trim()).toBe('one');
});

it('sends a large message of a template and an attachment, composed in a thread', async () => {
  const content = Buffer.alloc(300_000, 7).toString('base64');
  const attachments = [{ filename: 'a.bin', content_type: 'application/octet-stream', content }];
  expect((await api.post('/send', message({ attachments }))).status).toBe(200);
  expect(mta.server.messages[0]?.length).toBeGreaterThan(400_000);
});

it('sends with a template that takes too long neither alone nor in a batch, and says so', async () => {
  const { data: slow } = await api.post('/templates', {
    domain_id: domain.id,
    name: 'slow',
    subject: 'x',
    text_body: '{% for i in (1..9999) %}{% for j in (1..9999) %}{{ i }}{% endfor %}{% endfor %}',
  });
  await api.post(`/templates/${slow.id}/publish`, {});
  const { error } = await api.post('/send', message({ template: { id: 'slow' } }));
  expect(error.details.fields).toMatchObject([
    { path: 'template.text_body', message: expect.stringContaining('Rendering takes longer than 500 ms.') },
  ]);
  const batch = { messages: [message({ template: { id: 'slow' } }), message()] };
  const { data } = await api.post('/send/batch', batch);
  expect(data).toMatchObject({ succeeded: 1, results: [{ code: 'VALIDATION_ERROR' }, { index: 1 }] });
  expect(mta.server.messages).toHaveLength(1);
});

it('fails the messages of a batch alone whose values take too long, and the rest after two in a row', async () => {
  const { data: own } = await api.post('/templates', {
    domain_id: domain.id,
    name: 'counted',
    subject: '{{ count }}',
    text_body: '{% for i in (1..count) %}{% for j in (1..9999) %}{{ j }}{% endfor %}{% endfor %}',
    variables: [{ name: 'count', type: 'number' }],
  });
  await api.post(`/templates/${own.id}/publish`, {});
  const send = async (...counts: number[]): Promise<boolean[]> => {
    const messages = counts.map((count) => message({ template: { id: 'counted', variables: { count } } }));
    const { data } = await api.post('/send/batch', { messages });
    return data.results.map(({ code }: { code?: string }) => code === undefined);
  };
  expect(await send(9999, 1, 9999, 1)).toEqual([false, true, false, true]);
  expect(await send(9999, 9999, 1, 1)).toEqual([false, false, false, false]);
});
