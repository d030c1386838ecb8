import { randomBytes } from 'node:crypto';
import { type APIRequestContext, test as base, expect, type Locator, type Page } from '@playwright/test';
import pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import type { Role } from '../../src/lib/access/roles';
import { newSessionSecret } from '../../src/server/secrets/credentials';
import { sha256 } from '../../src/server/secrets/crypto';
import { hashWithArgon2id } from '../../src/server/secrets/password-rules.mjs';
import { checkAccessibility, checkPage, type Watched, watch } from './check-page';

export { expect };

export const FIRST_ADMIN = { email: 'ines@harbourfinch.example', password: 'paper boats on the canal' };

export const url = () => process.env.E2E_URL as string;

export type Api = {
  call<T>(method: string, path: string, data?: object): Promise<T>;
  key: string;
  sql: Sql;
};

export type Domain = { id: string; name: string };

export type Sql = <Row extends pg.QueryResultRow>(query: string, values?: unknown[]) => Promise<Row[]>;
type Account = { email: string; password: string };
type MakeAdmin = (role: Role, domains?: Domain[]) => Promise<Account & { id: string; cookie: string }>;
type MakeSession = (email: string) => Promise<string>;

type WorkerFixtures = {
  sql: Sql;
  /** Opens a session without a sign-in, which takes time and is throttled. @returns the value of its cookie */
  makeSession: MakeSession;
  sessionCookie: string;
  api: Api;
  domain: Domain;
  makeAdmin: MakeAdmin;
};
type TestFixtures = {
  signedIn: Page;
  /** Checks the page where a scenario ends: no console error, off-origin request or horizontal overflow. */
  check: (page?: Page) => Promise<void>;
  /** The same, and the accessibility of a state that no other scenario shows. */
  checkState: (page?: Page) => Promise<void>;
};

/** Every worker has a session of the first admin, and creates a domain of its own through the API. */
export const test = base.extend<TestFixtures & { watched: Watched }, WorkerFixtures>({
  // Each test has a client address of its own, because sign-ins are limited by address.
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures from this pattern.
  extraHTTPHeaders: async ({}, use) => use({ 'X-Forwarded-For': `10.${[...randomBytes(3)].join('.')}` }),
  sql: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures from this pattern.
    async ({}, use) => {
      const client = new pg.Client(process.env.DATABASE_URL);
      await client.connect();
      await use(async (query, values) => (await client.query(query, values)).rows);
      await client.end();
    },
    { scope: 'worker' },
  ],
  makeSession: [
    async ({ sql }, use) => {
      await use(async (email) => {
        const { secret, cookieValue } = newSessionSecret();
        await sql(
          `INSERT INTO session (id, admin_id, secret_hash, ip_address, user_agent, expires_at)
           SELECT $1, id, $2, '127.0.0.1', 'Browser tests', now() + interval '8 hours' FROM admin WHERE email = $3`,
          [uuidv7(), Buffer.from(sha256(secret)), email],
        );
        return cookieValue;
      });
    },
    { scope: 'worker' },
  ],
  sessionCookie: [async ({ makeSession }, use) => use(await makeSession(FIRST_ADMIN.email)), { scope: 'worker' }],
  api: [
    async ({ playwright, sessionCookie, sql }, use) => {
      // The server closes idle connections. One that is used again after a slow command could end with "socket hang up".
      const request = await playwright.request.newContext({ extraHTTPHeaders: { connection: 'close' } });
      const origin = { cookie: `service_session=${sessionCookie}`, origin: url() };
      const data = { name: 'Browser tests', rate_limit: 0 };
      const created = await request.post(`${url()}/api/v1/api-keys`, { data, headers: origin });
      const { key } = (await created.json()).data;
      await use({ key, sql, call: (method, path, body) => callApi(request, key, method, path, body) });
      await request.dispose();
    },
    { scope: 'worker' },
  ],
  domain: [async ({ api }, use) => use(await createDomain(api)), { scope: 'worker' }],
  makeAdmin: [
    async ({ sql, makeSession }, use) => {
      const password = unique('a long password ');
      const passwordHash = await hashWithArgon2id(password);
      await use(async (role, domains = []) => {
        const account = { id: uuidv7(), email: `${unique(role)}@harbourfinch.example`, password };
        await sql(
          `WITH made AS (INSERT INTO admin (id, email, role, password_hash, last_login_at, updated_at)
                         VALUES ($1, $2, $3, $4, now(), now()) RETURNING id)
           INSERT INTO admin_domain (admin_id, domain_id) SELECT made.id, unnest($5::uuid[]) FROM made`,
          [account.id, account.email, role, passwordHash, domains.map(({ id }) => id)],
        );
        return { ...account, cookie: await makeSession(account.email) };
      });
    },
    { scope: 'worker' },
  ],
  signedIn: async ({ page, sessionCookie }, use) => {
    await useSession(page, sessionCookie);
    await use(page);
  },
  watched: async ({ page }, use) => use(watch(page, url())),
  check: async ({ page, watched }, use) => use((other) => checkPage(other ?? page, watched)),
  checkState: async ({ page, watched }, use) =>
    use(async (other) => {
      await checkAccessibility(other ?? page);
      await checkPage(other ?? page, watched);
    }),
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
  let cookies: string | undefined;
  // All tests share one address, which is limited to 5 attempts per second.
  await expect(async () => {
    const response = await post();
    expect(response.status()).toBe(200);
    cookies = response.headers()['set-cookie'];
  }).toPass({ intervals: SIGN_IN_INTERVALS_MS });
  return /service_session=([^;]+)/.exec(cookies ?? '')?.[1] ?? '';
}

const ACT_TIMEOUT_MS = 5_000;
const SIGN_IN_INTERVALS_MS = [250];

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
    .toPass({ intervals: SIGN_IN_INTERVALS_MS, timeout: 30_000 })
    .finally(() => page.setDefaultTimeout(0));
  await expect(outcome).toBeVisible();
}

/** Adds a domain through the API, with a DKIM key and a first check of its DNS. */
export async function createDomain(api: Api): Promise<Domain> {
  return api.call('POST', '/domains', { name: `${unique('d')}.example` });
}

/** Adds a domain without keys, whose DNS is checked only on request. An RSA key would take 100 ms of a core. */
export async function makeDomain({ sql }: Api): Promise<Domain> {
  const domain = { id: uuidv7(), name: `${unique('d')}.example` };
  await sql("INSERT INTO domain (id, name, next_dns_check_at, updated_at) VALUES ($1, $2, '2100-01-01', now())", [
    domain.id,
    domain.name,
  ]);
  return domain;
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

/** Opens the form to send messages, and waits until it takes what is typed. */
export async function openSend(page: Page, path = '/send'): Promise<void> {
  await page.goto(`${url()}${path}`);
  await expect(page.getByRole('main').locator('[inert]')).toHaveCount(0);
}

/** Opens a page of the console from another one as its link would, without one. It takes less work than a new document. */
export async function follow(page: Page, href: string): Promise<void> {
  type Console = Window & { next: { router: { push(to: string): void } } };
  // A page that doesn't run yet has no router.
  await expect(() => page.evaluate((to) => (window as unknown as Console).next.router.push(to), href)).toPass();
}

/** Searches in a picker and chooses the option with this name. */
export async function pick(field: Locator, name: string): Promise<void> {
  await field.click();
  // The name of what is chosen already would be no change, and lists the first of all.
  await field.clear();
  await field.fill(name);
  await field.page().getByRole('option', { name, exact: true }).click();
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
