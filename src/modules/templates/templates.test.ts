import { beforeEach, describe, expect, it } from 'vitest';
import { isForeignKeyViolation } from '@/server/database/db';
import { db } from '@/test/database';
import { makeDomain } from '@/test/factories';
import { expectError, keyClient } from '@/test/rest';

let api: Awaited<ReturnType<typeof keyClient>>;
let domain: { id: string; name: string };

beforeEach(async () => {
  api = await keyClient({ role: 'admin' });
  domain = await makeDomain();
});

const ORDER = {
  name: 'order',
  subject: 'Order {{ number }}',
  html_body: '<p>Hi {{ name }}</p>',
  variables: [
    { name: 'number', type: 'number' },
    { name: 'name', type: 'string', required: false, default: 'you' },
  ],
  sample_data: { number: 7 },
};

const create = (over: object = {}, as = api) => as.post('/templates', { domain_id: domain.id, ...ORDER, ...over });

async function made(over: object = {}) {
  const { status, data } = await create(over);
  expect(status).toBe(201);
  return data as { id: string; name: string };
}

describe('a template', () => {
  it('is created as a draft, read, changed and audited without its text', async () => {
    const created = await create();
    expect(created.status).toBe(201);
    expect(created.data).toEqual({
      id: expect.any(String),
      domain_id: domain.id,
      domain: domain.name,
      ...ORDER,
      text_body: null,
      variables: [
        { name: 'number', type: 'number', required: true },
        { name: 'name', type: 'string', required: false, default: 'you' },
      ],
      published_version: null,
      published_at: null,
      has_changes: true,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    const path = `/templates/${created.data.id}`;
    expect((await api.get(path)).data).toEqual(created.data);
    const changed = await api.patch(path, { text_body: 'Hi {{ name }}', name: 'order-2' });
    expect(changed.data).toMatchObject({ text_body: 'Hi {{ name }}', name: 'order-2', subject: ORDER.subject });
    const entries = await db.auditEntry.findMany({
      where: { resource: `template:${created.data.id}` },
      orderBy: { createdAt: 'asc' },
    });
    expect(entries.map(({ action }) => action)).toEqual(['template.create', 'template.update']);
    expect(JSON.stringify(entries[1]?.details)).not.toContain('<p>');
    expect(JSON.stringify(entries)).not.toContain('"you"');
    expect(entries[1]?.details).toMatchObject({
      before: { name: 'order', text_bytes: null },
      after: { text_bytes: 13 },
    });
  });

  it('has a name of its own in its domain: 409, also at once', async () => {
    const answers = await Promise.all([create(), create(), create()]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    const other = await made({ name: 'other' });
    expectError(await api.patch(`/templates/${other.id}`, { name: 'order' }), 409, 'CONFLICT');
    const elsewhere = await makeDomain();
    expect((await create({ domain_id: elsewhere.id })).status).toBe(201);
  });

  it.each([
    ['name', { name: 'Order' }],
    ['name', { name: '019ac000-0000-7000-8000-000000000000' }],
    ['subject', { subject: 'a\r\nBcc: x@y.example' }],
    ['subject', { subject: 'Hi {{ number' }],
    ['html_body', { html_body: '{{ number }}\n{{ nmae }}' }],
    ['html_body', { html_body: '{% render "x" %}' }],
    ['text_body', { text_body: '{{ number | nope }}' }],
    ['variables.0.name', { variables: [{ name: '1x', type: 'string' }] }],
    ['variables.0.name', { variables: [{ name: 'forloop', type: 'string' }] }],
    ['variables.0.name', { variables: [{ name: '__proto__', type: 'string' }] }],
    [
      'variables.1.name',
      {
        variables: [
          { name: 'number', type: 'string' },
          { name: 'number', type: 'date' },
        ],
      },
    ],
    ['variables.0.default', { variables: [{ name: 'number', type: 'string', default: 'x' }] }],
    ['variables.0.default', { variables: [{ name: 'number', type: 'number', required: false, default: 'x' }] }],
    ['variables.0.default', { variables: [{ name: 'd', type: 'date', required: false, default: '2026-12-02T09:30' }] }],
    ['variables.0.type', { variables: [{ name: 'number', type: 'money' }] }],
    ['sample_data', { sample_data: { a: 'x'.repeat(300_000) } }],
    ['variables', { variables: [{ name: 'number', type: 'string', required: false, default: 'x'.repeat(65_536) }] }],
    ['variables.0.default', { variables: [{ name: 'a', type: 'object', required: false, default: { 'b\0': 1 } }] }],
    ['variables.0.default', { variables: [{ name: 'a', type: 'list', required: false, default: ['\ud800'] }] }],
  ])('rejects %s in %j', async (path, over) => {
    const answer = await create(over);
    expect(answer.status).toBe(400);
    expect(answer.error.details.fields?.[0]?.path).toBe(path);
  });

  it('rejects a default with a number that JSON has and Postgres doesn’t', async () => {
    const body = {
      domain_id: domain.id,
      ...ORDER,
      variables: [{ name: 'a', type: 'object', required: false, default: { b: 7 } }],
    };
    const rawBody = JSON.stringify(body).replace('{"b":7}', '{"b":1e999}');
    const { error } = await api.call('POST', '/templates', {
      rawBody,
      headers: { 'content-type': 'application/json' },
    });
    expect(error.details.fields).toMatchObject([{ path: 'variables.0.default' }]);
  });

  it('says line and column of what is wrong', async () => {
    const { error } = await create({ html_body: '<p>\n  {{ nmae }}</p>' });
    expect(error.details.fields).toEqual([
      { path: 'html_body', message: 'Line 2, column 6: The variable nmae is not declared.' },
    ]);
  });

  it('is listed, filtered and exported without its text', async () => {
    const one = await made();
    await made({ name: 'welcome' });
    await api.post(`/templates/${one.id}/publish`, {});
    const list = async (query: string) =>
      (await api.get(`/templates?domain_id=${domain.id}${query}`)).data.map(({ name }: { name: string }) => name);
    expect(await list('&order=asc')).toEqual(['order', 'welcome']);
    expect(await list('&q=WEL')).toEqual(['welcome']);
    expect(await list('&name=welcome')).toEqual(['welcome']);
    expect(await list('&name=welcome&q=order')).toEqual([]);
    expect(await list('&name=wel')).toEqual([]);
    expect(await list('&published=true')).toEqual(['order']);
    expect(await list('&published=false')).toEqual(['welcome']);
    const { data } = await api.get(`/templates?domain_id=${domain.id}`);
    expect(data[0]).not.toHaveProperty('html_body');
  });

  it('is the domain’s: who has no access to it finds none', async () => {
    const template = await made();
    const other = await makeDomain();
    const scoped = await keyClient({ role: 'admin', scopedDomainIds: [other.id] });
    expectError(await scoped.get(`/templates/${template.id}`), 404, 'NOT_FOUND');
    expectError(await scoped.post(`/templates/${template.id}/publish`, {}), 404, 'NOT_FOUND');
    expectError(await scoped.post(`/templates/${template.id}/preview`, {}), 404, 'NOT_FOUND');
    expectError(await create({ name: 'mine' }, scoped), 403, 'API_KEY_DOMAIN_SCOPE');
    const sender = await keyClient({ role: 'admin', permissions: ['send'] });
    expectError(await sender.patch(`/templates/${template.id}`, { subject: 'x' }), 403, 'FORBIDDEN');
    const reader = await keyClient({ role: 'admin', permissions: ['read'] });
    expect((await reader.post(`/templates/${template.id}/preview`, {})).status).toBe(200);
    expectError(await reader.post(`/templates/${template.id}/publish`, {}), 403, 'FORBIDDEN');
  });

  it('is at most one of 500 in its domain', async () => {
    const row = { domainId: domain.id, subject: 'x', digest: 'x' };
    await db.template.createMany({ data: Array.from({ length: 499 }, (_, n) => ({ ...row, name: `t${n}` })) });
    const answers = await Promise.all([create({ name: 'a' }), create({ name: 'b' })]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
  });
});

describe('a preview', () => {
  it('renders the draft, a version, and fields that are not saved, and saves nothing', async () => {
    const { id } = await made();
    const preview = (body: object = {}) => api.post(`/templates/${id}/preview`, body);
    const first = await preview();
    expect(first.data).toEqual({ subject: 'Order 7', html_body: '<p>Hi you</p>', text_body: 'Hi you' });
    await api.post(`/templates/${id}/publish`, {});
    await api.patch(`/templates/${id}`, { subject: 'Changed' });
    expect((await preview()).data.subject).toBe('Changed');
    expect((await preview({ version: 1 })).data.subject).toBe('Order 7');
    const own = { subject: '{{ who }}', variables: [{ name: 'who', type: 'string' }], html_body: null, text_body: 'T' };
    expect((await preview({ ...own, sample_data: { who: '<Ann>' } })).data).toEqual({
      subject: '<Ann>',
      html_body: null,
      text_body: 'T',
    });
    expect((await api.get(`/templates/${id}`)).data.subject).toBe('Changed');
    expect(await db.auditEntry.count({ where: { resource: `template:${id}` } })).toBe(3);
  });

  it('names sample values that are missing or have another type', async () => {
    const { id } = await made();
    const { error } = await api.post(`/templates/${id}/preview`, { sample_data: { number: '7', name: 7 } });
    expect(error.details.fields).toEqual([
      { path: 'sample_data.number', message: 'Enter a number.' },
      { path: 'sample_data.name', message: 'Enter a text.' },
    ]);
    const missing = await api.post(`/templates/${id}/preview`, { sample_data: {} });
    expect(missing.error.details.fields).toEqual([
      { path: 'sample_data.number', message: 'This variable is required.' },
    ]);
  });
});

describe('a deleted template', () => {
  it('is kept for 30 days with its versions, and comes back with them', async () => {
    const { id } = await made();
    await api.post(`/templates/${id}/publish`, {});
    const before = (await api.get(`/templates/${id}`)).data;
    await api.delete(`/templates/${id}`);
    expectError(await api.get(`/templates/${id}`), 404, 'NOT_FOUND');
    expect((await api.get('/deleted-records?kind=template')).data[0]).toMatchObject({
      id,
      kind: 'template',
      name: 'order',
    });
    expect((await api.post(`/deleted-records/${id}/restore`)).status).toBe(200);
    expect((await api.get(`/templates/${id}`)).data).toEqual(before);
    expect((await api.get(`/templates/${id}/versions`)).data).toHaveLength(1);
  });

  it('does not come back over one that has its name', async () => {
    const { id } = await made();
    await api.delete(`/templates/${id}`);
    await made();
    expectError(await api.post(`/deleted-records/${id}/restore`), 409, 'CONFLICT');
  });

  it('is forgotten, the oldest first, while those of its domain take more than 50 MB', async () => {
    const ids: string[] = [];
    for (const bytes of [20_000_000, 20_000_000, 15_000_000, 1_000]) {
      const { id } = await made();
      await api.delete(`/templates/${id}`);
      ids.push(id);
      // Random, so that it isn't compressed to less.
      await db.$executeRaw`
        UPDATE deleted_row
           SET "row" = (SELECT to_jsonb(string_agg(encode(sha256(random()::text::bytea), 'base64'), ''))
                          FROM generate_series(1, ${bytes}::int / 44 + 1))
         WHERE record_id = ${id}::uuid AND position = 1`;
    }
    const { data } = await api.get('/deleted-records?kind=template');
    const kept = data.map(({ id }: { id: string }) => id).filter((id: string) => ids.includes(id));
    expect(kept).toEqual(ids.slice(1).toReversed());
    const entry = await db.auditEntry.findFirstOrThrow({
      where: { resource: `template:${ids[3]}`, action: 'template.delete' },
    });
    expect(entry.details).toMatchObject({ forgotten_records: 1 });

    // Another instance, whose clock is ahead, deleted the others.
    const deletedAt = new Date(Date.now() + 60_000);
    await db.deletedRecord.updateMany({ where: { id: { in: ids } }, data: { deletedAt } });
    await db.$executeRaw`
      INSERT INTO deleted_row (record_id, position, "table", "row")
      SELECT ${ids[3]}::uuid, 1000 + position, "table", "row" FROM deleted_row WHERE record_id = ${ids[1]}::uuid`;
    const { id } = await made();
    await api.delete(`/templates/${id}`);
    expect((await api.get('/deleted-records?kind=template')).data.map((each: { id: string }) => each.id)).toContain(id);
  });

  it('comes back with its domain', async () => {
    const { id } = await made();
    await api.post(`/templates/${id}/publish`, {});
    const unaware = db.domain.delete({ where: { id: domain.id } });
    await expect(unaware, 'an earlier version keeps no templates').rejects.toSatisfy(isForeignKeyViolation);
    expect((await api.delete(`/domains/${domain.id}`)).status).toBe(200);
    expect(await db.template.count({ where: { id } })).toBe(0);
    expect((await api.post(`/deleted-records/${domain.id}/restore`)).status).toBe(200);
    expect((await api.get(`/templates/${id}`)).data.published_version).toBe(1);
  });
});
