import { afterAll, describe, expect, it } from 'vitest';
import { appRouter } from '@/modules/router';
import { createConsoleHandler } from '@/server/procedures/console-handler';
import { db } from '@/test/database';
import { makeLinkedAdmin } from '@/test/factories';
import { oidcBrowser } from '@/test/servers/oidc-browser';
import type { Trick } from '@/test/servers/oidc-provider';
import { startOidcProviders } from '@/test/servers/oidc-providers';

const providers = await startOidcProviders();

afterAll(() => Promise.all(Object.values(providers).map((provider) => provider.close())));

const linkedAdmin = (over: { totpEnabled?: boolean } = {}) => makeLinkedAdmin(providers.corp.issuer, over);

const NOW = Math.floor(Date.now() / 1000);

const sessionsOf = (adminId: string) => db.session.count({ where: { adminId } });

describe('a rejected callback opens no session and gives the page a reason', () => {
  const cases: [string, Trick, string][] = [
    ['a wrong state', { callback: { state: 'x'.repeat(43) } }, 'sign_in_failed'],
    ['no state', { callback: { state: null } }, 'sign_in_failed'],
    ['a wrong nonce', { claims: { nonce: 'x'.repeat(43) } }, 'sign_in_failed'],
    ['no nonce', { claims: { nonce: null } }, 'sign_in_failed'],
    ['a wrong issuer in the token', { claims: { iss: 'https://accounts.example.com' } }, 'sign_in_failed'],
    ['a wrong issuer in the response', { callback: { iss: 'https://accounts.example.com' } }, 'sign_in_failed'],
    ['a wrong audience', { claims: { aud: 'another-client' } }, 'sign_in_failed'],
    ['several audiences without an authorized party', { claims: { aud: ['postroom-corp', 'b'] } }, 'sign_in_failed'],
    ['a token that has expired', { claims: { exp: 1_700_000_000 } }, 'sign_in_failed'],
    ['a token that expired two minutes ago', { claims: { exp: NOW - 120 } }, 'sign_in_failed'],
    ['a token of a clock that is ten minutes ahead', { claims: { nbf: NOW + 600 } }, 'sign_in_failed'],
    ['alg none', { alg: 'none' }, 'sign_in_failed'],
    ['a token signed with the shared secret', { alg: 'HS256' }, 'sign_in_failed'],
    ['a token signed with another key', { isForged: true }, 'sign_in_failed'],
    ['no id_token', { token: 'without-id-token' }, 'sign_in_failed'],
    ['an unknown code', { callback: { code: 'guess' } }, 'sign_in_failed'],
    ['no code', { callback: { code: null } }, 'sign_in_failed'],
    ['error=access_denied', { callback: { code: null, error: 'access_denied' } }, 'access_denied'],
    ['another error', { callback: { code: null, error: 'server_error' } }, 'sign_in_failed'],
    ['a token endpoint that never ends', { token: 'drips' }, 'provider_unavailable'],
  ];

  it.each(cases)('%s', async (_, trick, error) => {
    const { admin, subject } = await linkedAdmin();
    const browser = oidcBrowser();
    const arrival = await browser.signIn('corp', { ...trick, claims: { sub: subject, ...trick.claims } }, '/domains');
    expect(arrival).toMatchObject({ status: 302, path: `/login?error=${error}&next=%2Fdomains`, session: null });
    expect([...browser.jar.keys()]).toEqual([]);
    expect(await sessionsOf(admin.id)).toBe(0);
    const denied = { action: 'session.create', outcome: 'denied' } as const;
    const entries = await db.auditEntry.findMany({
      where: { ...denied, requestId: arrival.headers.get('x-request-id') ?? '' },
    });
    expect(entries).toMatchObject([{ details: { code: error, reason: expect.stringMatching(/^(?!unknown)./) } }]);
  });

  it('a token endpoint that hangs, only when the time for the whole sign-in is over', async () => {
    const { as } = await linkedAdmin();
    const { path, headers } = await oidcBrowser().signIn('corp', { ...as, token: 'hangs' });
    expect(path).toBe('/login?error=provider_unavailable&next=%2F');
    const entry = { action: 'session.create', requestId: headers.get('x-request-id') ?? '' } as const;
    expect(await db.auditEntry.findFirst({ where: entry })).toMatchObject({ details: { reason: 'timed out' } });
  });

  it.each(['', '\u0000', 'x'.repeat(256), 7, null, { $ne: 1 }])('a subject that is %j', async (sub) => {
    const { session, path } = await oidcBrowser().signIn('trusted', { claims: { sub } });
    expect({ session, path }).toEqual({ session: null, path: '/login?error=sign_in_failed&next=%2F' });
  });

  it('a provider whose discovery document claims another issuer', async () => {
    const { admin, subject } = await linkedAdmin();
    const claims = { sub: subject, iss: providers.corp.issuer };
    const { path, session } = await oidcBrowser().signIn('impostor', { claims });
    expect({ path, session }).toEqual({ path: '/login?error=sign_in_failed&next=%2F', session: null });
    expect(await sessionsOf(admin.id)).toBe(0);
  });

  it('a callback in a browser without a pending sign-in, without a request to the provider', async () => {
    const { admin, as } = await linkedAdmin();
    const callback = await oidcBrowser().begin('corp', as);
    const { path, session } = await oidcBrowser().arrive(callback);
    expect({ path, session }).toEqual({ path: '/login?error=expired&next=%2F', session: null });
    expect(await sessionsOf(admin.id)).toBe(0);
  });

  it('a callback of one provider with the cookies of another', async () => {
    const { admin, as } = await linkedAdmin();
    const browser = oidcBrowser();
    const callback = await browser.begin('corp', as);
    for (const [key, kept] of [...browser.jar]) {
      browser.jar.set(key.replace('corp', 'trusted'), { ...kept, path: kept.path.replace('corp', 'trusted') });
    }
    const { path } = await browser.arrive(callback.replace('/corp', '/trusted'));
    expect(path).toBe('/login?error=expired&next=%2F');
    expect(await sessionsOf(admin.id)).toBe(0);
  });

  it('a replayed callback, even with restored cookies and a provider that accepts a code twice', async () => {
    const { admin, as } = await linkedAdmin();
    const browser = oidcBrowser();
    const callback = await browser.begin('corp', as);
    const kept = new Map(browser.jar);
    expect((await browser.arrive(callback)).session).not.toBeNull();
    expect((await browser.arrive(callback)).path).toBe('/login?error=expired&next=%2F');
    for (const [key, value] of kept) browser.jar.set(key, value);
    expect(await browser.arrive(callback)).toMatchObject({ path: '/login?error=expired&next=%2F', session: null });
    expect(await sessionsOf(admin.id)).toBe(1);
  });

  it('a used state, for as long as its cookies are valid', async () => {
    const { as } = await linkedAdmin();
    const spent = () =>
      db.rateLimit.findMany({ where: { key: { startsWith: 'oidc-state:' } }, select: { expire: true } });
    await oidcBrowser().signIn('corp', as);
    const kept = await spent();
    expect(kept.every(({ expire }) => Number(expire) > Date.now() && Number(expire) <= Date.now() + 900_000)).toBe(
      true,
    );
    await db.rateLimit.updateMany({ where: { key: { startsWith: 'oidc-state:' } }, data: { expire: Date.now() - 1 } });
    await oidcBrowser().signIn('corp', as);
    expect(await spent()).toHaveLength(1);
  });

  it('all but one of several concurrent callbacks', async () => {
    const { admin, as } = await linkedAdmin();
    const browser = oidcBrowser();
    const callback = await browser.begin('corp', as);
    const arrivals = await Promise.all([1, 2, 3, 4].map(() => browser.arrive(callback)));
    expect(arrivals.filter(({ session }) => session)).toHaveLength(1);
    expect(await sessionsOf(admin.id)).toBe(1);
  });

  it('a callback through tRPC, which never gets its cookies', async () => {
    const { admin, as } = await linkedAdmin();
    const browser = oidcBrowser();
    const callback = new URL(await browser.begin('corp', as), 'http://localhost:3000');
    const input = JSON.stringify({ provider: 'corp', ...Object.fromEntries(callback.searchParams) });
    const url = `http://localhost:3000/api/trpc/auth.oidcCallback?input=${encodeURIComponent(input)}`;
    const answer = await createConsoleHandler(appRouter)(new Request(url));
    expect((await answer.json()).result.data.location).toBe('/login?error=expired&next=%2F');
    expect(await sessionsOf(admin.id)).toBe(0);
  });
});
