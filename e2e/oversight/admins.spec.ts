import { expect, makeDomain, test, unique, url, useSession } from '../support/fixtures';

test('adds an admin, changes role and password, and deletes the admin', async ({
  signedIn: page,
  request,
  api,
  check,
}) => {
  const domain = await makeDomain(api);
  const email = `${unique('ben')}@harbourfinch.example`;
  const login = (password: string) => request.post(`${url()}/api/v1/auth/login`, { data: { email, password } });
  await page.goto(`${url()}/admins`);
  await page.getByRole('button', { name: 'Add admin' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add admin' });
  await dialog.getByRole('button', { name: 'Add admin' }).click();
  await expect(dialog.getByLabel('Email')).toHaveAccessibleDescription(/Enter an email address/);
  await dialog.getByLabel('Email').fill(email);
  await dialog.getByRole('textbox', { name: 'Initial password' }).fill('a long first password');
  await dialog.getByRole('combobox', { name: 'Role' }).click();
  await page.getByRole('option', { name: 'Domain admin' }).click();
  await dialog.getByRole('combobox', { name: 'Assigned domains' }).fill(domain.name);
  await page.getByRole('option', { name: domain.name }).click();
  await page.keyboard.press('Tab');
  await check();
  await dialog.getByRole('button', { name: 'Add admin' }).click();
  await expect(page.getByRole('heading', { name: email })).toBeVisible();
  await expect(page.getByText('Never signed in')).toBeVisible();
  expect((await login('a long first password')).status()).toBe(200);
  await check();

  await page.getByRole('combobox', { name: 'Role' }).click();
  await page.getByRole('option', { name: 'Super admin' }).click();
  await page.getByRole('button', { name: 'Save changes' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'Saved' })).toBeVisible();
  await page.getByRole('textbox', { name: 'New password' }).fill('another long password');
  await page.getByRole('button', { name: 'Set password' }).click();
  await expect(page.getByText('Password changed')).toBeVisible();
  const answer = await (await login('another long password')).json();
  expect(answer.data.admin.role).toBe('super_admin');

  await page.getByRole('button', { name: 'Delete admin' }).click();
  const confirm = page.getByRole('dialog', { name: `Delete ${email}` });
  await expect(confirm.getByRole('button', { name: 'Delete admin' })).toBeDisabled();
  await confirm.getByLabel(`Type ${email} to confirm`).fill(email);
  await check();
  await confirm.getByRole('button', { name: 'Delete admin' }).click();
  await expect(page).toHaveURL(`${url()}/admins`);
  expect((await login('another long password')).status()).toBe(401);
});

test('marks a super admin without a second factor, and reports an address in use on its field', async ({
  signedIn: page,
  makeAdmin,
  check,
}) => {
  const lesser = await makeAdmin('admin');
  await page.goto(`${url()}/admins?q=${lesser.email}`);
  const mark = (of: string) => page.getByRole('row', { name: of }).locator('[data-tone]:visible');
  await expect(mark(lesser.email)).toHaveText('Disabled');
  await expect(mark(lesser.email)).toHaveAttribute('data-tone', 'quiet');
  const { email } = await makeAdmin('super_admin');
  await page.goto(`${url()}/admins?q=${email}`);
  await expect(mark(email)).toHaveText('Disabled');
  await expect(mark(email)).toHaveAttribute('data-tone', 'deferred');
  await check();

  await page.getByRole('button', { name: 'Add admin' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add admin' });
  await dialog.getByLabel('Email').fill(email);
  await dialog.getByRole('textbox', { name: 'Initial password' }).fill('a long first password');
  await dialog.getByRole('button', { name: 'Add admin' }).click();
  await expect(dialog.getByLabel('Email')).toHaveAccessibleDescription(/An admin with this address already exists/);
  await expect(dialog.getByLabel('Email')).toHaveValue(email);
  await check();
});

test('applies a lower role to an open console immediately', async ({ page, api, makeAdmin, checkState }) => {
  const admin = await makeAdmin('super_admin');
  await useSession(page, admin.cookie);
  await page.goto(`${url()}/admins`);
  await expect(page.getByRole('row', { name: admin.email })).toContainText('You');
  await api.call('PATCH', `/admins/${admin.id}`, { role: 'domain_admin' });
  await page.getByRole('link', { name: 'Domains', exact: true }).click();
  await expect(page.getByRole('dialog', { name: 'Sign in again' })).toBeVisible();
  await checkState();
});

test('the page of the signed-in admin leads to the account page for the password', async ({
  page,
  makeAdmin,
  check,
}) => {
  const admin = await makeAdmin('super_admin');
  await useSession(page, admin.cookie);
  await page.goto(`${url()}/admins`);
  await page.getByRole('link', { name: admin.email }).click();
  const section = page.getByRole('region', { name: 'Sign-in' });
  await expect(section).toBeVisible();
  await expect(page).toHaveTitle(/^Admin ·/);
  await check();
  await expect(page.getByRole('button', { name: 'Set password' })).toHaveCount(0);
  await section.getByRole('link', { name: 'account page' }).click();
  await expect(page.getByRole('heading', { name: 'Account' })).toBeVisible();
});
