import { describe, expect, it } from 'vitest';
import { hashPassword } from '@/server/secrets/password';
import { db } from '@/test/database';
import { makeAdmin, makeSession, unique } from '@/test/factories';
import { client, expectError, keyClient, sessionClient } from '@/test/rest';

const MISSING = '019ac000-0000-7000-8000-000000000000';
const passwordHash = await hashPassword('paper boats on the canal');

async function linkedAdmin(over: { passwordHash?: string } = { passwordHash }) {
  const admin = await makeAdmin({ role: 'admin', ...over });
  const subject = unique();
  await db.oidcIdentity.create({
    data: { adminId: admin.id, providerId: 'corp', issuer: 'https://id.example', subject },
  });
  const browser = client({ cookie: (await makeSession(admin.id)).cookie, 'sec-fetch-site': 'same-origin' });
  return { admin, subject, browser, path: `/admins/${admin.id}/oidc` };
}

describe('the linked identity of another admin', () => {
  it('is shown to a super_admin', async () => {
    const { subject, path } = await linkedAdmin();
    const api = await keyClient();
    expect((await api.get(path)).data).toEqual({
      identity: { provider: 'corp', issuer: 'https://id.example', subject, linked_at: expect.any(String) },
    });
    const { id } = await makeAdmin();
    expect((await api.get(`/admins/${id}/oidc`)).data).toEqual({ identity: null });
    expectError(await api.get(`/admins/${MISSING}/oidc`), 404, 'NOT_FOUND');
  });

  it('is removed in a super_admin’s session, which ends their sessions and is audited', async () => {
    const { admin, subject, browser, path } = await linkedAdmin();
    const superAdmin = await sessionClient();
    expect((await superAdmin.delete(path)).data.message).toContain(admin.email);
    expect(await db.oidcIdentity.count({ where: { adminId: admin.id } })).toBe(0);
    expectError(await browser.get('/auth/me'), 401, 'SESSION_INVALID');
    const [entry] = await db.auditEntry.findMany({ where: { resource: `admin:${admin.id}` } });
    expect(entry).toMatchObject({
      action: 'admin.disconnect_oidc',
      adminId: superAdmin.admin.id,
      details: { before: { provider: 'corp', subject }, after: null },
    });
    expectError(await superAdmin.delete(path), 409, 'CONFLICT');
    expectError(await superAdmin.delete(`/admins/${MISSING}/oidc`), 404, 'NOT_FOUND');
  });

  it('stays if it is their only way to sign in', async () => {
    const { admin, browser, path } = await linkedAdmin({});
    expectError(await (await sessionClient()).delete(path), 409, 'CONFLICT');
    expect(await db.oidcIdentity.count({ where: { adminId: admin.id } })).toBe(1);
    expect((await browser.get('/auth/me')).status).toBe(200);
  });

  it('is removed neither with an API key nor by its own admin', async () => {
    const { admin, browser, path } = await linkedAdmin();
    expectError(await (await keyClient()).delete(path), 409, 'CONFLICT');
    await db.admin.update({ where: { id: admin.id }, data: { role: 'super_admin' } });
    expectError(await browser.delete(path), 409, 'CONFLICT');
    expect(await db.oidcIdentity.count({ where: { adminId: admin.id } })).toBe(1);
  });

  it.each(['admin', 'domain_admin'] as const)('is hidden from the role %s', async (role) => {
    const { path } = await linkedAdmin();
    expectError(await (await keyClient({ role })).get(path), 403, 'FORBIDDEN');
    expectError(await (await sessionClient({ role })).delete(path), 403, 'FORBIDDEN');
  });
});
