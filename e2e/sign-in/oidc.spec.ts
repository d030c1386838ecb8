import type { APIRequestContext } from '@playwright/test';
import { generateSync } from 'otplib';
import { alertWith, useSession } from '../support/fixtures';
import {
  expect,
  expectSignedOut,
  issuerOf,
  nameAccount,
  providerLink,
  setTrick,
  test,
  unique,
  url,
} from './oidc/fixtures';

test('signing in with a provider on another site returns to the requested page', async ({
  page,
  linkedAdmin,
  checkHere,
}) => {
  const admin = await linkedAdmin('harbour');
  await page.goto(`${url()}/login?next=${encodeURIComponent('/messages?status=failed')}`);
  await checkHere();
  const hop = page.waitForRequest('**/signed-in?*');
  const landing = page.waitForRequest(`${url()}/messages?status=failed`);
  await providerLink(page, 'Harbour ID').click();
  await expect(page).toHaveURL(new RegExp(`^${issuerOf('harbour')}/interaction/`));
  await nameAccount(page, admin.subject);
  await expect(page.getByRole('heading', { name: 'Messages' })).toBeVisible();
  await expect(page).toHaveURL(`${url()}/messages?status=failed`);
  await expect(page.getByRole('button', { name: `Account: ${admin.email}` })).toBeVisible();
  expect(await admin.sessions()).toBe(1);

  // The redirect from the other site comes without the Strict cookie, the next navigation with it.
  expect((await (await hop).allHeaders()).cookie ?? '').not.toContain('service_session');
  expect((await (await landing).allHeaders()).cookie).toContain('service_session');
  await checkHere();
});

test('an admin whose session has ended signs in with a provider in another tab, and goes on', async ({
  page,
  context,
  linkedAdmin,
}) => {
  const admin = await linkedAdmin('harbour');
  await useSession(page, admin.cookie);
  await page.goto(`${url()}/domains`);
  await expect(page.getByRole('button', { name: `Account: ${admin.email}` })).toBeVisible();
  await context.clearCookies({ name: 'service_session' });
  await page.getByRole('textbox', { name: /^Filter/ }).fill('far');
  const dialog = page.getByRole('dialog', { name: 'Sign in again' });
  const opened = context.waitForEvent('page');
  await dialog.getByRole('link', { name: 'Sign in with Harbour ID' }).click();
  const other = await opened;
  await nameAccount(other, admin.subject);
  await expect(other.getByRole('heading', { name: 'Overview' })).toBeVisible();
  await expect(dialog).toBeHidden();
  await expect(page.getByRole('textbox', { name: /^Filter/ })).toHaveValue('far');
});

test('an admin with a second factor must enter it before a session is opened', async ({
  page,
  context,
  request,
  linkedAdmin,
  checkHere,
}) => {
  const admin = await linkedAdmin('harbour');
  const recoveryCode = await enableTotp(request, admin.cookie);
  const callback = page.waitForResponse((response) => response.url().includes('/auth/oidc/callback/'));
  await page.goto(`${url()}/login?next=/domains`);
  await providerLink(page, 'Harbour ID').click();
  await nameAccount(page, admin.subject);
  expect((await callback).headers().location).toMatch(/^\/login\?next=%2Fdomains#totp_session=[\w-]{43}$/);
  await expect(page.getByRole('heading', { name: 'Enter your code' })).toBeVisible();
  await expect(page).toHaveURL(`${url()}/login?next=%2Fdomains`);
  await expectSignedOut(context);
  expect(await admin.sessions()).toBe(0);
  await checkHere();

  await page.getByRole('button', { name: 'Use recovery code' }).click();
  await page.getByLabel('Recovery code').fill(recoveryCode);
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect(page.getByRole('heading', { name: 'Domains' })).toBeVisible();
  expect(await admin.sessions()).toBe(1);
});

test('an unlinked account is reported without naming it', async ({ page, context, checkHere }) => {
  const account = unique('stranger');
  await page.goto(`${url()}/login`);
  await providerLink(page, 'Harbour ID').click();
  await nameAccount(page, account);
  await expect(alertWith(page, 'That account isn’t linked to an admin')).toBeVisible();
  expect(await page.content()).not.toContain(account);
  await expectSignedOut(context);
  await checkHere();
});

test('a signed-in admin links an account, signs in with it, and disconnects it', async ({
  page,
  context,
  makeAdmin,
  checkHere,
}) => {
  const { email, cookie } = await makeAdmin('domain_admin');
  const account = unique('s');
  await useSession(page, cookie);
  await page.goto(`${url()}/account`);
  const section = page.getByRole('region', { name: 'Identity provider' });
  await section.getByRole('button', { name: 'Link Harbour ID' }).click();
  await nameAccount(page, account);
  await expect(section.getByText('Harbour ID', { exact: true })).toBeVisible();
  await checkHere();

  await context.clearCookies();
  await page.goto(`${url()}/login?next=/account`);
  await providerLink(page, 'Harbour ID').click();
  await nameAccount(page, account);
  await expect(page.getByRole('button', { name: `Account: ${email}` })).toBeVisible();
  await section.getByRole('button', { name: 'Disconnect' }).click();
  const dialog = page.getByRole('dialog', { name: 'Disconnect Harbour ID?' });
  await dialog.getByRole('button', { name: 'Disconnect' }).click();
  await expect(section.getByRole('button', { name: 'Link Harbour ID' })).toBeVisible();
  await checkHere();
});

test('an account linked to another admin is rejected on the account page', async ({
  page,
  makeAdmin,
  linkedAdmin,
  checkStateHere,
}) => {
  const owner = await linkedAdmin('harbour');
  const { cookie } = await makeAdmin('admin');
  await useSession(page, cookie);
  await page.goto(`${url()}/account`);
  await page.getByRole('button', { name: 'Link Harbour ID' }).click();
  await nameAccount(page, owner.subject);
  await expect(alertWith(page, 'That account is linked to another admin')).toBeVisible();
  await expect(page).toHaveURL(`${url()}/account?error=identity_taken`);
  await checkStateHere();
});

test('a super admin removes the account of another admin', async ({ page, makeAdmin, linkedAdmin, checkHere }) => {
  const owner = await linkedAdmin('harbour');
  await useSession(page, (await makeAdmin('super_admin')).cookie);
  await page.goto(`${url()}/admins/${owner.id}`);
  const section = page.getByRole('region', { name: 'Identity provider' });
  await expect(section.getByText(owner.subject)).toBeVisible();
  await checkHere();
  await section.getByRole('button', { name: 'Disconnect' }).click();
  const dialog = page.getByRole('dialog', { name: 'Disconnect the identity provider' });
  await dialog.getByRole('button', { name: 'Disconnect' }).click();
  await expect(section.getByText('Not linked')).toBeVisible();
  expect(await owner.sessions()).toBe(-1);
});

test('a link finished in another browser has no effect', async ({ page, browser, makeAdmin, sql }) => {
  const { cookie, email } = await makeAdmin('admin');
  await useSession(page, cookie);
  await page.goto(`${url()}/account`);
  const address = await page.evaluate(async () => {
    const answer = await fetch('/api/v1/auth/oidc/link/harbour', { method: 'POST' });
    return (await answer.json()).data.url as string;
  });
  const other = await browser.newPage();
  await other.goto(address);
  await nameAccount(other, unique('s'));
  await expect(alertWith(other, 'This sign-in has expired or was already used')).toBeVisible();
  await other.close();
  const rows = await sql('SELECT 1 FROM oidc_identity JOIN admin ON admin.id = admin_id WHERE email = $1', [email]);
  expect(rows).toEqual([]);
});

test('two tabs that sign in through two providers at once stay separate', async ({ context, linkedAdmin }) => {
  const [first, second] = [await linkedAdmin('harbour'), await linkedAdmin('mallory')];
  const [one, two] = [await context.newPage(), await context.newPage()];
  await one.goto(`${url()}/login`);
  await providerLink(one, 'Harbour ID').click();
  await expect(one.getByRole('textbox', { name: 'Account' })).toBeVisible();
  await setTrick(context, { claims: { sub: second.subject } });
  await two.goto(`${url()}/login`);
  await providerLink(two, 'Mallory').click();
  await expect(two.getByRole('button', { name: `Account: ${second.email}` })).toBeVisible();
  await nameAccount(one, first.subject);
  await expect(one.getByRole('button', { name: `Account: ${first.email}` })).toBeVisible();
  expect([await first.sessions(), await second.sessions()]).toEqual([1, 1]);
});

/** @returns a recovery code */
async function enableTotp(request: APIRequestContext, cookie: string): Promise<string> {
  const headers = { cookie: `service_session=${cookie}`, origin: url() };
  const setup = await request.post(`${url()}/api/v1/auth/totp/setup`, { headers });
  const secret = new URL((await setup.json()).data.provisioning_uri).searchParams.get('secret') as string;
  const data = { code: generateSync({ secret }) };
  const verified = await request.post(`${url()}/api/v1/auth/totp/verify`, { headers, data });
  return (await verified.json()).data.recovery_codes[0];
}
