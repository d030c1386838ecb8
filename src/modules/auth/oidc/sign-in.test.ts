import { afterAll, describe, expect, it, vi } from 'vitest';
import { log } from '@/server/log';
import { makeLinkedAdmin } from '@/test/factories';
import { client, expectError } from '@/test/rest';
import { oidcBrowser } from '@/test/servers/oidc-browser';
import { startOidcProviders } from '@/test/servers/oidc-providers';
import { discoveryUrl, getProvider } from './providers';

const providers = await startOidcProviders();

afterAll(() => Promise.all(Object.values(providers).map((provider) => provider.close())));

const linkedAdmin = (over: { totpEnabled?: boolean } = {}) => makeLinkedAdmin(providers.corp.issuer, over);

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

  it.each([
    ['https://login.microsoftonline.com/t/v2.0', 'https://login.microsoftonline.com/t/v2.0/', '?appid=a+b'],
    ['https://t.ciamlogin.com/t/v2.0', 'https://t.ciamlogin.com/t/v2.0/', '?appid=a+b'],
    ['https://login.microsoftonline.com.example/', 'https://login.microsoftonline.com.example/', ''],
  ])('asks Entra ID for the keys of the app (%s)', (issuer, base, query) => {
    const provider = { ...getProvider('corp'), issuer, clientId: 'a b' };
    expect(discoveryUrl(provider)).toBe(`${base}.well-known/openid-configuration${query}`);
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
