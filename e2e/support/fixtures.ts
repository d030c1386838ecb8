import { randomBytes } from 'node:crypto';
import { type APIRequestContext, test as base, expect, type Locator, type Page } from '@playwright/test';
import pg from 'pg';
import type { Role } from '../../src/lib/roles';
import { checkPage, watch } from './check-page';

export { expect };

export const FIRST_ADMIN = { email: 'ines@harbourfinch.example', password: 'paper boats on the canal' };

export const url = () => process.env.E2E_URL as string;

export type Api = {
  call<T>(method: string, path: string, data?: object): Promise<T>;
  key: string;
};

export type Domain = { id: string; name: string };

export type Sql = <Row extends pg.QueryResultRow>(query: string, values?: unknown[]) => Promise<Row[]>;
type Account = { email: string; password: string };
type MakeAdmin = (role: Role, domains?: Domain[]) => Promise<Account & { id: string; cookie: string }>;

type WorkerFixtures = { sessionCookie: string; api: Api; domain: Domain; sql: Sql; makeAdmin: MakeAdmin };
type TestFixtures = { signedIn: Page; check: (page?: Page) => Promise<void> };

/** Every worker signs in once and creates a domain of its own through the API. */
export const test = base.extend<TestFixtures, WorkerFixtures>({
  sessionCookie: [
    async ({ playwright }, use) => {
      const request = await playwright.request.newContext();
      await use(await signIn(request, FIRST_ADMIN));
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
  sql: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures from this pattern.
    async ({}, use) => {
      const client = new pg.Client(process.env.E2E_DATABASE_URL);
      await client.connect();
      await use(async (query, values) => (await client.query(query, values)).rows);
      await client.end();
    },
    { scope: 'worker' },
  ],
  makeAdmin: [
    async ({ playwright, api }, use) => {
      const request = await playwright.request.newContext();
      await use(async (role, domains = []) => {
        const account = { email: `${unique(role)}@harbourfinch.example`, password: unique('a long password ') };
        const domain_ids = domains.map(({ id }) => id);
        const { id } = await api.call<{ id: string }>('POST', '/admins', { ...account, role, domain_ids });
        return { ...account, id, cookie: await signIn(request, account) };
      });
      await request.dispose();
    },
    { scope: 'worker' },
  ],
  signedIn: async ({ page, sessionCookie }, use) => {
    await useSession(page, sessionCookie);
    await use(page);
  },
  check: async ({ page }, use) => {
    const watched = watch(page, url());
    await use((other) => checkPage(other ?? page, watched));
  },
});

export async function useSession(page: Page, cookie: string): Promise<void> {
  const session = { name: 'service_session', value: cookie, url: url(), httpOnly: true, sameSite: 'Strict' as const };
  await page.context().addCookies([session]);
}

/** @returns the value of the session cookie */
export async function signIn(
  request: APIRequestContext,
  { email, password }: Account,
  headers: Record<string, string> = {},
): Promise<string> {
  const data = { email, password };
  const post = () => request.post(`${url()}/api/v1/auth/login`, { data, headers });
  let response = await post();
  // All tests share one address, which is limited to 5 attempts per second.
  for (let tries = 1; response.status() === 429 && tries < 10; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 1000));
    response = await post();
  }
  expect(response.status()).toBe(200);
  return /service_session=([^;]+)/.exec(response.headers()['set-cookie'] ?? '')?.[1] ?? '';
}

const ACT_TIMEOUT_MS = 5_000;

/** Repeats `act` until the sign-in throttle, which other tests share, lets it through. */
export async function untilAdmitted(page: Page, act: () => Promise<void>, outcome: Locator): Promise<void> {
  const throttled = alertWith(page, 'sign-in attempts per second');
  let isRepeated = false;
  // The outcome may replace the form while `act` waits for a field of it.
  page.setDefaultTimeout(ACT_TIMEOUT_MS);
  await expect(async () => {
    // A slow page may show the outcome after the first try, and then there is nothing to repeat.
    if (isRepeated && (await outcome.isVisible())) return;
    isRepeated = true;
    await act();
    await expect(outcome.or(throttled).first()).toBeVisible();
    await expect(throttled).toHaveCount(0, { timeout: 1 });
  })
    .toPass({ intervals: [1100], timeout: 30_000 })
    .finally(() => page.setDefaultTimeout(0));
  await expect(outcome).toBeVisible();
}

export async function makeDomain(api: Api): Promise<Domain> {
  return api.call('POST', '/domains', { name: `${unique('d')}.example` });
}

/** Sends a message through the API and returns its record once the receiving server has answered. */
export async function sendMessage(api: Api, domain: Domain, message: object = {}): Promise<{ id: string }> {
  const { message_id } = await api.call<{ message_id: string }>('POST', '/send', {
    from: { email: `orders@${domain.name}` },
    to: [{ email: 'ann@far.example' }],
    subject: unique('Order '),
    text_body: 'It is on its way.',
    ...message,
  });
  const find = async () => {
    const path = `/messages?message_id=${encodeURIComponent(message_id)}`;
    const [row] = await api.call<{ id: string; status: string }[]>('GET', path);
    return row as { id: string; status: string };
  };
  await expect.poll(async () => (await find()).status, { intervals: [100] }).not.toMatch(/submitting|sent/);
  return find();
}

/** The alert with this text. Next.js has an empty alert of its own on every page. */
export function alertWith(page: Page, text: string): Locator {
  return page.getByRole('alert').filter({ hasText: text });
}

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
