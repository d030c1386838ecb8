import { afterAll, describe, expect, it } from 'vitest';
import { disconnectIdentity } from '@/modules/auth/service';
import type { Tx } from '@/server/database/db';
import { db } from '@/test/database';
import { makeAdmin, makeLinkedAdmin, unique } from '@/test/factories';
import { untilBlocked } from '@/test/locks';
import { client } from '@/test/rest';
import { oidcBrowser } from '@/test/servers/oidc-browser';
import { startOidcProviders } from '@/test/servers/oidc-providers';

const providers = await startOidcProviders();

afterAll(() => Promise.all(Object.values(providers).map((provider) => provider.close())));

const linkedAdmin = (over: { totpEnabled?: boolean } = {}) => makeLinkedAdmin(providers.corp.issuer, over);

const sessionsOf = (adminId: string) => db.session.count({ where: { adminId } });

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

  it.each([
    ['its removal', (tx: Tx, id: string) => disconnectIdentity(tx, id)],
    ['the deletion of its admin', (tx: Tx, id: string) => tx.admin.delete({ where: { id } })],
  ])('opens no session during %s', async (_, end) => {
    const { admin, as } = await linkedAdmin();
    await db.admin.update({ where: { id: admin.id }, data: { passwordHash: 'hash' } });
    const browser = oidcBrowser();
    const callback = await browser.begin('corp', as);
    const arriving = await db.$transaction(
      async (tx) => {
        await end(tx, admin.id);
        const arrival = browser.arrive(callback);
        await untilBlocked();
        return { arrival };
      },
      { timeout: 60_000 },
    );
    expect(await arriving.arrival).toMatchObject({ path: '/login?error=no_account&next=%2F', session: null });
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
    ['trusted', 'false', 'the text says that it is not verified'],
    ['trusted', 1, 'the claim is a number'],
    ['trusted', ['true'], 'the claim is a list'],
    ['trusted', null, 'the claim is missing'],
  ] as const)('is not linked by email through %s with email_verified %j: %s', async (provider, verified, _) => {
    const admin = await makeAdmin();
    const claims = { sub: unique(), email: admin.email, email_verified: verified };
    const { path, headers } = await oidcBrowser().signIn(provider, { claims });
    expect(path).toMatch(/^\/login\?error=no_account/);
    const entry = await db.auditEntry.findFirst({ where: { requestId: headers.get('x-request-id') ?? '' } });
    const reason = provider === 'corp' ? 'linkVerifiedEmail is off' : 'its email is not verified';
    expect(entry?.details).toMatchObject({ code: 'no_account', reason: expect.stringContaining(reason) });
    expect(await db.oidcIdentity.count({ where: { adminId: admin.id } })).toBe(0);
    expect(await sessionsOf(admin.id)).toBe(0);
  });

  it.each([
    ['ahead', { nbf: 50, iat: 50 }],
    ['behind', { exp: -30 }],
  ])('signs in through a provider whose clock is %s', async (_, offsets) => {
    const now = Math.floor(Date.now() / 1000);
    const times = Object.fromEntries(Object.entries(offsets).map(([name, offset]) => [name, now + offset]));
    const { as } = await linkedAdmin();
    expect((await oidcBrowser().signIn('corp', { claims: { ...as.claims, ...times } })).session).not.toBeNull();
  });

  it('signs in with ES256 and the secret in the form if that was chosen, unless the key is another or the algorithm weaker', async () => {
    const { as } = await makeLinkedAdmin(providers.chosen.issuer);
    const signIn = async (trick: object) => (await oidcBrowser().signIn('chosen', { ...as, ...trick })).session;
    expect(await signIn({})).not.toBeNull();
    expect(await signIn({ isForged: true })).toBeNull();
    expect(await signIn({ alg: 'none' })).toBeNull();
    expect(await signIn({ alg: 'HS256' })).toBeNull();
  });

  it.each(['true', 'True'])('is linked by an email that is verified in text, as %s', async (text) => {
    const admin = await makeAdmin();
    const claims = { sub: unique(), email: admin.email, email_verified: text };
    expect((await oidcBrowser().signIn('trusted', { claims })).session).not.toBeNull();
  });

  it('is linked by a verified email that only the userinfo endpoint has', async () => {
    const admin = await makeAdmin();
    const as = { claims: { sub: unique() }, userinfo: { email: admin.email, email_verified: true } };
    expect((await oidcBrowser().signIn('trusted', as)).session).not.toBeNull();
    expect(await sessionsOf(admin.id)).toBe(1);
  });

  it.each([
    ['of another subject', 'trusted', { userinfo: { sub: 'another', email_verified: true } }],
    ['that isn’t verified', 'trusted', { userinfo: { email_verified: false } }],
    ['through a provider that isn’t configured for it', 'corp', { userinfo: { email_verified: true } }],
    [
      'beside another email in the id_token',
      'trusted',
      { claims: { email: 'x@corp.example' }, userinfo: { email_verified: true } },
    ],
  ] as const)('is not linked by an email of the userinfo endpoint %s', async (_, provider, { userinfo, ...trick }) => {
    const admin = await makeAdmin();
    const claims = { sub: unique(), ...('claims' in trick ? trick.claims : {}) };
    const as = { claims, userinfo: { email: admin.email, ...userinfo } };
    expect((await oidcBrowser().signIn(provider, as)).path).toMatch(/^\/login\?error=no_account/);
    expect(await db.oidcIdentity.count({ where: { adminId: admin.id } })).toBe(0);
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
