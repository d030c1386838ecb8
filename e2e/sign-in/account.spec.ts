import type { APIRequestContext, Page } from '@playwright/test';
import { generateSync } from 'otplib';
import { alertWith, expect, signIn, test, unique, untilAdmitted, url, useSession } from '../support/fixtures';

/** A code works once, so a second one must come from the next 30-second step, which is accepted too. */
const codeOf = (secret: string, steps = 0) =>
  generateSync({ secret, epoch: Math.floor(Date.now() / 1000) + steps * 30 });

async function typeCode(page: Page, code: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Digit 1' }).click();
  await page.keyboard.type(code);
}

/** Enables two-factor authentication and returns the admin's secret and recovery codes. */
async function enableTwoFactor(page: Page): Promise<{ secret: string; recoveryCodes: string[] }> {
  await page.goto(`${url()}/account`);
  await page.getByRole('button', { name: 'Set up' }).click();
  const shown = await page
    .getByRole('region', { name: 'Two-factor authentication' })
    .getByText(/^([A-Z2-7]{4} ?){8}$/)
    .innerText();
  const secret = shown.replaceAll(' ', '');
  await typeCode(page, codeOf(secret));
  const dialog = page.getByRole('dialog', { name: 'Save your recovery codes' });
  await expect(dialog.getByRole('listitem')).toHaveCount(10);
  const recoveryCodes = await dialog.getByRole('listitem').allInnerTexts();
  await dialog.getByRole('button', { name: 'I’ve saved them' }).click();
  return { secret, recoveryCodes };
}

async function passwordStep(page: Page, { email, password }: { email: string; password: string }, next = '/') {
  await page.context().clearCookies();
  await page.goto(`${url()}/login?next=${encodeURIComponent(next)}`);
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  const press = () => page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await untilAdmitted(page, press, page.getByRole('heading', { name: 'Enter your code' }));
}

async function statusOf(request: APIRequestContext, cookie: string): Promise<number> {
  const headers = { cookie: `service_session=${cookie}` };
  return (await request.get(`${url()}/api/v1/auth/me`, { headers })).status();
}

test('two-factor authentication is set up with a code and required at the next sign-in', async ({
  page,
  makeAdmin,
  check,
  checkState,
}) => {
  const admin = await makeAdmin('admin');
  await useSession(page, admin.cookie);
  await page.goto(`${url()}/account`);
  await page.getByRole('button', { name: 'Set up' }).click();
  await expect(page.getByRole('img', { name: /QR code/ })).toBeVisible();
  await check();
  await typeCode(page, '000000');
  await expect(alertWith(page, 'The code is incorrect')).toBeVisible();
  await expect(page.getByRole('textbox', { name: 'Digit 1' })).toBeFocused();
  await checkState();

  const { secret, recoveryCodes } = await enableTwoFactor(page);
  expect(new Set(recoveryCodes).size).toBe(10);
  await expect(page.getByRole('region', { name: 'Two-factor authentication' })).toContainText(
    'If you lose the authenticator app',
  );
  await check();

  await passwordStep(page, admin, '/messages');
  await expect(page.getByRole('list', { name: 'Sign-in steps' })).toContainText('Password accepted');
  await expect(page.getByRole('timer')).toHaveText(/^[45]:\d\d left$/);
  await check();
  await untilAdmitted(page, () => typeCode(page, '000000'), alertWith(page, '4 attempts left.'));
  await checkState();
  const messages = page.getByRole('heading', { name: 'Messages', level: 1 });
  await untilAdmitted(page, () => typeCode(page, codeOf(secret, 1)), messages);
  await expect(page).toHaveURL(`${url()}/messages`);
});

test('a recovery code works once, and the fifth wrong code returns to the password step', async ({
  page,
  makeAdmin,
  check,
}) => {
  const admin = await makeAdmin('admin');
  await useSession(page, admin.cookie);
  const { recoveryCodes } = await enableTwoFactor(page);
  const [code = ''] = recoveryCodes;
  await passwordStep(page, admin);
  await page.getByRole('button', { name: 'Use recovery code' }).click();
  const give = (given: string) => async () => {
    await page.getByLabel('Recovery code').fill(given);
    await page.getByRole('button', { name: 'Continue' }).click();
  };
  await check();
  await untilAdmitted(page, give(code.toLowerCase()), page.getByRole('heading', { name: 'Overview' }));

  await passwordStep(page, admin);
  await page.getByRole('button', { name: 'Use recovery code' }).click();
  for (const left of ['4 attempts', '3 attempts', '2 attempts', '1 attempt', 'No attempts']) {
    await untilAdmitted(page, give(code), alertWith(page, `${left} left.`));
  }
  await untilAdmitted(page, give(code), page.getByRole('heading', { name: 'Sign in' }));
  await expect(alertWith(page, 'Start over with your password.')).toBeVisible();
  await check();
});

test('a recovery code signs in from a computer whose clock is an hour ahead', async ({ page, makeAdmin, check }) => {
  const admin = await makeAdmin('admin');
  await useSession(page, admin.cookie);
  const { recoveryCodes } = await enableTwoFactor(page);
  await page.clock.install({ time: Date.now() + 3_600_000 });
  await passwordStep(page, admin);
  await expect(page.getByRole('timer')).toHaveText(/^[45]:\d\d left$/);
  await page.getByRole('button', { name: 'Use recovery code' }).click();
  await page.getByLabel('Recovery code').fill(recoveryCodes[0] ?? '');
  const press = () => page.getByRole('button', { name: 'Continue' }).click();
  await untilAdmitted(page, press, page.getByRole('heading', { name: 'Overview' }));
  await check();
});

test('disabling two-factor authentication requires a code', async ({ page, makeAdmin, check }) => {
  const admin = await makeAdmin('domain_admin');
  await useSession(page, admin.cookie);
  const { secret } = await enableTwoFactor(page);
  await page.getByRole('button', { name: 'Disable' }).click();
  const dialog = page.getByRole('dialog', { name: 'Disable two-factor authentication?' });
  await expect(dialog.getByRole('button', { name: 'Disable' })).toBeDisabled();
  await typeCode(page, '000000');
  await dialog.getByRole('button', { name: 'Disable' }).click();
  await expect(alertWith(page, 'The code is incorrect')).toBeVisible();
  await check();
  await page.keyboard.type(codeOf(secret, 1));
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Set up' })).toBeVisible();
});

test('lists sessions with the current one marked, and ends one or all', async ({
  page,
  request,
  makeAdmin,
  makeSession,
  check,
}) => {
  const admin = await makeAdmin('admin');
  const firefox = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0' };
  const cookie = await signIn(request, admin, firefox);
  await useSession(page, admin.cookie);
  await page.goto(`${url()}/account`);
  const sessions = page.getByRole('table', { name: 'Sessions' }).getByRole('row');
  await expect(sessions).toHaveCount(3);
  await expect(sessions.filter({ hasText: 'Current' })).toHaveCount(1);
  await check();

  await page.getByRole('button', { name: 'End session: Firefox 145 on Linux' }).click();
  await expect(sessions).toHaveCount(2);
  expect(await statusOf(request, cookie)).toBe(401);
  expect(await statusOf(request, admin.cookie)).toBe(200);

  await makeSession(admin.email);
  await page.reload();
  await page.getByRole('button', { name: 'Sign out everywhere (2)' }).click();
  await check();
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click();
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  expect(await statusOf(request, admin.cookie)).toBe(401);
});

test('changing the password validates its fields and ends the other sessions', async ({
  page,
  request,
  makeAdmin,
  makeSession,
  check,
}) => {
  const admin = await makeAdmin('admin');
  const cookie = await makeSession(admin.email);
  await useSession(page, admin.cookie);
  await page.goto(`${url()}/account`);
  await page.getByRole('button', { name: 'Change password' }).click();
  const dialog = page.getByRole('dialog', { name: 'Change password' });
  const fill = async (current: string, next: string, repeated = next) => {
    await dialog.getByRole('textbox', { name: 'Current password' }).fill(current);
    await dialog.getByRole('textbox', { name: 'New password', exact: true }).fill(next);
    await dialog.getByRole('textbox', { name: 'Confirm new password' }).fill(repeated);
    await dialog.getByRole('button', { name: 'Change password' }).click();
  };
  await fill(admin.password, 'short', 'other');
  await expect(dialog.getByText('Enter a password of at least 12 characters.')).toBeVisible();
  await expect(dialog.getByText('The passwords don’t match.')).toBeVisible();
  await fill('not the password', 'tin boats on the river');
  await expect(dialog.getByText('The current password is incorrect.')).toBeVisible();
  await fill(admin.password, 'passwordpassword');
  await expect(dialog.getByText('This password is too common.')).toBeVisible();
  await check();
  await expect(dialog.getByRole('checkbox', { name: 'Revoke all my API keys' })).not.toBeChecked();
  const next = unique('tin boats on the river ');
  await fill(admin.password, next);
  await expect(dialog).toBeHidden();
  expect(await statusOf(request, cookie)).toBe(401);
  await signIn(request, { ...admin, password: next });
  await expect(page.getByRole('heading', { name: 'Account' })).toBeVisible();
});
