import { afterAll, describe, expect, it } from 'vitest';
import { hashPassword } from '@/server/secrets/password';
import { db } from '@/test/database';
import { makeAdmin, makeSession, unique } from '@/test/factories';
import { client, expectError, keyClient, sessionClient } from '@/test/rest';
import { oidcBrowser } from '@/test/servers/oidc-browser';
import { startOidcProvider } from '@/test/servers/oidc-provider';
import { setSettings } from '@/test/settings';
import { findIdentity } from './identity';

const corp = await startOidcProvider('postroom');
const gone = await startOidcProvider('postroom');
await gone.close();
const listed = Object.entries({ corp, gone }).map(([id, { issuer, clientId, clientSecret }]) => ({
  id,
  name: `The ${id}`,
  issuer,
  clientId,
  clientSecret,
}));
setSettings({ OIDC_PROVIDERS: JSON.stringify(listed) });

afterAll(() => corp.close());

const passwordHash = await hashPassword('paper boats on the canal');

async function signedIn(over: { passwordHash?: string } = {}) {
  const admin = await makeAdmin({ role: 'domain_admin', ...over });
  const { session, cookie } = await makeSession(admin.id);
  return { admin, session, cookie, browser: oidcBrowser(cookie) };
}

const as = (sub: string) => ({ claims: { sub } });
const identityOf = (adminId: string) => db.oidcIdentity.findUnique({ where: { adminId } });

describe('linking', () => {
  it('links the account that signs in at the provider to the admin who started, with an audit entry', async () => {
    const { admin, browser } = await signedIn();
    const sub = unique();
    const { path, session } = await browser.arrive(await browser.link('corp', as(sub)));
    expect({ path, session }).toEqual({ path: '/signed-in?next=%2Faccount%3Flinked%3Dcorp', session: null });
    expect(await identityOf(admin.id)).toMatchObject({ providerId: 'corp', issuer: corp.issuer, subject: sub });
    expect(await findIdentity(db, admin.id)).toMatchObject({ providerId: 'corp' });
    expect(await db.auditEntry.findMany({ where: { adminId: admin.id }, orderBy: { id: 'asc' } })).toMatchObject([
      { action: 'admin.begin_oidc_link', outcome: 'success', resource: `admin:${admin.id}` },
      { action: 'admin.link_oidc', outcome: 'success', resource: `admin:${admin.id}` },
    ]);
    expect((await oidcBrowser().signIn('corp', as(sub))).session).not.toBeNull();
  });

  it('opens no session and links nothing in a browser that did not start it', async () => {
    const { admin, browser } = await signedIn();
    const callback = await browser.link('corp', as(unique()));
    const other = await signedIn();
    const { path, session } = await other.browser.arrive(callback);
    expect({ path, session }).toEqual({ path: '/login?error=expired&next=%2F', session: null });
    expect(await identityOf(admin.id)).toBeNull();
    expect(await identityOf(other.admin.id)).toBeNull();
  });

  it('fails once the session that started it has ended or expired', async () => {
    const { admin, session, browser } = await signedIn();
    const callback = await browser.link('corp', as(unique()));
    await db.session.update({ where: { id: session.id }, data: { expiresAt: new Date(Date.now() - 1) } });
    expect((await browser.arrive(callback)).path).toBe('/login?error=session_ended&next=%2F');
    const again = await signedIn();
    const late = await again.browser.link('corp', as(unique()));
    await db.session.delete({ where: { id: again.session.id } });
    expect((await again.browser.arrive(late)).path).toBe('/login?error=session_ended&next=%2F');
    expect(await db.oidcIdentity.count({ where: { adminId: { in: [admin.id, again.admin.id] } } })).toBe(0);
  });

  it('is not started by a forged link cookie', async () => {
    const victim = await signedIn();
    const browser = oidcBrowser();
    const callback = await browser.begin('corp', as(unique()));
    const forged = {
      purpose: 'link',
      provider: 'corp',
      state: new URL(callback, 'http://localhost').searchParams.get('state'),
      expiresAt: Date.now() + 60_000,
      adminId: victim.admin.id,
      sessionId: victim.session.id,
    };
    for (const [key, kept] of browser.jar) {
      const [, mac] = kept.value.split('.');
      const value = `${Buffer.from(JSON.stringify(forged)).toString('base64url')}.${mac}`;
      if (key.startsWith('postroom_oidc ')) browser.jar.set(key, { ...kept, value });
    }
    expect((await browser.arrive(callback)).path).toBe('/login?error=expired&next=%2F');
    expect(await identityOf(victim.admin.id)).toBeNull();
  });

  it('rejects an account linked to another admin, with the reason on the account page', async () => {
    const first = await signedIn();
    const second = await signedIn();
    const sub = unique();
    await first.browser.arrive(await first.browser.link('corp', as(sub)));
    const { path } = await second.browser.arrive(await second.browser.link('corp', as(sub)));
    expect(path).toBe('/signed-in?next=%2Faccount%3Ferror%3Didentity_taken');
    expect(await identityOf(second.admin.id)).toBeNull();
    const denied = { action: 'admin.link_oidc', outcome: 'denied' } as const;
    expect(await db.auditEntry.findFirst({ where: { ...denied, resource: `admin:${second.admin.id}` } })).toMatchObject(
      {
        details: { code: 'identity_taken' },
      },
    );
  });

  it('of one account by two admins at once has one winner', async () => {
    const rivals = await Promise.all([signedIn(), signedIn(), signedIn()]);
    const trick = as(unique());
    const callbacks = await Promise.all(rivals.map(({ browser }) => browser.link('corp', trick)));
    const arrivals = await Promise.all(rivals.map(({ browser }, i) => browser.arrive(callbacks[i] as string)));
    expect(arrivals.filter(({ path }) => path.includes('linked'))).toHaveLength(1);
    expect(arrivals.filter(({ path }) => path.includes('identity_taken'))).toHaveLength(2);
  });

  it('of two accounts by one admin at once links one', async () => {
    const { admin, cookie } = await signedIn();
    const browsers = [oidcBrowser(cookie), oidcBrowser(cookie)];
    const callbacks = await Promise.all(browsers.map((browser) => browser.link('corp', as(unique()))));
    const arrivals = await Promise.all(browsers.map((browser, i) => browser.arrive(callbacks[i] as string)));
    const problems = arrivals.map(({ path }) => decodeURIComponent(path).split('?').pop()).sort();
    expect(problems).toEqual(['error=already_linked', 'linked=corp']);
    expect(await db.oidcIdentity.count({ where: { adminId: admin.id } })).toBe(1);
  });

  it('reports a denial by the user on the account page', async () => {
    const { browser } = await signedIn();
    const callback = await browser.link('corp', { callback: { code: null, error: 'access_denied' } });
    expect((await browser.arrive(callback)).path).toBe('/signed-in?next=%2Faccount%3Ferror%3Daccess_denied');
  });

  it('is a conflict if an account is already linked', async () => {
    const { admin, cookie } = await signedIn();
    const data = { adminId: admin.id, providerId: 'old', issuer: corp.issuer, subject: unique() };
    await db.oidcIdentity.create({ data });
    const answer = await client({ cookie, 'sec-fetch-site': 'same-origin' }).post('/auth/oidc/link/corp');
    expectError(answer, 409, 'CONFLICT');
  });

  it('requires a session, the same origin, and a known provider that responds', async () => {
    const { cookie } = await sessionClient();
    const browser = client({ cookie, 'sec-fetch-site': 'same-origin' });
    expectError(await browser.post('/auth/oidc/link/nobody'), 404, 'NOT_FOUND');
    expectError(await browser.post('/auth/oidc/link/gone'), 503, 'SERVICE_UNAVAILABLE');
    expectError(await client({ cookie }).post('/auth/oidc/link/corp'), 403, 'FORBIDDEN');
    expectError(await (await keyClient()).post('/auth/oidc/link/corp'), 409, 'CONFLICT');
    expect(gone.issuer).not.toBe(corp.issuer);
  });
});

describe('disconnecting', () => {
  it('removes the link with an audit entry, and the account no longer signs in', async () => {
    const { admin, cookie, browser } = await signedIn({ passwordHash });
    const trick = as(unique());
    await browser.arrive(await browser.link('corp', trick));
    const answer = await client({ cookie, 'sec-fetch-site': 'same-origin' }).delete('/auth/oidc/disconnect');
    expect(answer.status).toBe(200);
    expect(await findIdentity(db, admin.id)).toBeNull();
    const entry = await db.auditEntry.findFirst({ where: { adminId: admin.id, action: 'admin.disconnect_oidc' } });
    expect(entry).toMatchObject({ outcome: 'success', details: { provider: 'corp' } });
    expect((await oidcBrowser().signIn('corp', trick)).path).toMatch(/^\/login\?error=no_account/);
  });

  it('is a conflict without a password, the only other way to sign in', async () => {
    const { admin, cookie, browser } = await signedIn();
    await browser.arrive(await browser.link('corp', as(unique())));
    const answer = await client({ cookie, 'sec-fetch-site': 'same-origin' }).delete('/auth/oidc/disconnect');
    expectError(answer, 409, 'CONFLICT');
    expect(await identityOf(admin.id)).not.toBeNull();
  });

  it('is a conflict if nothing is linked, and for an API key', async () => {
    const { cookie } = await signedIn({ passwordHash });
    const browser = client({ cookie, 'sec-fetch-site': 'same-origin' });
    expectError(await browser.delete('/auth/oidc/disconnect'), 409, 'CONFLICT');
    expectError(await (await keyClient()).delete('/auth/oidc/disconnect'), 409, 'CONFLICT');
  });
});
