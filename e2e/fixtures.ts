import { randomBytes } from 'node:crypto';
import { type APIRequestContext, test as base, expect, type Page } from '@playwright/test';
import { checkPage, watch } from './check-page';

export { expect };

export const FIRST_ADMIN = { email: 'ines@harbourfinch.example', password: 'paper boats on the canal' };

export const url = () => process.env.E2E_URL as string;

type Api = {
  call<T>(method: string, path: string, data?: object): Promise<T>;
  key: string;
};

type WorkerFixtures = { sessionCookie: string; api: Api; domain: { id: string; name: string } };
type TestFixtures = { signedIn: Page; check: (page?: Page) => Promise<void> };

/** Every worker signs in once and makes a domain of its own through the API. */
export const test = base.extend<TestFixtures, WorkerFixtures>({
  sessionCookie: [
    async ({ playwright }, use) => {
      const request = await playwright.request.newContext();
      const response = await request.post(`${url()}/api/v1/auth/login`, { data: FIRST_ADMIN });
      expect(response.status()).toBe(200);
      await use((response.headers()['set-cookie'] ?? '').split(';')[0]?.split('=').slice(1).join('=') ?? '');
      await request.dispose();
    },
    { scope: 'worker' },
  ],
  api: [
    async ({ playwright, sessionCookie }, use) => {
      const request = await playwright.request.newContext();
      const origin = { cookie: `service_session=${sessionCookie}`, origin: url() };
      const data = { name: 'Browser tests', rate_limit: 0 };
      const created = await request.post(`${url()}/api/v1/api-keys`, { data, headers: origin });
      const { key } = (await created.json()).data;
      await use({ key, call: (method, path, body) => callApi(request, key, method, path, body) });
      await request.dispose();
    },
    { scope: 'worker' },
  ],
  domain: [
    async ({ api }, use) => {
      await use(await api.call('POST', '/domains', { name: `w${randomBytes(5).toString('hex')}.example` }));
    },
    { scope: 'worker' },
  ],
  signedIn: async ({ page, sessionCookie }, use) => {
    await page
      .context()
      .addCookies([{ name: 'service_session', value: sessionCookie, url: url(), httpOnly: true, sameSite: 'Strict' }]);
    await use(page);
  },
  check: async ({ page }, use) => {
    const watched = watch(page, url());
    await use((other) => checkPage(other ?? page, watched));
  },
});

export function unique(prefix = 'x'): string {
  return `${prefix}${randomBytes(5).toString('hex')}`;
}

async function callApi<T>(
  request: APIRequestContext,
  key: string,
  method: string,
  path: string,
  data?: object,
): Promise<T> {
  const headers = { authorization: `Bearer ${key}` };
  const response = await request.fetch(`${url()}/api/v1${path}`, { method, headers, data });
  const body = await response.json();
  if (body.error) throw new Error(`${method} ${path}: ${response.status()} ${body.error.code} ${body.error.message}`);
  return body.data as T;
}
