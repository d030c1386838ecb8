import { describe, expect, it } from 'vitest';
import { appRouter } from '@/modules/router';
import { createContext } from '@/server/procedures/context';
import { hashPassword } from '@/server/secrets/password';
import { manualClock } from '@/test/clock';
import { db } from '@/test/database';
import { makeAdmin, makeSession } from '@/test/factories';
import { client, expectError, keyClient, sessionClient } from '@/test/rest';

const PASSWORD = 'paper boats on the canal';
const passwordHash = await hashPassword(PASSWORD);

async function secondBrowser(adminId: string) {
  const { cookie, session } = await makeSession(adminId);
  return { ...client({ cookie, 'sec-fetch-site': 'same-origin' }), session };
}

describe('sessions', () => {
  it('lists the active sessions of the caller and marks the current one', async () => {
    const browser = await sessionClient();
    const other = await secondBrowser(browser.admin.id);
    await makeSession(browser.admin.id, { expiresAt: new Date(Date.now() - 1000) });
    await sessionClient();
    const { data, meta } = await browser.get('/auth/sessions');
    expect(data.map(({ id, current }: { id: string; current: boolean }) => ({ id, current }))).toEqual([
      { id: other.session.id, current: false },
      { id: browser.session.id, current: true },
    ]);
    expect(data[0]).toMatchObject({ ip_address: '127.0.0.1', user_agent: 'test' });
    expect(meta.pagination).toEqual({ next_cursor: '', has_more: false });
    expect((await browser.get('/auth/sessions?limit=1')).meta.pagination?.has_more).toBe(true);
  });

  it('ends one, which is rejected on its next call', async () => {
    const browser = await sessionClient();
    const other = await secondBrowser(browser.admin.id);
    const answer = await browser.delete(`/auth/sessions/${other.session.id}`);
    expect(answer).toMatchObject({ status: 200, data: { message: 'Session ended.' } });
    expect(answer.headers.get('set-cookie')).toBeNull();
    expectError(await other.get('/auth/me'), 401, 'SESSION_INVALID');
    expect((await browser.get('/auth/me')).status).toBe(200);
  });

  it('ends one during a call of the console whose body has not arrived yet', async () => {
    const { cookie, session } = await makeSession((await makeAdmin()).id);
    const clock = manualClock(new Date().toISOString());
    const ctx = createContext(new Request('http://localhost:3000/api/trpc', { headers: { cookie } }), clock);
    await ctx.identify();
    await db.session.delete({ where: { id: session.id } });
    clock.advance(1);
    await expect(appRouter.createCaller(ctx).auth.me({})).rejects.toMatchObject({ apiCode: 'SESSION_INVALID' });
  });

  it('clears the cookie if it is the current one', async () => {
    const browser = await sessionClient();
    const answer = await browser.delete(`/auth/sessions/${browser.session.id}`);
    expect(answer.headers.get('set-cookie')).toContain('Max-Age=0');
    expectError(await browser.get('/auth/me'), 401, 'SESSION_INVALID');
  });

  it('answers 404 to the session of another admin', async () => {
    const browser = await sessionClient();
    const stranger = await sessionClient();
    expectError(await browser.delete(`/auth/sessions/${stranger.session.id}`), 404, 'NOT_FOUND');
    expect((await stranger.get('/auth/me')).status).toBe(200);
  });

  it('ends all sessions of the admin and no others', async () => {
    const browser = await sessionClient();
    const other = await secondBrowser(browser.admin.id);
    const stranger = await sessionClient();
    const answer = await browser.post('/auth/logout-all');
    expect(answer.data.message).toBe('2 sessions ended.');
    expect(answer.headers.get('set-cookie')).toContain('Max-Age=0');
    expectError(await browser.get('/auth/me'), 401, 'SESSION_INVALID');
    expectError(await other.get('/auth/me'), 401, 'SESSION_INVALID');
    expect((await stranger.get('/auth/me')).status).toBe(200);
  });

  it('can be ended with an API key', async () => {
    const api = await keyClient();
    const browser = await secondBrowser(api.admin.id);
    expect((await api.get('/auth/sessions')).data).toMatchObject([{ id: browser.session.id, current: false }]);
    expect((await api.post('/auth/logout-all')).data.message).toBe('1 session ended.');
    expectError(await browser.get('/auth/me'), 401, 'SESSION_INVALID');
  });
});

describe('changing the password', () => {
  async function personWithPassword() {
    const admin = await makeAdmin({ passwordHash });
    return { ...(await secondBrowser(admin.id)), admin };
  }

  it('requires the current one, ends the other sessions and keeps this one', async () => {
    const person = await personWithPassword();
    const other = await secondBrowser(person.admin.id);
    const change = { current_password: PASSWORD, new_password: 'tin boats on the river' };
    expect((await person.post('/auth/password', change)).status).toBe(200);
    expectError(await other.get('/auth/me'), 401, 'SESSION_INVALID');
    expect((await person.get('/auth/me')).status).toBe(200);
    const { email } = person.admin;
    expectError(await client().post('/auth/login', { email, password: PASSWORD }), 401, 'INVALID_CREDENTIALS');
    expect((await client().post('/auth/login', { email, password: 'tin boats on the river' })).status).toBe(200);
  });

  it.each([
    ['short', 'eleven char'],
    ['long', 'x'.repeat(257)],
    ['common', 'passwordpassword'],
  ])('rejects a %s one, naming the field', async (_, password) => {
    const person = await personWithPassword();
    const change = { current_password: PASSWORD, new_password: password };
    const answer = expectError(await person.post('/auth/password', change), 400, 'VALIDATION_ERROR');
    expect(answer.error.details.fields?.map(({ path }) => path)).toEqual(['new_password']);
  });

  it('is rejected with a wrong current one, for an API key, and without a password', async () => {
    const change = { current_password: 'not this one', new_password: 'tin boats on the river' };
    expectError(await (await personWithPassword()).post('/auth/password', change), 401, 'INVALID_CREDENTIALS');
    expectError(await (await keyClient()).post('/auth/password', change), 409, 'CONFLICT');
    expectError(await (await sessionClient()).post('/auth/password', change), 409, 'CONFLICT');
  });

  it('leaves no session to a concurrent sign-in with the old one', async () => {
    for (let round = 0; round < 5; round++) {
      const person = await personWithPassword();
      const { email } = person.admin;
      const change = { current_password: PASSWORD, new_password: 'tin boats on the river' };
      const tries = Array.from({ length: 4 }, () => client().post('/auth/login', { email, password: PASSWORD }));
      await Promise.all([...tries, person.post('/auth/password', change)]);
      const sessions = await db.session.findMany({ where: { adminId: person.admin.id } });
      expect(sessions.map(({ id }) => id)).toEqual([person.session.id]);
    }
  });

  it('is audited without passwords', async () => {
    const person = await personWithPassword();
    await person.post('/auth/password', { current_password: PASSWORD, new_password: 'tin boats on the river' });
    await person.post('/auth/password', { current_password: PASSWORD, new_password: 'tin boats on the river' });
    const entries = await db.auditEntry.findMany({ where: { adminId: person.admin.id }, orderBy: { id: 'asc' } });
    expect(entries).toMatchObject([
      { action: 'admin.password', outcome: 'success' },
      { action: 'admin.password', outcome: 'denied' },
    ]);
    expect(JSON.stringify(entries)).not.toContain('boats');
  });
});
