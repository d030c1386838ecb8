import { describe, expect, it } from 'vitest';
import { db } from '@/test/database';
import { makeAdmin, makeApiKey, makeDomain, makeSession, unique } from '@/test/factories';
import { client, expectError, keyClient, sessionClient } from '@/test/rest';

const PASSWORD = 'paper boats on the canal';
const MISSING = '019ac000-0000-7000-8000-000000000000';

function newAdmin(over: object = {}) {
  return { email: `A${unique()}@Admins.example`, password: PASSWORD, ...over };
}

async function sessionFor(adminId: string) {
  const { cookie } = await makeSession(adminId);
  return client({ cookie, 'sec-fetch-site': 'same-origin' });
}

/** Leaves exactly `count` super_admins. */
async function onlySuperAdmins(count: number) {
  await db.admin.updateMany({ where: { role: 'super_admin' }, data: { role: 'admin' } });
  return Promise.all(Array.from({ length: count }, () => keyClient({ role: 'super_admin' })));
}

describe('listing admins', () => {
  it.each(['domain_admin', 'admin', 'super_admin'] as const)(
    'returns the documented fields to role %s',
    async (role) => {
      const reader = await keyClient({ role });
      const { data, meta } = await reader.get('/admins?sort=email&order=asc&limit=200');
      const more = { domain_ids: [], created_at: expect.any(String), password_changed_at: null };
      expect(data.find(({ id }: { id: string }) => id === reader.admin.id)).toEqual({
        ...{ id: reader.admin.id, email: reader.admin.email, role, totp_enabled: false, last_login_at: null },
        ...(role === 'super_admin' && more),
      });
      expect(data.every((each: object) => Object.keys(each).length === (role === 'super_admin' ? 8 : 5))).toBe(true);
      expect(data.map(({ email }: { email: string }) => email)).toEqual(
        data.map(({ email }: { email: string }) => email).toSorted(),
      );
      expect(meta.pagination).not.toBeNull();
    },
  );

  it('finds by a part of the email', async () => {
    const reader = await keyClient({ role: 'super_admin' });
    const [found, other] = [await makeAdmin(), await makeAdmin()];
    const part = found.email.slice(2).toUpperCase();
    const { data, meta } = await reader.get(`/admins?q=${encodeURIComponent(part)}&total=true`);
    expect(data.map(({ id }: { id: string }) => id)).toEqual([found.id]);
    expect(meta.pagination?.total).toBe(1);
    expect((await reader.get(`/admins?q=${encodeURIComponent(`${other.email}%`)}`)).data).toEqual([]);
  });

  it('shows others and the export to super admins only, and oneself to everybody', async () => {
    const [shared, other] = [await makeDomain(), await makeDomain()];
    const reader = await keyClient({ role: 'domain_admin', domainIds: [shared.id] });
    const colleague = await makeAdmin({ role: 'domain_admin', domainIds: [shared.id, other.id] });
    for (const each of [reader, await keyClient({ role: 'admin' })]) {
      expectError(await each.get(`/admins/${colleague.id}`), 403, 'FORBIDDEN');
      expectError(await each.get(`/admins/${MISSING}`), 403, 'FORBIDDEN');
      expect((await each.download('/admins/export')).status).toBe(403);
    }
    expect((await reader.get(`/admins/${reader.admin.id}`)).data.domain_ids).toEqual([shared.id]);
    const superAdmin = await keyClient({ role: 'super_admin' });
    expect((await superAdmin.get(`/admins/${colleague.id}`)).data.domain_ids.toSorted()).toEqual(
      [shared.id, other.id].toSorted(),
    );
    expectError(await superAdmin.get(`/admins/${MISSING}`), 404, 'NOT_FOUND');
  });
});

describe('adding an admin', () => {
  it('creates one who can sign in, with the role admin by default', async () => {
    const superAdmin = await keyClient();
    const input = newAdmin();
    const answer = await superAdmin.post('/admins', input);
    expect(answer.status).toBe(200);
    expect(answer.data).toMatchObject({ email: input.email.toLowerCase(), role: 'admin', totp_enabled: false });
    const login = await client().post('/auth/login', { email: input.email, password: PASSWORD });
    expect(login.data.admin.id).toBe(answer.data.id);
    const [entry] = await db.auditEntry.findMany({ where: { resource: `admin:${answer.data.id}` } });
    expect(entry).toMatchObject({ action: 'admin.create', adminId: superAdmin.admin.id, outcome: 'success' });
    expect(JSON.stringify(entry)).not.toMatch(/paper boats|argon2/);
  });

  it('creates one without the spaces and the dot that copying adds, who signs in with the address as it is written', async () => {
    const email = `${unique()}@bücher.example`;
    const input = newAdmin({ email: `\u00a0${email.toUpperCase()}. ` });
    const { data } = await (await keyClient()).post('/admins', input);
    expect(data.email).toBe(email);
    expect((await client().post('/auth/login', { email, password: input.password })).status).toBe(200);
  });

  it('assigns a domain_admin their domains', async () => {
    const superAdmin = await keyClient();
    const [own, foreign] = [await makeDomain(), await makeDomain()];
    const input = newAdmin({ role: 'domain_admin', domain_ids: [own.id, own.id] });
    const { data } = await superAdmin.post('/admins', input);
    expect(data.domain_ids).toEqual([own.id]);
    const assigned = await sessionFor(data.id);
    expect((await assigned.get(`/domains/${own.id}`)).status).toBe(200);
    expectError(await assigned.get(`/domains/${foreign.id}`), 404, 'NOT_FOUND');
  });

  it('rejects an address in use in any letter case, also with concurrent requests', async () => {
    const superAdmin = await keyClient();
    const input = newAdmin();
    const answers = await Promise.all([superAdmin.post('/admins', input), superAdmin.post('/admins', input)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    const again = await superAdmin.post('/admins', { ...input, email: input.email.toUpperCase() });
    expect(expectError(again, 409, 'CONFLICT').error.details.fields?.[0]?.path).toBe('email');
  });

  it.each([
    [{ email: undefined }, 'MISSING_FIELDS'],
    [{ password: '' }, 'MISSING_FIELDS'],
    [{ email: 'not an address' }, 'VALIDATION_ERROR'],
    [{ email: 'a@b.example, c@d.example' }, 'VALIDATION_ERROR'],
    [{ password: 'eleven char' }, 'VALIDATION_ERROR'],
    [{ password: 'passwordpassword' }, 'VALIDATION_ERROR'],
    [{ role: 'root' }, 'VALIDATION_ERROR'],
    [{ totp_enabled: true }, 'VALIDATION_ERROR'],
  ] as const)('rejects %j', async (over, code) => {
    expectError(await (await keyClient()).post('/admins', newAdmin(over)), 400, code);
  });

  it('rejects a missing domain without creating an admin', async () => {
    const input = newAdmin({ domain_ids: [MISSING] });
    expectError(await (await keyClient()).post('/admins', input), 404, 'DOMAIN_NOT_FOUND');
    expect(await db.admin.count({ where: { email: input.email.toLowerCase() } })).toBe(0);
  });
});

describe('changing an admin', () => {
  it('applies a new role immediately and ends their sessions', async () => {
    const superAdmin = await sessionClient();
    const admin = await makeAdmin({ role: 'admin' });
    const browser = await sessionFor(admin.id);
    const { key } = await makeApiKey(admin.id);
    const api = client({ authorization: `Bearer ${key}` });
    expect((await api.post('/domains', { name: `${unique()}.example` })).status).toBe(201);
    expect((await superAdmin.patch(`/admins/${admin.id}`, { role: 'domain_admin' })).data.role).toBe('domain_admin');
    expectError(await api.post('/domains', { name: `${unique()}.example` }), 403, 'FORBIDDEN');
    expectError(await browser.get('/auth/me'), 401, 'SESSION_INVALID');
    expect((await superAdmin.get('/auth/me')).status).toBe(200);
  });

  it('replaces the domains immediately and keeps the sessions', async () => {
    const superAdmin = await keyClient();
    const [before, after] = [await makeDomain(), await makeDomain()];
    const admin = await makeAdmin({ role: 'domain_admin', domainIds: [before.id] });
    const browser = await sessionFor(admin.id);
    await superAdmin.patch(`/admins/${admin.id}`, { domain_ids: [after.id] });
    expectError(await browser.get(`/domains/${before.id}`), 404, 'NOT_FOUND');
    expect((await browser.get(`/domains/${after.id}`)).status).toBe(200);
    expectError(await superAdmin.patch(`/admins/${admin.id}`, { domain_ids: [MISSING] }), 404, 'DOMAIN_NOT_FOUND');
    expectError(await superAdmin.patch(`/admins/${MISSING}`, { role: 'admin' }), 404, 'NOT_FOUND');
  });
});

describe('deleting an admin', () => {
  it('ends sessions, revokes keys and keeps their audit entries', async () => {
    const superAdmin = await keyClient();
    const leaving = await sessionClient({ role: 'admin' });
    const { key } = await makeApiKey(leaving.admin.id);
    const { data } = await leaving.post('/domains', { name: `${unique()}.example` });
    expect((await superAdmin.delete(`/admins/${leaving.admin.id}`)).status).toBe(200);
    expectError(await leaving.get('/auth/me'), 401, 'SESSION_INVALID');
    expectError(await client({ authorization: `Bearer ${key}` }).get('/auth/me'), 401, 'API_KEY_INVALID');
    const [entry] = (await superAdmin.get(`/audit?resource=domain:${data.id}`)).data;
    expect(entry).toMatchObject({ admin_id: null, admin_email: leaving.admin.email });
    expectError(await superAdmin.delete(`/admins/${leaving.admin.id}`), 404, 'NOT_FOUND');
  });

  it('lets super_admins delete themselves while there is another, and audits it', async () => {
    const [leaving, staying] = await onlySuperAdmins(2);
    expect((await leaving?.delete(`/admins/${leaving.admin.id}`))?.status).toBe(200);
    const entries = (await staying?.get(`/audit?resource=admin:${leaving?.admin.id}`))?.data;
    expect(entries).toMatchObject([{ action: 'admin.delete', admin_id: null, admin_email: leaving?.admin.email }]);
  });
});

describe('the last super_admin', () => {
  it('cannot be deleted or demoted', async () => {
    const [last] = await onlySuperAdmins(1);
    if (!last) throw new Error('unreachable');
    const path = `/admins/${last.admin.id}`;
    expectError(await last.delete(path), 409, 'CONFLICT');
    expectError(await last.patch(path, { role: 'admin' }), 409, 'CONFLICT');
    expect((await last.patch(path, { domain_ids: [] })).status).toBe(200);
    const denied = await db.auditEntry.findMany({ where: { resource: `admin:${last.admin.id}`, outcome: 'denied' } });
    expect(denied.map(({ action }) => action).toSorted()).toEqual(['admin.delete', 'admin.update']);
  });

  it('is recognized by its id in upper case', async () => {
    const [last] = await onlySuperAdmins(1);
    if (!last) throw new Error('unreachable');
    const path = `/admins/${last.admin.id.toUpperCase()}`;
    expectError(await last.delete(path), 409, 'CONFLICT');
    expectError(await last.patch(path, { role: 'admin' }), 409, 'CONFLICT');
    const domain = await makeDomain();
    const twice = { domain_ids: [domain.id, domain.id.toUpperCase()] };
    expect((await last.patch(path, twice)).data.domain_ids).toEqual([domain.id]);
  });

  it('remains when two delete or demote each other concurrently', async () => {
    for (let round = 0; round < 10; round++) {
      const [one, other] = await onlySuperAdmins(2);
      if (!one || !other) throw new Error('unreachable');
      const answers = await Promise.all([
        one.delete(`/admins/${other.admin.id}`),
        round % 2 ? other.delete(`/admins/${one.admin.id}`) : other.patch(`/admins/${one.admin.id}`, { role: 'admin' }),
      ]);
      const statuses = answers.map(({ status }) => status);
      expect(statuses.filter((status) => status === 200)).toHaveLength(1);
      expect(Math.max(...statuses)).toBeLessThan(500);
      expect(await db.admin.count({ where: { role: 'super_admin' } })).toBe(1);
    }
  });
});

it.each([
  ['session', sessionClient, 'SESSION_INVALID'],
  ['API key', keyClient, 'FORBIDDEN'],
] as const)('a new role of the caller ends calls by %s that are in progress', async (_, makeClient, code) => {
  const [leaving, staying] = [await makeClient(), await keyClient()];
  // Passwords are hashed one after the other.
  const calls = Array.from({ length: 20 }, () => leaving.post('/admins', newAdmin()));
  expect((await staying.patch(`/admins/${leaving.admin.id}`, { role: 'admin' })).status).toBe(200);
  const where = { adminId: leaving.admin.id, action: 'admin.create', outcome: 'success' } as const;
  const before = await db.auditEntry.count({ where });
  const codes = (await Promise.all(calls)).map(({ error }) => error?.code);
  expect(await db.auditEntry.count({ where })).toBe(before);
  expect(codes).toContain(code);
});

it.each(['admin', 'domain_admin'] as const)('is read-only for the role %s', async (role) => {
  const api = await keyClient({ role });
  const target = await makeAdmin({ role: 'admin' });
  expectError(await api.post('/admins', newAdmin()), 403, 'FORBIDDEN');
  expectError(await api.patch(`/admins/${target.id}`, { role: 'super_admin' }), 403, 'FORBIDDEN');
  expectError(await api.delete(`/admins/${target.id}`), 403, 'FORBIDDEN');
  expectError(await api.delete(`/admins/${target.id}/totp`), 403, 'FORBIDDEN');
  expect((await db.admin.findUniqueOrThrow({ where: { id: target.id } })).role).toBe('admin');
});
