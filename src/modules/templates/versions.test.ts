import { describe, expect, it } from 'vitest';
import { db } from '@/test/database';
import { makeDomain } from '@/test/factories';
import { expectError, keyClient } from '@/test/rest';

const api = await keyClient({ role: 'admin' });

const ORDER = {
  subject: 'Order {{ number }}',
  html_body: '<p>Hi {{ name }}</p>',
  variables: [
    { name: 'number', type: 'number' },
    { name: 'name', type: 'string', required: false, default: 'you' },
  ],
};

async function made(over: object = {}): Promise<{ id: string }> {
  const { id: domain_id } = await makeDomain();
  return (await api.post('/templates', { domain_id, name: 'order', ...ORDER, ...over })).data;
}

describe('versions', () => {
  it('are published from the draft, go back and stay as they were', async () => {
    const { id } = await made();
    const path = `/templates/${id}`;
    const first = await api.post(`${path}/publish`, {});
    expect(first.data).toMatchObject({ published_version: 1, has_changes: false });
    expectError(await api.post(`${path}/publish`, {}), 409, 'CONFLICT');
    expect((await api.patch(path, { subject: 'New {{ number }}' })).data).toMatchObject({
      published_version: 1,
      has_changes: true,
    });
    expect((await api.post(`${path}/publish`, {})).data).toMatchObject({ published_version: 2, has_changes: false });
    const back = await api.post(`${path}/publish`, { version: 1 });
    expect(back.data).toMatchObject({ published_version: 1, subject: 'New {{ number }}', has_changes: true });
    const { data: versions } = await api.get(`${path}/versions`);
    expect(versions).toMatchObject([
      { number: 2, subject: 'New {{ number }}', is_published: false },
      { number: 1, subject: ORDER.subject, is_published: true },
    ]);
    expect((await api.get(`${path}/versions/1`)).data).toMatchObject({
      number: 1,
      html_body: ORDER.html_body,
      text_body: null,
      variables: [{ name: 'number' }, { name: 'name' }],
    });
    expectError(await api.get(`${path}/versions/3`), 404, 'NOT_FOUND');
    expectError(await api.post(`${path}/publish`, { version: 3 }), 404, 'NOT_FOUND');
  });

  it('differ from the draft by what they say, and not by the order of its fields', async () => {
    const variables = [{ required: false, default: { b: 1, a: { d: 2, c: 3 } }, type: 'object', name: 'number' }];
    const { id } = await made({ variables, html_body: 'x' });
    await api.post(`/templates/${id}/publish`, {});
    const same = [{ name: 'number', type: 'object', default: { a: { c: 3, d: 2 }, b: 1 }, required: false }];
    expect((await api.patch(`/templates/${id}`, { variables: same })).data.has_changes).toBe(false);
    expect((await api.patch(`/templates/${id}`, { subject: 'y' })).data.has_changes).toBe(true);
  });

  it('need a text', async () => {
    const { id } = await made({ html_body: null });
    expectError(await api.post(`/templates/${id}/publish`, {}), 409, 'CONFLICT');
  });

  it('must be valid when they are published, whatever was valid when the draft was stored', async () => {
    const { id } = await made();
    await db.template.update({ where: { id }, data: { htmlBody: '<p>{{ unknown }}</p>' } });
    expectError(await api.post(`/templates/${id}/publish`, {}), 400, 'VALIDATION_ERROR');
    expect(await db.templateVersion.count({ where: { templateId: id } })).toBe(0);
  });

  it('have one number each, also at once', async () => {
    const { id } = await made();
    const answers = await Promise.all(Array.from({ length: 4 }, () => api.post(`/templates/${id}/publish`, {})));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    expect(await db.templateVersion.count({ where: { templateId: id } })).toBe(1);
  });

  it('are kept up to 50, and the published one', async () => {
    const { id } = await made();
    await api.post(`/templates/${id}/publish`, {});
    const row = await db.templateVersion.findFirstOrThrow({ where: { templateId: id } });
    const { id: _, ...version } = row;
    await db.templateVersion.createMany({
      data: Array.from({ length: 55 }, (_, n) => ({ ...version, variables: [], number: n + 2 })),
    });
    await api.post(`/templates/${id}/publish`, { version: 1 });
    const { data } = await api.get(`/templates/${id}/versions`);
    expect(data).toHaveLength(51);
    expect(data.at(-1)).toMatchObject({ number: 1, is_published: true });
    expect(data[0]).toMatchObject({ number: 56 });
  });

  it('are kept up to 4 MB, the newest and the published one', async () => {
    const { id } = await made();
    await api.post(`/templates/${id}/publish`, {});
    const { id: _, ...version } = await db.templateVersion.findFirstOrThrow({ where: { templateId: id } });
    const htmlBody = 'x'.repeat(256 * 1024);
    await db.templateVersion.createMany({
      data: Array.from({ length: 20 }, (_, n) => ({ ...version, variables: [], htmlBody, number: n + 2 })),
    });
    await api.post(`/templates/${id}/publish`, { version: 1 });
    const { data } = await api.get(`/templates/${id}/versions`);
    expect(data.map(({ number }: { number: number }) => number)).toEqual([
      21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 1,
    ]);
  });
});
