import { generateSync } from 'otplib';
import { describe, expect, it } from 'vitest';
import { hashPassword } from '@/server/secrets/password';
import { db } from '@/test/database';
import { makeAdmin, makeApiKey, makeSession, unique } from '@/test/factories';
import { client, expectError, keyClient, sessionClient } from '@/test/rest';

const PASSWORD = 'paper boats on the canal';
const NEXT_PASSWORD = 'tin boats on the river';
const passwordHash = await hashPassword(PASSWORD);

const inBrowser = (cookie: string) => client({ cookie, 'sec-fetch-site': 'same-origin' });
const login = (email: string, password: string) => client().post('/auth/login', { email, password });

/** A super_admin with password, session, API key and, if asked for, a second factor. */
async function makeSuperAdmin({ hasTotp = false } = {}) {
  const admin = await makeAdmin({ passwordHash });
  const browser = inBrowser((await makeSession(admin.id)).cookie);
  const { key } = await makeApiKey(admin.id);
  if (hasTotp) await enableTotp(browser);
  return { admin, browser, api: client({ authorization: `Bearer ${key}` }) };
}

async function enableTotp(browser: ReturnType<typeof client>) {
  const uri = new URL((await browser.post('/auth/totp/setup')).data.provisioning_uri);
  const code = generateSync({ secret: uri.searchParams.get('secret') ?? '' });
  expect((await browser.post('/auth/totp/verify', { code })).status).toBe(200);
}

describe('an admin’s own credentials', () => {
  it.each(['browser', 'api'] as const)('can’t be changed by id without the present ones (%s)', async (caller) => {
    const own = await makeSuperAdmin({ hasTotp: true });
    const before = await db.admin.findUniqueOrThrow({ where: { id: own.admin.id } });
    for (const id of [own.admin.id, own.admin.id.toUpperCase()]) {
      expectError(await own[caller].patch(`/admins/${id}`, { password: NEXT_PASSWORD }), 409, 'CONFLICT');
      expectError(await own[caller].delete(`/admins/${id}/totp`), 409, 'CONFLICT');
    }
    const { passwordHash: hash, totpEnabled } = await db.admin.findUniqueOrThrow({ where: { id: own.admin.id } });
    expect({ hash, totpEnabled }).toEqual({ hash: before.passwordHash, totpEnabled: true });
    const denied = await db.deniedAttempt.findMany({ where: { adminId: own.admin.id } });
    expect(denied.reduce((sum, { attempts }) => sum + attempts, 0)).toBe(4);
  });
});

describe('another admin’s credentials', () => {
  it('can’t be changed with an API key', async () => {
    const [{ api }, other] = [await makeSuperAdmin(), await makeSuperAdmin({ hasTotp: true })];
    expectError(await api.patch(`/admins/${other.admin.id}`, { password: NEXT_PASSWORD }), 409, 'CONFLICT');
    expectError(await api.delete(`/admins/${other.admin.id}/totp`), 409, 'CONFLICT');
    expect((await login(other.admin.email, PASSWORD)).data.requires_totp).toBe(true);
    expect((await api.patch(`/admins/${other.admin.id}`, { role: 'admin' })).status).toBe(200);
  });

  it('change in a super_admin’s session, which ends their sessions and is audited without the password', async () => {
    const [{ browser }, other] = [await makeSuperAdmin(), await makeSuperAdmin()];
    const path = `/admins/${other.admin.id}`;
    expect((await browser.patch(path, { password: NEXT_PASSWORD })).status).toBe(200);
    expectError(await other.browser.get('/auth/me'), 401, 'SESSION_INVALID');
    expect((await other.api.get('/auth/me')).status).toBe(200);
    expect((await login(other.admin.email, NEXT_PASSWORD)).status).toBe(200);
    const entries = await db.auditEntry.findMany({ where: { resource: `admin:${other.admin.id}` } });
    expect(entries).toMatchObject([{ action: 'admin.update', details: { password_changed: true } }]);
    expect(JSON.stringify(entries)).not.toContain('tin boats');
  });

  it('lose the second factor by a reset, which ends their sessions', async () => {
    const [{ browser }, other] = [await makeSuperAdmin(), await makeSuperAdmin({ hasTotp: true })];
    const path = `/admins/${other.admin.id}/totp`;
    expect((await login(other.admin.email, PASSWORD)).data.requires_totp).toBe(true);
    expect((await browser.delete(path)).status).toBe(200);
    expect((await login(other.admin.email, PASSWORD)).data.session_id).toBeDefined();
    expectError(await other.browser.get('/auth/me'), 401, 'SESSION_INVALID');
    expectError(await browser.delete(path), 409, 'CONFLICT');
    expectError(await browser.delete('/admins/019ac000-0000-7000-8000-000000000000/totp'), 404, 'NOT_FOUND');
  });
});

describe('API keys after a password change', () => {
  const own = { current_password: PASSWORD, new_password: NEXT_PASSWORD };

  it('keep working, and the response says so', async () => {
    const { browser, api } = await makeSuperAdmin();
    expect((await browser.post('/auth/password', own)).data.message).toContain('API keys keep working.');
    expect((await api.get('/auth/me')).status).toBe(200);
  });

  it('keep working beside a linked identity, which the response names', async () => {
    const { admin, browser } = await makeSuperAdmin();
    const identity = { providerId: 'corp', issuer: 'https://id.example', subject: unique() };
    await db.oidcIdentity.create({ data: { adminId: admin.id, ...identity } });
    const { message } = (await browser.post('/auth/password', own)).data;
    expect(message).toContain('API keys keep working. Your linked identity still signs you in.');
  });

  it('are revoked on request, with the keys that they created', async () => {
    const { admin, browser, api } = await makeSuperAdmin();
    const { data } = await api.post('/api-keys', { name: 'child' });
    const bystander = await keyClient();
    const { data: changed } = await browser.post('/auth/password', { ...own, revoke_api_keys: true });
    expect(changed.message).toContain('2 API keys revoked.');
    for (const key of [api, client({ authorization: `Bearer ${data.key}` })]) {
      expectError(await key.get('/auth/me'), 401, 'API_KEY_INVALID');
    }
    expect((await bystander.get('/auth/me')).status).toBe(200);
    const [entry] = await db.auditEntry.findMany({ where: { adminId: admin.id, action: 'admin.password' } });
    expect(entry?.details).toMatchObject({ revoked_api_keys: expect.arrayContaining([data.api_key.id]) });
  });

  it('stay if the present password is wrong', async () => {
    const { browser, api } = await makeSuperAdmin();
    const wrong = { ...own, current_password: 'not this one', revoke_api_keys: true };
    expectError(await browser.post('/auth/password', wrong), 401, 'INVALID_CREDENTIALS');
    expect((await api.get('/auth/me')).status).toBe(200);
  });

  it('are revoked on request by a super_admin who sets the password', async () => {
    const [browser, other] = [await sessionClient(), await makeSuperAdmin()];
    const body = { password: NEXT_PASSWORD, revoke_api_keys: true };
    expect((await browser.patch(`/admins/${other.admin.id}`, body)).status).toBe(200);
    expectError(await other.api.get('/auth/me'), 401, 'API_KEY_INVALID');
    const [entry] = await db.auditEntry.findMany({ where: { resource: `admin:${other.admin.id}` } });
    expect(entry?.details).toMatchObject({ password_changed: true, revoked_api_keys: [expect.any(String)] });
  });
});
