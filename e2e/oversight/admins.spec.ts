import { expect, makeDomain, test, unique, url, useSession } from '../support/fixtures';

test('an admin is added, limited to a domain, given a new password and deleted', async ({
  signedIn: page,
  request,
  api,
  check,
}) => {
  const domain = await makeDomain(api);
  const email = `${unique('ben')}@harbourfinch.example`;
  const login = (password: string) => request.post(`${url()}/api/v1/auth/login`, { data: { email, password } });
  await page.goto(`${url()}/admins`);
  await page.getByRole('button', { name: 'Add an admin' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add an admin' });
  await dialog.getByRole('button', { name: 'Add the admin' }).click();
  await expect(dialog.getByLabel('Email')).toHaveAccessibleDescription(/Enter an email address/);
  await dialog.getByLabel('Email').fill(email);
  await dialog.getByRole('textbox', { name: 'First password' }).fill('a long first password');
  await dialog.getByRole('combobox', { name: 'Role' }).click();
  await page.getByRole('option', { name: 'Domain admin' }).click();
  await dialog.getByRole('combobox', { name: 'Assigned domains' }).fill(domain.name);
  await page.getByRole('option', { name: domain.name }).click();
  await page.keyboard.press('Tab');
  await check();
  await dialog.getByRole('button', { name: 'Add the admin' }).click();
  await expect(page.getByRole('heading', { name: email })).toBeVisible();
  await expect(page.getByText('Has never signed in')).toBeVisible();
  expect((await login('a long first password')).status()).toBe(200);
  await check();

  await page.getByRole('combobox', { name: 'Role' }).click();
  await page.getByRole('option', { name: 'Super admin' }).click();
  await page.getByRole('button', { name: 'Save changes' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'Saved' })).toBeVisible();
  await page.getByRole('textbox', { name: 'New password' }).fill('another long password');
  await page.getByRole('button', { name: 'Set the password' }).click();
  await expect(page.getByText('The new password is set')).toBeVisible();
  const answer = await (await login('another long password')).json();
  expect(answer.data.admin.role).toBe('super_admin');

  await page.getByRole('button', { name: 'Delete the admin' }).click();
  const confirm = page.getByRole('dialog', { name: `Delete ${email}` });
  await expect(confirm.getByRole('button', { name: 'Delete the admin' })).toBeDisabled();
  await confirm.getByLabel(`Type ${email} to confirm`).fill(email);
  await check();
  await confirm.getByRole('button', { name: 'Delete the admin' }).click();
  await expect(page).toHaveURL(`${url()}/admins`);
  expect((await login('another long password')).status()).toBe(401);
});

test('an address in use is said on its field, and what was typed stays', async ({
  signedIn: page,
  makeAdmin,
  check,
}) => {
  const { email } = await makeAdmin('admin');
  await page.goto(`${url()}/admins?new=true`);
  const dialog = page.getByRole('dialog', { name: 'Add an admin' });
  await dialog.getByLabel('Email').fill(email);
  await dialog.getByRole('textbox', { name: 'First password' }).fill('a long first password');
  await dialog.getByRole('button', { name: 'Add the admin' }).click();
  await expect(dialog.getByLabel('Email')).toHaveAccessibleDescription(/An admin has this address already/);
  await expect(dialog.getByLabel('Email')).toHaveValue(email);
  await check();
});

test('a role taken away counts on the very next call of an open console', async ({ page, api, makeAdmin, check }) => {
  const admin = await makeAdmin('super_admin');
  await useSession(page, admin.cookie);
  await page.goto(`${url()}/admins`);
  await expect(page.getByRole('row', { name: admin.email })).toContainText('You');
  await api.call('PATCH', `/admins/${admin.id}`, { role: 'domain_admin' });
  await page.getByRole('link', { name: 'Domains', exact: true }).click();
  await expect(page.getByRole('dialog', { name: 'Sign in again' })).toBeVisible();
  await check();
});
