import { describe, expect, it } from 'vitest';
import { VIEW_PAGES } from '@/lib/saved-views';
import { db } from '@/test/database';
import { unique } from '@/test/factories';
import { expectError, keyClient, sessionClient } from '@/test/rest';

const PATH = '/auth/me/views';
const BOUNCES = { page: 'messages', name: 'Bounces', query: 'status=bounced' };

describe('saved views', () => {
  it('belong to their admin, in every session and with every key', async () => {
    const api = await sessionClient({ role: 'domain_admin' });
    const stranger = await keyClient();
    const { data, status } = await api.post(PATH, BOUNCES);
    expect({ status, data }).toMatchObject({ status: 201, data: BOUNCES });
    expect((await api.get(`${PATH}?page=messages`)).data).toEqual([data]);
    expect((await api.get(PATH)).data).toEqual([data]);
    expect((await api.get(`${PATH}?page=audit`)).data).toEqual([]);
    expect((await stranger.get(PATH)).data).toEqual([]);
    expectError(await stranger.patch(`${PATH}/${data.id}`, { query: 'status=sent' }), 404, 'NOT_FOUND');
    expectError(await stranger.delete(`${PATH}/${data.id}`), 404, 'NOT_FOUND');
    expect(await db.savedView.count({ where: { id: data.id, query: 'status=bounced' } })).toBe(1);
  });

  it('keep filters in one order, whatever the order of the parameters', async () => {
    const api = await keyClient();
    const query = 'order=asc&status=bounced&q=caf%C3%A9+%26+co&domain=';
    const { data } = await api.post(PATH, { ...BOUNCES, query });
    expect(data.query).toBe('q=caf%C3%A9+%26+co&status=bounced&order=asc');
  });

  it.each(['cursor=x', 'peek=x', 'status=bounced&edit=1', 'status=a&status=b', '', 'status='])(
    'refuse the parameters "%s"',
    async (query) => {
      const api = await keyClient();
      const { error } = expectError(await api.post(PATH, { ...BOUNCES, query }), 400, error400(query));
      expect(error.details.fields?.map(({ path }) => path)).toEqual(['query']);
      const { data } = await api.post(PATH, BOUNCES);
      const changed = await api.patch(`${PATH}/${data.id}`, { query });
      expectError(changed, 400, error400(query));
      expect(changed.error.details.fields?.map(({ path }) => path)).toEqual(['query']);
    },
  );

  it.each(Object.entries(VIEW_PAGES))('exist for %s', async (page, { parameters }) => {
    const api = await keyClient();
    const query = `${parameters[0]}=x`;
    expect((await api.post(PATH, { page, name: 'One', query })).status).toBe(201);
    expectError(await api.post(PATH, { page: 'nodes', name: 'One', query }), 400, 'VALIDATION_ERROR');
  });

  const SEARCHED = ['messages', 'mailboxes', 'aliases', 'domains', 'webhooks', 'api_keys', 'admins', 'audit'] as const;

  it.each(SEARCHED)('keep the text that %s are searched for', async (page) => {
    const api = await keyClient();
    const { data } = await api.post(PATH, { page, name: 'One', query: 'q=two+words' });
    expect(data.query).toBe('q=two+words');
  });

  it('have a name that is unique in its list, also if two are saved at the same time', async () => {
    const api = await keyClient();
    const answers = await Promise.all([1, 2, 3].map(() => api.post(PATH, BOUNCES)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409]);
    const rejected = answers.find(({ status }) => status === 409);
    expect(rejected?.error.code).toBe('CONFLICT');
    expect(rejected?.error.details.fields?.[0]?.path).toBe('name');
    expect((await api.post(PATH, { ...BOUNCES, page: 'mailboxes', query: 'show=full' })).status).toBe(201);
    for (const name of ['', '  ', 'x'.repeat(61)]) {
      expect((await api.post(PATH, { ...BOUNCES, name })).status).toBe(400);
    }
    const spaced = await api.post(PATH, { ...BOUNCES, name: ' Bounces ' });
    expectError(spaced, 409, 'CONFLICT');
  });

  it('are at most 50 per admin, also if several are saved at the same time', async () => {
    const api = await keyClient();
    const data = Array.from({ length: 48 }, (_, i) => ({ ...BOUNCES, name: `View ${i}`, adminId: api.admin.id }));
    await db.savedView.createMany({ data });
    const answers = await Promise.all([1, 2, 3, 4].map((i) => api.post(PATH, { ...BOUNCES, name: `Another ${i}` })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, 409, 409]);
    expect(await db.savedView.count({ where: { adminId: api.admin.id } })).toBe(50);
  });

  it('are changed and deleted with audit entries, and are gone with their admin', async () => {
    const api = await keyClient();
    const name = unique();
    const { data } = await api.post(PATH, { ...BOUNCES, name });
    const changed = await api.patch(`${PATH}/${data.id}`, { query: 'status=failed&order=asc' });
    expect(changed.data).toMatchObject({ name, query: 'status=failed&order=asc' });
    expect((await api.delete(`${PATH}/${data.id}`)).status).toBe(200);
    expectError(await api.delete(`${PATH}/${data.id}`), 404, 'NOT_FOUND');
    const resource = `saved_view:${data.id}`;
    const where = { resource, outcome: 'success' as const };
    const entries = await db.auditEntry.findMany({ where, orderBy: { id: 'asc' } });
    expect(entries.map(({ action }) => action)).toEqual([
      'saved_view.create',
      'saved_view.update',
      'saved_view.delete',
    ]);

    await api.post(PATH, BOUNCES);
    await db.admin.delete({ where: { id: api.admin.id } });
    expect(await db.savedView.count({ where: { adminId: api.admin.id } })).toBe(0);
  });
});

/** An empty text is a missing field. */
function error400(query: string) {
  return query === '' ? 'MISSING_FIELDS' : 'VALIDATION_ERROR';
}
