import { generateSync } from 'otplib';
import { describe, expect, it } from 'vitest';
import { hashPassword } from '@/server/secrets/password';
import { manualClock } from '@/test/clock';
import { db } from '@/test/database';
import { makeAdmin, makeSession } from '@/test/factories';
import { client, expectError, keyClient } from '@/test/rest';

const PASSWORD = 'paper boats on the canal';
const passwordHash = await hashPassword(PASSWORD);

/** A signed-in admin and a clock; each call uses its time. */
async function person() {
  const clock = manualClock('2026-11-21T09:00:00Z');
  const admin = await makeAdmin({ role: 'admin', passwordHash });
  const { cookie } = await makeSession(admin.id, { expiresAt: new Date('2026-12-31') });
  const browser = client({ cookie, 'sec-fetch-site': 'same-origin' });
  const call = (method: string, path: string, body?: unknown) => browser.call(method, path, { body, clock });
  const login = (body: unknown) => client().call('POST', '/auth/login', { body, clock });
  let secret = '';
  return {
    admin,
    clock,
    call,
    login,
    code: (offsetSeconds = 0) =>
      generateSync({ secret, epoch: Math.floor(clock.now().getTime() / 1000) + offsetSeconds }),
    begin: async () => {
      const answer = await call('POST', '/auth/totp/setup');
      secret = new URL(answer.data.provisioning_uri).searchParams.get('secret') ?? '';
      return answer;
    },
  };
}

async function personWithTotp() {
  const someone = await person();
  await someone.begin();
  const { data } = await someone.call('POST', '/auth/totp/verify', { code: someone.code() });
  someone.clock.advance(60);
  const begin = async (): Promise<string> =>
    (await someone.login({ email: someone.admin.email, password: PASSWORD })).data.totp_session;
  return { ...someone, recoveryCodes: data.recovery_codes as string[], beginLogin: begin };
}

describe('setting up a second factor', () => {
  it('returns the documented URI, and requires no code at sign-in before verification', async () => {
    const { admin, begin, login } = await person();
    const { provisioning_uri, secret } = (await begin()).data;
    const uri = new URL(provisioning_uri);
    expect(uri.searchParams.get('secret')).toBe(secret);
    expect(decodeURIComponent(uri.pathname)).toContain(admin.email);
    expect(Object.fromEntries(uri.searchParams)).toEqual({
      secret: expect.stringMatching(/^[A-Z2-7]{32}$/),
      issuer: 'Postroom',
      algorithm: 'SHA1',
      digits: '6',
      period: '30',
    });
    const answer = await login({ email: admin.email, password: PASSWORD });
    expect(answer.data.session_id).toBeDefined();
  });

  it('stores the secret sealed', async () => {
    const { admin, begin } = await person();
    const secret = new URL((await begin()).data.provisioning_uri).searchParams.get('secret') as string;
    const { totpSecret } = await db.admin.findUniqueOrThrow({ where: { id: admin.id } });
    expect(Buffer.from(totpSecret as Uint8Array).includes(secret)).toBe(false);
    const entries = await db.auditEntry.findMany({ where: { adminId: admin.id } });
    expect(entries.map(({ action }) => action)).toEqual(['admin.setup_totp']);
    expect(JSON.stringify(entries)).not.toContain(secret);
  });

  it('is enabled by a code, which returns ten recovery codes once', async () => {
    const { admin, begin, call, code } = await person();
    await begin();
    const answer = await call('POST', '/auth/totp/verify', { code: code() });
    expect(new Set(answer.data.recovery_codes).size).toBe(10);
    expect((await call('GET', '/auth/me')).data.totp_enabled).toBe(true);
    const stored = await db.recoveryCode.findMany({ where: { adminId: admin.id } });
    expect(stored).toHaveLength(10);
    expect(JSON.stringify(stored)).not.toContain(answer.data.recovery_codes[0]);
  });

  it('accepts a code in digits of full width, as keyboards for East Asian languages write them', async () => {
    const { begin, call, code } = await person();
    await begin();
    const fullWidth = code().replace(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit)));
    expectError(await call('POST', '/auth/totp/verify', { code: `${fullWidth}１` }), 400, 'VALIDATION_ERROR');
    expect((await call('POST', '/auth/totp/verify', { code: fullWidth })).status).toBe(200);
  });

  it('rejects a wrong code, a code before setup, and setup while enabled', async () => {
    const { begin, call, code } = await person();
    expectError(await call('POST', '/auth/totp/verify', { code: '123456' }), 409, 'CONFLICT');
    await begin();
    expectError(await call('POST', '/auth/totp/verify', { code: code(3600) }), 401, 'TOTP_INVALID');
    expectError(await call('POST', '/auth/totp/verify', { code: `${code()} 1` }), 400, 'VALIDATION_ERROR');
    expectError(await call('POST', '/auth/totp/verify', { code: '12345' }), 400, 'VALIDATION_ERROR');
    expectError(await call('POST', '/auth/totp/verify', {}), 400, 'MISSING_FIELDS');
    const shown = `${code().slice(0, 3)} ${code().slice(3)}\u00a0`;
    expect((await call('POST', '/auth/totp/verify', { code: shown })).status).toBe(200);
    expectError(await call('POST', '/auth/totp/setup'), 409, 'CONFLICT');
    expectError(await call('POST', '/auth/totp/verify', { code: code(30) }), 409, 'CONFLICT');
  });

  it('accepts only the newest of two setups', async () => {
    const { begin, call, code } = await person();
    await begin();
    const old = code();
    await begin();
    expectError(await call('POST', '/auth/totp/verify', { code: old }), 401, 'TOTP_INVALID');
    expect((await call('POST', '/auth/totp/verify', { code: code() })).status).toBe(200);
  });

  it('is not available to an API key', async () => {
    const api = await keyClient();
    expectError(await api.post('/auth/totp/setup'), 409, 'CONFLICT');
    expectError(await api.post('/auth/totp/verify', { code: '123456' }), 409, 'CONFLICT');
    expectError(await api.call('DELETE', '/auth/totp', { body: { code: '123456' } }), 409, 'CONFLICT');
  });
});

describe('signing in with a second factor', () => {
  it('requires password, then code, and responds like a one-step sign-in', async () => {
    const { admin, code, login } = await personWithTotp();
    const first = await login({ email: admin.email, password: PASSWORD });
    expect(first.data).toEqual({
      requires_totp: true,
      totp_session: expect.any(String),
      expires_at: '2026-11-21T09:06:00.000Z',
    });
    expect(first.headers.get('set-cookie')).toBeNull();
    const second = await login({ totp_session: first.data.totp_session, totp_code: code() });
    expect(second.data).toMatchObject({ admin: { id: admin.id, totp_enabled: true }, session_id: expect.any(String) });
    expect(second.headers.get('set-cookie')).toMatch(/^service_session=/);
  });

  it('reveals nothing about the second factor if the password is wrong', async () => {
    const { admin, login } = await personWithTotp();
    expectError(await login({ email: admin.email, password: 'not this one' }), 401, 'INVALID_CREDENTIALS');
  });

  it('accepts a code once, and none older than the last one', async () => {
    const { beginLogin, code, login } = await personWithTotp();
    const used = code();
    expect((await login({ totp_session: await beginLogin(), totp_code: used })).status).toBe(200);
    expectError(await login({ totp_session: await beginLogin(), totp_code: used }), 401, 'TOTP_INVALID');
    expectError(await login({ totp_session: await beginLogin(), totp_code: code(-30) }), 401, 'TOTP_INVALID');
    expect((await login({ totp_session: await beginLogin(), totp_code: code(30) })).status).toBe(200);
  });

  it('accepts one of two concurrent calls with the same session or code', async () => {
    const { beginLogin, code, login } = await personWithTotp();
    const [one, other] = [await beginLogin(), await beginLogin()];
    const tries = [one, one, other, other].map((token) => login({ totp_session: token, totp_code: code() }));
    const statuses = (await Promise.all(tries)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  });

  it('ends the pending sign-in after success, five minutes, or five wrong codes', async () => {
    const { beginLogin, clock, code, login } = await personWithTotp();
    const used = await beginLogin();
    await login({ totp_session: used, totp_code: code() });
    expectError(await login({ totp_session: used, totp_code: code(30) }), 401, 'SESSION_INVALID');

    const late = await beginLogin();
    clock.advance(300);
    expectError(await login({ totp_session: late, totp_code: code() }), 401, 'SESSION_INVALID');

    const guessed = await beginLogin();
    for (let left = 4; left >= 0; left--) {
      const wrong = expectError(await login({ totp_session: guessed, totp_code: code(3600) }), 401, 'TOTP_INVALID');
      expect(wrong.error.details.attempts_left).toBe(left);
    }
    clock.advance(31);
    expectError(await login({ totp_session: guessed, totp_code: code() }), 401, 'SESSION_INVALID');
    expectError(await login({ totp_session: 'never given', totp_code: code() }), 401, 'SESSION_INVALID');
  });

  it('accepts each recovery code once', async () => {
    const { beginLogin, login, recoveryCodes } = await personWithTotp();
    const [first = '', second = ''] = recoveryCodes;
    expect((await login({ totp_session: await beginLogin(), recovery_code: first })).status).toBe(200);
    expectError(await login({ totp_session: await beginLogin(), recovery_code: first }), 401, 'TOTP_INVALID');
    const typed = second.toLowerCase().replaceAll('-', ' ');
    expect((await login({ totp_session: await beginLogin(), recovery_code: typed })).status).toBe(200);
  });

  it('names the missing fields of a step and rejects those of the other', async () => {
    const missing = expectError(await client().post('/auth/login', { totp_session: 'x' }), 400, 'MISSING_FIELDS');
    expect(missing.error.details.fields?.map(({ path }) => path)).toEqual(['totp_code']);
    const noSession = expectError(await client().post('/auth/login', { totp_code: '123456' }), 400, 'MISSING_FIELDS');
    expect(noSession.error.details.fields?.map(({ path }) => path)).toEqual(['totp_session']);
    const mixed = { email: 'a@b.example', totp_session: 'x', totp_code: '123456' };
    expectError(await client().post('/auth/login', mixed), 400, 'VALIDATION_ERROR');
    const both = { totp_session: 'x', totp_code: '123456', recovery_code: 'y' };
    expectError(await client().post('/auth/login', both), 400, 'VALIDATION_ERROR');
    const short = { totp_session: 'x', totp_code: '12345' };
    expectError(await client().post('/auth/login', short), 400, 'VALIDATION_ERROR');
  });

  it('audits every step without secrets', async () => {
    const { admin, beginLogin, code, login } = await personWithTotp();
    const token = await beginLogin();
    await login({ totp_session: token, totp_code: code(3600) });
    await login({ totp_session: token, totp_code: code() });
    const entries = await db.auditEntry.findMany({
      where: { adminId: admin.id, action: 'session.create' },
      orderBy: { id: 'asc' },
    });
    expect(entries).toMatchObject([
      { outcome: 'success', details: { requires_totp: true } },
      { outcome: 'denied', details: { code: 'TOTP_INVALID' } },
      { outcome: 'success', details: { second_factor: 'totp' } },
    ]);
    expect(JSON.stringify(entries)).not.toContain(token);
  });
});

describe('disabling the second factor', () => {
  it('requires a current code, and removes secret, recovery codes and pending sign-ins', async () => {
    const { admin, beginLogin, call, code, login } = await personWithTotp();
    const pending = await beginLogin();
    expectError(await call('DELETE', '/auth/totp', {}), 400, 'MISSING_FIELDS');
    expectError(await call('DELETE', '/auth/totp', { code: code(3600) }), 401, 'TOTP_INVALID');
    expect((await call('DELETE', '/auth/totp', { code: code() })).status).toBe(200);
    expect(await db.recoveryCode.count({ where: { adminId: admin.id } })).toBe(0);
    expect(await db.admin.findUnique({ where: { id: admin.id } })).toMatchObject({
      totpEnabled: false,
      totpSecret: null,
    });
    expectError(await login({ totp_session: pending, totp_code: code(30) }), 401, 'SESSION_INVALID');
    expect((await login({ email: admin.email, password: PASSWORD })).data.session_id).toBeDefined();
    expectError(await call('DELETE', '/auth/totp', { code: code(60) }), 409, 'CONFLICT');
  });

  it('rejects a code that was used to sign in', async () => {
    const { beginLogin, call, code, login } = await personWithTotp();
    await login({ totp_session: await beginLogin(), totp_code: code() });
    expectError(await call('DELETE', '/auth/totp', { code: code() }), 401, 'TOTP_INVALID');
  });
});
