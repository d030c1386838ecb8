import type { Page } from '@playwright/test';
import { failProcedure, holdRequests, withoutCookies } from '../support/faults';
import { alertWith, expect, FIRST_ADMIN, test, unique, url, useSession } from '../support/fixtures';

async function fillIn(page: Page, { email, password }: { email: string; password: string }): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

test('empty fields are reported before anything is sent; an unknown email and a wrong password get the same error, and the right one opens the requested page', async ({
  page,
  check,
  checkState,
}) => {
  await page.goto(`${url()}/login?next=${encodeURIComponent('/messages?status=failed')}`);
  await fillIn(page, { email: '', password: '' });
  await expect(page.getByRole('textbox', { name: 'Email' })).toHaveAccessibleDescription('Enter your email address.');
  await expect(page.getByRole('textbox', { name: 'Password' })).toHaveAccessibleDescription('Enter your password.');
  await checkState();

  const unknown = `${unique()}@harbourfinch.example`;
  await fillIn(page, { email: unknown, password: 'not the password' });
  await expect(alertWith(page, 'Incorrect email or password.')).toBeVisible();
  await expect(page.getByLabel('Email')).toHaveValue(unknown);

  const answered = page.waitForResponse((response) => response.url().includes('auth.login'));
  await fillIn(page, { ...FIRST_ADMIN, password: 'not the password' });
  await answered;
  await expect(alertWith(page, 'Incorrect email or password.')).toBeVisible();
  await expect(alertWith(page, 'INVALID_CREDENTIALS')).toBeVisible();
  await expect(page.getByLabel('Email')).toHaveValue(FIRST_ADMIN.email);
  await check();

  await fillIn(page, FIRST_ADMIN);
  await expect(page).toHaveURL(`${url()}/messages?status=failed`);
});

test('says that a proxy answered instead of Postroom', async ({ page }) => {
  const proxy = { status: 502, contentType: 'text/html', body: '<h1>Bad gateway</h1>' };
  await page.route('**/api/trpc/auth.login?*', (route) => route.fulfill(proxy));
  await page.goto(`${url()}/login`);
  await fillIn(page, FIRST_ADMIN);
  await expect(alertWith(page, 'A proxy in front of Postroom answered with 502.')).toBeVisible();
});

test('signing in with the address of another site as the next page opens the overview', async ({ page, check }) => {
  await page.goto(`${url()}/login?next=${encodeURIComponent('//evil.example')}`);
  await fillIn(page, FIRST_ADMIN);
  await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible();
  await expect(page).toHaveURL(`${url()}/`);
  await check();
});

test('signing out ends the session in the browser and on the server', async ({ page, request, makeSession, check }) => {
  const cookie = await makeSession(FIRST_ADMIN.email);
  await useSession(page, cookie);
  await page.goto(`${url()}/domains`);
  await page.getByRole('button', { name: `Account: ${FIRST_ADMIN.email}` }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();

  await page.goto(`${url()}/domains`);
  await expect(page).toHaveURL(`${url()}/login?next=%2Fdomains`);
  const old = await request.get(`${url()}/api/v1/auth/me`, { headers: { cookie: `service_session=${cookie}` } });
  expect(old.status()).toBe(401);
  await check();
});

test('a browser that doesn’t keep the session cookie says so, and signs in once it does', async ({
  page,
  check,
  checkState,
}) => {
  await page.goto(`${url()}/login?next=/domains`);
  await withoutCookies(page, 'auth.login');
  await fillIn(page, FIRST_ADMIN);
  await expect(alertWith(page, 'Your browser didn’t keep the session cookie')).toContainText('https');
  await checkState();

  await page.unrouteAll();
  await page.getByRole('button', { name: 'Sign in again' }).click();
  await fillIn(page, FIRST_ADMIN);
  await expect(page).toHaveURL(`${url()}/domains`);
  await check();
});

test('a throttled sign-in shows the wait and then continues', async ({ page, check }) => {
  await page.goto(`${url()}/login`);
  const letThrough = await failProcedure(page, 'auth.login', {
    status: 429,
    code: 'RATE_LIMIT_EXCEEDED',
    message: 'Your IP address exceeded 5 sign-in attempts per second. Try again in 2 seconds.',
    details: { retry_after_seconds: 2 },
  });
  await fillIn(page, FIRST_ADMIN);
  await expect(page.getByRole('button', { name: /^Sign in \(wait [12] s\)$/ })).toBeDisabled();
  await expect(alertWith(page, 'Try again in 2 seconds.')).toBeVisible();
  await expect(page.getByLabel('Email')).toHaveValue(FIRST_ADMIN.email);
  await check();

  await letThrough();
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible();
});

test('what is typed before the scripts run is kept', async ({ page }) => {
  const release = await holdRequests(page, '**/*.js');
  await page.goto(`${url()}/login?next=/account`, { waitUntil: 'commit' });
  await page.getByLabel('Email').fill(FIRST_ADMIN.email);
  // Else the browser would write the fields into the URL when it sends them itself.
  await expect(page.locator('form')).toHaveAttribute('method', 'post');
  release();
  await page.waitForLoadState('networkidle');
  await page.getByLabel('Password', { exact: true }).fill(FIRST_ADMIN.password);
  await expect(page.getByLabel('Email')).toHaveValue(FIRST_ADMIN.email);
  // A password manager may set a value without an event.
  await page.getByLabel('Email').fill('somebody@else.example');
  await page.getByLabel('Email').evaluate((field: HTMLInputElement, email) => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(field, email);
  }, FIRST_ADMIN.email);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(page).toHaveURL(`${url()}/account`);
});

test('offers sign-in with scripts that were loaded before the session ended', async ({ page, makeSession }) => {
  await useSession(page, await makeSession(FIRST_ADMIN.email));
  const loaded = page.waitForResponse(
    async (response) => response.url().endsWith('.js') && (await response.text()).includes('Your session has ended'),
  );
  await page.goto(`${url()}/domains`);
  await loaded;
  await page.waitForLoadState('networkidle');
  await page.route('**/*.js', (route) => route.abort());
  await page.context().clearCookies();
  await page.getByRole('textbox', { name: /^Filter/ }).fill('far');
  await expect(page.getByRole('dialog', { name: 'Sign in again' })).toBeVisible();
});

test('a session that ends while a form is filled keeps the form and offers sign-in', async ({
  page,
  request,
  makeSession,
  domain,
  check,
}) => {
  const cookie = await makeSession(FIRST_ADMIN.email);
  await useSession(page, cookie);
  const subject = unique('Kept ');
  await page.goto(`${url()}/send?to=ann@far.example&subject=${subject}&from=desk@${domain.name}`);
  await page.getByLabel('Text body').fill('Written before the session ended.');
  await request.post(`${url()}/api/v1/auth/logout`, {
    headers: { cookie: `service_session=${cookie}`, origin: url() },
  });
  await page.getByRole('button', { name: 'Send message' }).click();

  const dialog = page.getByRole('dialog', { name: 'Sign in again' });
  await expect(dialog.getByLabel('Email')).toHaveValue(FIRST_ADMIN.email);
  await check();
  await dialog.getByLabel('Password', { exact: true }).fill(FIRST_ADMIN.password);
  await dialog.getByRole('button', { name: 'Sign in' }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByLabel('Text body')).toHaveValue('Written before the session ended.');
  await expect(page.getByLabel('Subject')).toHaveValue(subject);

  await page.getByRole('button', { name: 'Send message' }).click();
  await expect(page.getByRole('status', { name: 'Result' })).toContainText('The mail server accepted the message');
  await check();
});
