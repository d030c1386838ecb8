import { hash } from '@node-rs/argon2';
import { describe, expect, it } from 'vitest';
import { systemClock } from '@/server/clock';
import { newApiKey } from '@/server/secrets/api-key.mjs';
import { readCredentials } from '@/server/secrets/credentials';
import { hashPassword } from '@/server/secrets/password';
import { db } from '@/test/database';
import { makeAdmin, makeApiKey, makeSession, unique } from '@/test/factories';
import { type Client, client, expectError, keyClient, sessionClient } from '@/test/rest';

const PASSWORD = 'paper boats on the canal';
const passwordHash = await hashPassword(PASSWORD);

async function adminWithPassword() {
  return makeAdmin({ role: 'admin', passwordHash });
}

function cookieOf(answer: { headers: Headers }): { value: string; attributes: string[] } {
  const [pair = '', ...attributes] = (answer.headers.getSetCookie()[0] ?? '').split('; ');
  return { value: pair, attributes };
}

function inBrowser(cookie: string): Client {
  return client({ cookie, 'sec-fetch-site': 'same-origin' });
}

describe('sign-in', () => {
  it('returns admin, session and expiry, and sets the documented cookie', async () => {
    const admin = await adminWithPassword();
    const answer = await client().post('/auth/login', { email: admin.email, password: PASSWORD });
    expect(answer.status).toBe(200);
    expect(answer.data).toEqual({
      admin: {
        id: admin.id,
        email: admin.email,
        role: 'admin',
        totp_enabled: false,
        last_login_at: expect.any(String),
      },
      session_id: expect.any(String),
      expires_at: expect.any(String),
    });
    const { value, attributes } = cookieOf(answer);
    expect(value).toMatch(/^service_session=[\w-]+\.[\w-]+$/);
    expect(attributes.sort()).toEqual(['HttpOnly', 'Max-Age=86400', 'Path=/', 'SameSite=Strict', 'Secure']);
    const me = await inBrowser(value).get('/auth/me');
    expect(me.data).toEqual({ ...answer.data.admin, oidc_provider: null, time_zone: null });
  });

  it('accepts the email in any letter case', async () => {
    const admin = await adminWithPassword();
    const answer = await client().post('/auth/login', { email: ` ${admin.email.toUpperCase()} `, password: PASSWORD });
    expect(answer.status).toBe(200);
  });

  it.each([
    ['a hash of the composed form', 'hashed'],
    ['an older hash of what was typed then', 'older'],
  ])('accepts a password in each form of its letters, with %s', async (_, kind) => {
    const decomposed = 'P\u0061\u0308sswo\u0308rter\u00a0im Nebel';
    const composed = decomposed.normalize('NFC').replace('\u00a0', ' ');
    const passwordHash = await (kind === 'older' ? hash(decomposed) : hashPassword(decomposed));
    const admin = await makeAdmin({ passwordHash });
    const login = async (password: string) =>
      (await client().post('/auth/login', { email: admin.email, password })).status;
    expect(await login(decomposed)).toBe(200);
    expect(await login(composed)).toBe(kind === 'older' ? 401 : 200);
    expect(await login(decomposed.replace('\u0308', ''))).toBe(401);
  });

  it('gives the same response to an unknown email and a wrong password', async () => {
    const admin = await adminWithPassword();
    const wrong = await client().post('/auth/login', { email: admin.email, password: 'not this one, sorry' });
    const unknown = await client().post('/auth/login', { email: `${unique()}@nowhere.example`, password: PASSWORD });
    expectError(wrong, 401, 'INVALID_CREDENTIALS');
    expect(unknown.error).toEqual(wrong.error);
    expect(wrong.headers.get('set-cookie')).toBeNull();
  });

  it('rejects an admin without a password', async () => {
    const admin = await makeAdmin({});
    expectError(
      await client().post('/auth/login', { email: admin.email, password: 'no password matches this' }),
      401,
      'INVALID_CREDENTIALS',
    );
  });

  it.each([[{}], [{ email: '', password: '' }], [{ email: null, password: null }]])(
    'names the missing fields in %j',
    async (body) => {
      const answer = expectError(await client().post('/auth/login', body), 400, 'MISSING_FIELDS');
      expect(answer.error.details.fields?.map((field) => field.path)).toEqual(['email', 'password']);
    },
  );

  it('rejects an email that Postgres cannot store', async () => {
    expectError(
      await client().post('/auth/login', { email: 'a\u0000b@c.example', password: 'x' }),
      400,
      'VALIDATION_ERROR',
    );
  });

  it('is throttled at 5 requests per second and address', async () => {
    const browser = client();
    const tries = Array.from({ length: 12 }, () =>
      browser.post('/auth/login', { email: `${unique()}@b.example`, password: 'x' }),
    );
    const codes = (await Promise.all(tries)).map((answer) => answer.error.code);
    const throttled = codes.filter((code) => code === 'RATE_LIMIT_EXCEEDED').length;
    expect(throttled).toBeGreaterThanOrEqual(2);
    expect(codes.filter((code) => code === 'INVALID_CREDENTIALS').length).toBeGreaterThanOrEqual(5);
  });

  it('audits success and failure without the password', async () => {
    const admin = await adminWithPassword();
    const { data } = await client().post('/auth/login', { email: admin.email, password: PASSWORD });
    await client().post('/auth/login', { email: admin.email, password: 'a wrong one indeed' });
    const entries = await db.auditEntry.findMany({ where: { adminEmail: admin.email }, orderBy: { id: 'asc' } });
    expect(entries).toMatchObject([
      { action: 'session.create', outcome: 'success', adminId: admin.id, resource: `session:${data.session_id}` },
      { action: 'session.create', outcome: 'denied', adminId: null, resource: 'session' },
    ]);
    expect(JSON.stringify(entries)).not.toMatch(/paper boats|a wrong one/);
  });
});

describe('a session', () => {
  it('is not authenticated by its id', async () => {
    const { session } = await sessionClient();
    expectError(await inBrowser(`service_session=${session.id}`).get('/auth/me'), 401, 'SESSION_INVALID');
  });

  it('is rejected if the cookie is altered or signed with another key', async () => {
    const { cookie } = await sessionClient();
    expectError(await inBrowser(`${cookie}x`).get('/auth/me'), 401, 'SESSION_INVALID');
    expectError(await inBrowser(cookie.replace('=', '=a')).get('/auth/me'), 401, 'SESSION_INVALID');
  });

  it('ends at its expiry', async () => {
    const admin = await makeAdmin();
    const { cookie } = await makeSession(admin.id, { expiresAt: new Date(Date.now() + 60_000) });
    const later = { now: () => new Date(systemClock.now().getTime() + 61_000) };
    expect((await inBrowser(cookie).get('/auth/me')).status).toBe(200);
    expectError(await inBrowser(cookie).call('GET', '/auth/me', { clock: later }), 401, 'SESSION_INVALID');
  });

  it('ends with sign-out, which clears the cookie', async () => {
    const browser = await sessionClient();
    const answer = await browser.post('/auth/logout');
    expect(answer.status).toBe(200);
    expect(cookieOf(answer)).toMatchObject({
      value: 'service_session=',
      attributes: expect.arrayContaining(['Max-Age=0']),
    });
    expectError(await browser.get('/auth/me'), 401, 'SESSION_INVALID');
  });

  it('ends when its admin is deleted', async () => {
    const browser = await sessionClient();
    await db.admin.delete({ where: { id: browser.admin.id } });
    expectError(await browser.get('/auth/me'), 401, 'SESSION_INVALID');
  });

  it('uses a changed role on the next call', async () => {
    const browser = await sessionClient({ role: 'super_admin' });
    await db.admin.update({ where: { id: browser.admin.id }, data: { role: 'domain_admin' } });
    expectError(await browser.post('/domains', { name: 'a.example' }), 403, 'FORBIDDEN');
  });
});

describe('an API key', () => {
  it('authenticates as its admin', async () => {
    const api = await keyClient({ role: 'domain_admin' });
    expect((await api.get('/auth/me')).data).toMatchObject({ id: api.admin.id, role: 'domain_admin' });
  });

  it('has no session to sign out of', async () => {
    const api = await keyClient();
    expectError(await api.post('/auth/logout'), 409, 'CONFLICT');
  });

  it('with a typo fails without a database query', () => {
    const { key } = newApiKey();
    const typo = key.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'));
    const read = (value: string) => readCredentials(new Headers({ authorization: `Bearer ${value}` }));
    expect(read(key)).toEqual({ kind: 'key', key });
    expect(read(typo)).toEqual({ kind: 'key', key: null });
  });

  it('is rejected after its expiry', async () => {
    const admin = await makeAdmin();
    const { key } = await makeApiKey(admin.id, { expiresAt: new Date(Date.now() - 1) });
    expectError(await client({ authorization: `Bearer ${key}` }).get('/auth/me'), 401, 'API_KEY_INVALID');
  });
});
