import { afterAll, describe, expect, it, vi } from 'vitest';
import { appRouter } from '@/modules/router';
import { log } from '@/server/log';
import { createConsoleHandler } from '@/server/procedures/console-handler';
import { db } from '@/test/database';
import { makeAdmin, unique } from '@/test/factories';
import { client, expectError } from '@/test/rest';
import { oidcBrowser } from '@/test/servers/oidc-browser';
import type { Trick } from '@/test/servers/oidc-provider';

const providers = await vi.hoisted(async () => {
  const { startOidcProvider } = await import('@/test/servers/oidc-provider');
  const corp = await startOidcProvider('postroom-corp');
  const trusted = await startOidcProvider('postroom-trusted');
  const impostor = await startOidcProvider('postroom-corp', { discovery: { issuer: corp.issuer } });
  const gone = await startOidcProvider('postroom-gone');
  await gone.close();
  const script = await startOidcProvider('postroom-script', {
    discovery: { authorization_endpoint: 'javascript:alert(1)' },
  });
  const listed = Object.entries({ corp, trusted, impostor, gone, script }).map(
    ([id, { issuer, clientId, clientSecret }]) => ({
      id,
      name: `The ${id}`,
      issuer,
      clientId,
      clientSecret,
      linkVerifiedEmail: id === 'trusted',
    }),
  );
  process.env.OIDC_PROVIDERS = JSON.stringify(listed);
  return { corp, trusted, impostor, script };
});

afterAll(() => Promise.all(Object.values(providers).map((provider) => provider.close())));

async function linkedAdmin(over: { totpEnabled?: boolean } = {}) {
  const admin = await makeAdmin({ role: 'admin' });
  const subject = unique();
  const data = { adminId: admin.id, providerId: 'corp', issuer: providers.corp.issuer, subject };
  await db.oidcIdentity.create({ data });
  if (over.totpEnabled) await db.admin.update({ where: { id: admin.id }, data: { totpEnabled: true } });
  return { admin, subject, as: { claims: { sub: subject } } satisfies Trick };
}

const sessionsOf = (adminId: string) => db.session.count({ where: { adminId } });

describe('starting a sign-in', () => {
  it('lists the providers by id and name only', async () => {
    const { data } = await client().get('/auth/oidc/providers');
    expect(data).toContainEqual({ id: 'corp', name: 'The corp' });
    expect(JSON.stringify(data)).not.toMatch(/secret|issuer|client/i);
  });

  it('redirects to the provider with PKCE, state, nonce and the documented callback', async () => {
    const { status, page, headers } = await oidcBrowser().arrive('/api/v1/auth/oidc/login/corp?next=/domains');
    expect(status).toBe(302);
    expect(page.origin + page.pathname).toBe(`${providers.corp.issuer}/authorize`);
    expect(Object.fromEntries(page.searchParams)).toEqual({
      client_id: 'postroom-corp',
      scope: 'openid email profile',
      response_type: 'code',
      redirect_uri: 'http://localhost:3000/api/v1/auth/oidc/callback/corp',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-request-id')).toBeTruthy();
  });

  it('sets its four cookies for the callback of that provider only', async () => {
    const { headers } = await oidcBrowser().arrive('/api/v1/auth/oidc/login/corp');
    const cookies = headers.getSetCookie();
    expect(cookies.map((line) => line.split('=')[0]).sort()).toEqual([
      'postroom_oidc',
      'postroom_oidc_nonce',
      'postroom_oidc_pkce',
      'postroom_oidc_state',
    ]);
    for (const line of cookies) {
      const attributes = line.split('; ').filter((attribute) => !attribute.startsWith('Expires='));
      expect(attributes.slice(1).sort()).toEqual([
        'HttpOnly',
        'Max-Age=900',
        'Path=/api/v1/auth/oidc/callback/corp',
        'SameSite=Lax',
        'Secure',
      ]);
    }
  });

  it('answers 404 to a provider that is not configured', async () => {
    expectError(await client().get('/auth/oidc/login/nobody'), 404, 'NOT_FOUND');
    expectError(await client().get('/auth/oidc/callback/nobody?code=a&state=b'), 404, 'NOT_FOUND');
  });

  it.each(['gone', 'script'])('ends on the login page if the provider is unusable (%s)', async (id) => {
    const { path, headers } = await oidcBrowser().arrive(`/api/v1/auth/oidc/login/${id}`);
    expect(path).toBe('/login?error=provider_unavailable');
    expect(headers.getSetCookie()).toEqual([]);
  });

  it('is throttled like any sign-in, and the login page says so', async () => {
    const browser = oidcBrowser();
    const go = () => browser.call('GET', '/api/v1/auth/oidc/callback/corp', { accept: 'text/html' });
    const answers = await Promise.all(Array.from({ length: 12 }, go));
    const problems = answers.map((answer) => answer.headers.get('location'));
    expect(problems).toContain('/login?error=rate_limit_exceeded');
  });
});

describe('a linked identity', () => {
  it('signs its admin in with an audit entry, and clears the handshake cookies', async () => {
    const { admin, as } = await linkedAdmin();
    const browser = oidcBrowser();
    const { path, session } = await browser.signIn('corp', as, '/messages?status=failed');
    expect(path).toBe('/signed-in?next=%2Fmessages%3Fstatus%3Dfailed');
    expect(session).toMatch(
      /^service_session=[\w-]+\.[\w-]+; Path=\/; HttpOnly; Secure; SameSite=Strict; Max-Age=86400$/,
    );
    expect([...browser.jar.keys()]).toEqual(['service_session /', 'postroom_device /api']);
    const me = await client({ cookie: session?.split(';')[0] as string }).get('/auth/me');
    expect(me.data.id).toBe(admin.id);
    const entries = await db.auditEntry.findMany({ where: { adminId: admin.id } });
    expect(entries).toMatchObject([
      { action: 'session.create', outcome: 'success', details: { method: 'oidc', provider: 'corp' } },
    ]);
    expect(entries[0]?.resource).toMatch(/^session:[0-9a-f-]{36}$/);
  });

  it('leads to the code step if the admin has a second factor', async () => {
    const { admin, as } = await linkedAdmin({ totpEnabled: true });
    const { page, path, session } = await oidcBrowser().signIn('corp', as, '/domains');
    expect(path).toBe('/login?next=%2Fdomains');
    const pending = new URLSearchParams(page.hash.slice(1));
    expect(pending.get('totp_session')).toMatch(/^[\w-]{43}$/);
    expect(Date.parse(pending.get('expires_at') ?? '')).toBeGreaterThan(Date.now());
    expect(session).toBeNull();
    expect(await sessionsOf(admin.id)).toBe(0);
    expect(await db.totpSession.count({ where: { adminId: admin.id } })).toBe(1);
  });

  it('is known by its subject, whatever its email is now', async () => {
    const { admin, subject } = await linkedAdmin();
    const other = await makeAdmin();
    const claims = { sub: subject, email: other.email, email_verified: true };
    await oidcBrowser().signIn('trusted', { claims: { ...claims, sub: unique() } });
    expect((await oidcBrowser().signIn('corp', { claims })).session).not.toBeNull();
    expect(await sessionsOf(admin.id)).toBe(1);
  });

  it('of another issuer with the same subject is another identity', async () => {
    const { admin, as } = await linkedAdmin();
    expect((await oidcBrowser().signIn('trusted', as)).path).toMatch(/^\/login\?error=no_account/);
    expect(await sessionsOf(admin.id)).toBe(0);
  });

  it('keeps two concurrent sign-ins through two providers apart', async () => {
    const email = `${unique()}@corp.example`;
    const second = await makeAdmin({ email });
    const { admin: first, as } = await linkedAdmin();
    const trusted = { claims: { sub: unique(), email, email_verified: true } };
    const browser = oidcBrowser();
    const [one, two] = await Promise.all([browser.begin('corp', as), browser.begin('trusted', trusted)]);
    const arrivals = await Promise.all([browser.arrive(one), browser.arrive(two)]);
    expect(arrivals.map(({ path }) => path)).toEqual(['/signed-in?next=%2F', '/signed-in?next=%2F']);
    expect(await Promise.all([sessionsOf(first.id), sessionsOf(second.id)])).toEqual([1, 1]);
  });
});

describe('an identity without an admin', () => {
  it('signs nobody in, creates nobody, and the page does not show the email', async () => {
    const before = await db.admin.count();
    const email = `${unique()}@elsewhere.example`;
    const { path, session } = await oidcBrowser().signIn('corp', { claims: { sub: unique(), email } });
    expect(path).toBe('/login?error=no_account&next=%2F');
    expect(session).toBeNull();
    expect(await db.admin.count()).toBe(before);
    const entry = await db.auditEntry.findFirst({ where: { adminEmail: email } });
    expect(entry).toMatchObject({ action: 'session.create', outcome: 'denied', details: { code: 'no_account' } });
  });

  it('is linked by a verified email if the provider is configured for it, and by its subject from then on', async () => {
    const admin = await makeAdmin();
    const sub = unique();
    const claims = { sub, email: admin.email.toUpperCase(), email_verified: true };
    expect((await oidcBrowser().signIn('trusted', { claims })).session).not.toBeNull();
    expect(await db.oidcIdentity.findUnique({ where: { adminId: admin.id } })).toMatchObject({
      providerId: 'trusted',
      issuer: providers.trusted.issuer,
      subject: sub,
    });
    expect((await oidcBrowser().signIn('trusted', { claims: { sub } })).session).not.toBeNull();
  });

  it.each([
    ['corp', true, 'the provider is not configured for it'],
    ['trusted', false, 'it is not verified'],
    ['trusted', 'true', 'the claim is a string'],
    ['trusted', null, 'the claim is missing'],
  ] as const)('is not linked by email through %s with email_verified %j: %s', async (provider, verified, _) => {
    const admin = await makeAdmin();
    const claims = { sub: unique(), email: admin.email, email_verified: verified };
    expect((await oidcBrowser().signIn(provider, { claims })).path).toMatch(/^\/login\?error=no_account/);
    expect(await db.oidcIdentity.count({ where: { adminId: admin.id } })).toBe(0);
    expect(await sessionsOf(admin.id)).toBe(0);
  });

  it('is not linked by email to an admin who has another identity', async () => {
    const { admin } = await linkedAdmin();
    const claims = { sub: unique(), email: admin.email, email_verified: true };
    expect((await oidcBrowser().signIn('trusted', { claims })).path).toMatch(/^\/login\?error=no_account/);
  });

  it.each(['no address\u0000', 7, 'x'.repeat(300)])(
    'with the email %j is nobody, without a server error',
    async (email) => {
      const claims = { sub: unique(), email, email_verified: true };
      expect((await oidcBrowser().signIn('trusted', { claims })).path).toBe('/login?error=no_account&next=%2F');
    },
  );

  it('is linked once by two concurrent browsers', async () => {
    const admin = await makeAdmin();
    const trick = { claims: { sub: unique(), email: admin.email, email_verified: true } };
    const arrivals = await Promise.all([1, 2, 3].map(() => oidcBrowser().signIn('trusted', trick)));
    expect(arrivals.filter(({ session }) => session)).toHaveLength(3);
    expect(await db.oidcIdentity.count({ where: { adminId: admin.id } })).toBe(1);
    const linking = { path: ['linked_by'], equals: 'verified_email' };
    expect(await db.auditEntry.count({ where: { adminId: admin.id, details: linking } })).toBe(1);
  });
});

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
    ['alg none', { alg: 'none' }, 'sign_in_failed'],
    ['a token signed with the shared secret', { alg: 'HS256' }, 'sign_in_failed'],
    ['a token signed with another key', { isForged: true }, 'sign_in_failed'],
    ['no id_token', { token: 'without-id-token' }, 'sign_in_failed'],
    ['an unknown code', { callback: { code: 'guess' } }, 'sign_in_failed'],
    ['no code', { callback: { code: null } }, 'sign_in_failed'],
    ['error=access_denied', { callback: { code: null, error: 'access_denied' } }, 'access_denied'],
    ['another error', { callback: { code: null, error: 'server_error' } }, 'sign_in_failed'],
    ['a token endpoint that hangs', { token: 'hangs' }, 'provider_unavailable'],
    ['a token endpoint that never ends', { token: 'drips' }, 'provider_unavailable'],
  ];

  it.each(cases)('%s', async (_, trick, error) => {
    const { admin, subject } = await linkedAdmin();
    const browser = oidcBrowser();
    const startedAt = Date.now();
    const arrival = await browser.signIn('corp', { ...trick, claims: { sub: subject, ...trick.claims } }, '/domains');
    expect(Date.now() - startedAt).toBeLessThan(10_000);
    expect(arrival).toMatchObject({ status: 302, path: `/login?error=${error}&next=%2Fdomains`, session: null });
    expect([...browser.jar.keys()]).toEqual([]);
    expect(await sessionsOf(admin.id)).toBe(0);
    const denied = { action: 'session.create', outcome: 'denied' } as const;
    expect(
      await db.auditEntry.count({ where: { ...denied, requestId: arrival.headers.get('x-request-id') ?? '' } }),
    ).toBe(1);
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

it.each([
  '//evil.example',
  'https://evil.example/',
  '/\\evil.example',
  'javascript:alert(1)',
  '/login',
  'x'.repeat(2000),
])('never redirects to another site (next=%s)', async (next) => {
  const { as } = await linkedAdmin();
  expect((await oidcBrowser().signIn('corp', as, next)).path).toBe('/signed-in?next=%2F');
});

it('accepts additional parameters from providers', async () => {
  const { as } = await linkedAdmin();
  const callback = {
    session_state: 'abc',
    scope: 'openid',
    authuser: '0',
    hd: 'corp.example',
    iss: providers.corp.issuer,
  };
  expect((await oidcBrowser().signIn('corp', { ...as, callback })).session).not.toBeNull();
});

it('logs nothing that could be reused', async () => {
  const warn = vi.spyOn(log, 'warn');
  const { subject } = await linkedAdmin();
  for (const trick of [
    { claims: { sub: subject, nonce: 'secret-nonce' } },
    { callback: { state: 'secret-state' } },
    { token: 'fails' } as const,
  ]) {
    await oidcBrowser().signIn('corp', trick);
  }
  const written = JSON.stringify(warn.mock.calls);
  expect(warn.mock.calls.map(([line]) => (line as { reason: string }).reason)).toEqual([
    'nonce mismatch',
    'state mismatch',
    expect.stringMatching(/^server_error|^expected 200 OK/),
  ]);
  expect(written).not.toMatch(/secret-|hunter2|eyJ/);
  warn.mockRestore();
});
