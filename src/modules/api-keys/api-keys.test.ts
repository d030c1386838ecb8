import { describe, expect, it } from 'vitest';
import { sha256 } from '@/server/crypto';
import { db } from '@/test/database';
import { makeApiKey, makeDomain } from '@/test/factories';
import { client, expectError, keyClient, sessionClient } from '@/test/rest';

const DAY_MS = 86_400_000;

describe('creating an API key', () => {
  it('answers 201 with the whole key once and a record with the documented defaults', async () => {
    const browser = await sessionClient({ role: 'admin' });
    const answer = await browser.post('/api-keys', { name: 'Shop backend' });
    expect(answer.status).toBe(201);
    const { key, api_key: record } = answer.data;
    expect(key).toMatch(/^service_[0-9A-Za-z]{38}$/);
    expect(record).toEqual({
      id: expect.any(String),
      admin_id: browser.admin.id,
      name: 'Shop backend',
      key_prefix: key.slice(0, 16),
      scoped_domain_ids: [],
      rate_limit: 60,
      expires_at: null,
      created_at: expect.any(String),
    });
    expect((await client({ authorization: `Bearer ${key}` }).get('/auth/me')).data.id).toBe(browser.admin.id);
    const row = await db.apiKey.findUniqueOrThrow({ where: { id: record.id } });
    expect(Buffer.from(row.keyHash)).toEqual(Buffer.from(sha256(key)));
    expect(JSON.stringify(await db.auditEntry.findMany({ where: { adminId: browser.admin.id } }))).not.toContain(key);
  });

  it('expires after the days asked for, and never with 0', async () => {
    const browser = await sessionClient();
    const clock = { now: () => new Date('2026-03-01T00:00:00.000Z') };
    await db.session.update({ where: { id: browser.session.id }, data: { expiresAt: new Date('2027-01-01') } });
    const create = (days: number) =>
      browser.call('POST', '/api-keys', { body: { name: 'x', expires_in_days: days }, clock });
    expect((await create(90)).data.api_key.expires_at).toBe(
      new Date(clock.now().getTime() + 90 * DAY_MS).toISOString(),
    );
    expect((await create(0)).data.api_key.expires_at).toBeNull();
  });

  it.each([
    [{}, 'MISSING_FIELDS', 'name'],
    [{ name: '' }, 'MISSING_FIELDS', 'name'],
    [{ name: 'x'.repeat(101) }, 'VALIDATION_ERROR', 'name'],
    [{ name: 'a\nb' }, 'VALIDATION_ERROR', 'name'],
    [{ name: 'x', rate_limit: -1 }, 'VALIDATION_ERROR', 'rate_limit'],
    [{ name: 'x', rate_limit: '60' }, 'VALIDATION_ERROR', 'rate_limit'],
    [{ name: 'x', expires_in_days: 0.5 }, 'VALIDATION_ERROR', 'expires_in_days'],
    [{ name: 'x', scoped_domain_ids: ['nope'] }, 'VALIDATION_ERROR', 'scoped_domain_ids.0'],
    [{ name: 'x', scoped_domain_ids: 'all' }, 'VALIDATION_ERROR', 'scoped_domain_ids'],
  ] as const)('refuses %j with %s on %s', async (body, code, path) => {
    const browser = await sessionClient();
    const answer = expectError(await browser.post('/api-keys', body), 400, code);
    expect(answer.error.details.fields?.map((field) => field.path)).toEqual([path]);
  });

  it('refuses a domain that is missing or out of reach', async () => {
    const domain = await makeDomain();
    const browser = await sessionClient({ role: 'domain_admin' });
    const create = (id: string) => browser.post('/api-keys', { name: 'x', scoped_domain_ids: [id] });
    expectError(await create('01a1f000-0000-7000-8000-000000000000'), 404, 'DOMAIN_NOT_FOUND');
    expectError(await create(domain.id), 403, 'FORBIDDEN');
  });

  it('by a key never makes one that may do more than itself', async () => {
    const [mine, other] = [await makeDomain(), await makeDomain()];
    const admin = (await keyClient()).admin;
    const expiresAt = new Date(Date.now() + 10 * DAY_MS);
    const { key } = await makeApiKey(admin.id, { scopedDomainIds: [mine.id], rateLimit: 30, expiresAt });
    const api = client({ authorization: `Bearer ${key}` });
    const narrow = { name: 'x', scoped_domain_ids: [mine.id], rate_limit: 30, expires_in_days: 5 };
    expect((await api.post('/api-keys', narrow)).status).toBe(201);
    expectError(await api.post('/api-keys', { ...narrow, scoped_domain_ids: [other.id] }), 403, 'API_KEY_DOMAIN_SCOPE');
    expectError(await api.post('/api-keys', { ...narrow, scoped_domain_ids: [] }), 403, 'FORBIDDEN');
    expectError(await api.post('/api-keys', { ...narrow, rate_limit: 31 }), 403, 'FORBIDDEN');
    expectError(await api.post('/api-keys', { ...narrow, rate_limit: 0 }), 403, 'FORBIDDEN');
    expectError(await api.post('/api-keys', { ...narrow, expires_in_days: 0 }), 403, 'FORBIDDEN');
    expectError(await api.post('/api-keys', { ...narrow, expires_in_days: 11 }), 403, 'FORBIDDEN');
  });
});

describe('listing API keys', () => {
  it('shows an admin their own, a super_admin all, and never the key', async () => {
    const one = await keyClient({ role: 'admin' });
    const two = await keyClient({ role: 'admin' });
    const ids = async (api: typeof one) =>
      (await api.get('/api-keys?limit=200')).data.map((key: { id: string }) => key.id);
    expect(await ids(one)).toEqual([one.keyId]);
    const root = await keyClient({ role: 'super_admin' });
    expect(await ids(root)).toEqual(expect.arrayContaining([one.keyId, two.keyId, root.keyId]));
    const answer = await one.get('/api-keys');
    expect(JSON.stringify(answer.data)).not.toContain(one.key);
    expect(answer.data[0].last_used_at).toEqual(expect.any(String));
  });

  it('shows a scoped key only keys no wider than itself', async () => {
    const [mine, other] = [await makeDomain(), await makeDomain()];
    const api = await keyClient({ role: 'super_admin', scopedDomainIds: [mine.id] });
    const narrower = await makeApiKey(api.admin.id, { scopedDomainIds: [mine.id] });
    await makeApiKey(api.admin.id, { scopedDomainIds: [mine.id, other.id] });
    await makeApiKey(api.admin.id, { scopedDomainIds: [] });
    const ids = (await api.get('/api-keys')).data.map((key: { id: string }) => key.id);
    expect(ids.sort()).toEqual([api.keyId, narrower.row.id].sort());
  });
});

describe('revoking an API key', () => {
  it('counts on the very next call and is audited', async () => {
    const browser = await sessionClient({ role: 'admin' });
    const { key, row } = await makeApiKey(browser.admin.id);
    const api = client({ authorization: `Bearer ${key}` });
    expect((await api.get('/auth/me')).status).toBe(200);
    expect((await browser.delete(`/api-keys/${row.id}`)).status).toBe(200);
    expectError(await api.get('/auth/me'), 401, 'API_KEY_INVALID');
    const entry = await db.auditEntry.findFirst({ where: { resource: `api_key:${row.id}` } });
    expect(entry).toMatchObject({ action: 'api_key.delete', outcome: 'success' });
  });

  it('of somebody else is for super_admins; to others it does not exist, and that is audited too', async () => {
    const owner = await keyClient({ role: 'admin' });
    const other = await keyClient({ role: 'admin' });
    expectError(await other.delete(`/api-keys/${owner.keyId}`), 404, 'NOT_FOUND');
    const refusal = await db.auditEntry.findFirst({ where: { adminId: other.admin.id } });
    expect(refusal).toMatchObject({ action: 'api_key.delete', outcome: 'denied', resource: `api_key:${owner.keyId}` });
    const root = await keyClient({ role: 'super_admin' });
    expect((await root.delete(`/api-keys/${owner.keyId}`)).status).toBe(200);
  });
});

it('of many revocations at once one wins', async () => {
  const browser = await sessionClient();
  const { row } = await makeApiKey(browser.admin.id);
  const answers = await Promise.all(Array.from({ length: 6 }, () => browser.delete(`/api-keys/${row.id}`)));
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 404, 404, 404, 404, 404]);
});
