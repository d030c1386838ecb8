import { hasRole, ROLES, type Role } from '../../src/lib/access/roles';
import { ROUTES } from '../../src/lib/routes';
import {
  alertWith,
  expect,
  follow,
  makeDomain,
  openSend,
  sendMessage,
  test,
  unique,
  url,
  useSession,
} from '../support/fixtures';

const ROLE_NAMES: Record<Role, string> = { domain_admin: 'domain admin', admin: 'admin', super_admin: 'super admin' };

for (const role of ROLES) {
  test(`${ROLE_NAMES[role]}: the navigation lists exactly the pages of the role, and all others show the required role`, async ({
    page,
    makeAdmin,
    domain,
    checkState,
  }) => {
    const { cookie } = await makeAdmin(role, [domain]);
    await useSession(page, cookie);
    await page.goto(`${url()}/`);
    await page.getByRole('button', { name: /^Account: / }).click();
    await expect(page.getByText(`Signed in as ${ROLE_NAMES[role]}`)).toBeVisible();
    await page.keyboard.press('Escape');
    const links = page.getByRole('navigation', { name: 'Sections' }).getByRole('link');
    const open = ROUTES.filter(({ minRole, isPersonal }) => !isPersonal && hasRole(role, minRole));
    await expect(links).toHaveText(open.map(({ label }) => label));

    // The pages of super admins are opened in e2e/whole/accessibility.
    for (const route of role === 'super_admin' ? [] : ROUTES) {
      await test.step(route.label, async () => {
        // The shell decides for all pages alike, so that a navigation shows the same as a new document.
        const { isPersonal, label, href, minRole } = route;
        if (isPersonal || !hasRole(role, minRole)) await follow(page, href);
        else await links.getByText(label, { exact: true }).click();
        await expect(page).toHaveURL((address) => address.pathname === href);
        const name = hasRole(role, minRole) ? label : `This page requires the role ${ROLE_NAMES[minRole]}`;
        await expect(page.getByRole('heading', { name, exact: true })).toBeVisible();
        await expect(page.getByText('This page requires the role')).toHaveCount(hasRole(role, minRole) ? 0 : 1);
      });
    }
    const [restricted] = ROUTES.filter(({ minRole }) => !hasRole(role, minRole));
    if (restricted) {
      await page.goto(`${url()}${restricted.href}`);
      await expect(page.getByText(`This page requires the role ${ROLE_NAMES[restricted.minRole]}`)).toBeVisible();
    }
    await checkState();
  });
}

test('lets a domain admin view assigned domains and their settings, but not add or change any', async ({
  page,
  api,
  makeAdmin,
  check,
}) => {
  const [own, foreign] = [await makeDomain(api), await makeDomain(api)];
  const { cookie } = await makeAdmin('domain_admin', [own]);
  await useSession(page, cookie);
  await page.goto(`${url()}/domains?new=true`);
  await expect(page.getByRole('row', { name: own.name })).toBeVisible();
  await expect(page.getByRole('row')).toHaveCount(2);
  await expect(page.getByText('Only admins can add domains')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Add domain' })).toHaveCount(0);
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: /^Search pages/ }).fill('add domain');
  await expect(page.getByRole('option')).toHaveText([/^Domains/, /^Search messages for/]);
  await page.keyboard.press('Escape');
  await check();

  await page.getByRole('link', { name: own.name }).click();
  await page.getByRole('tab', { name: 'Settings' }).click();
  await expect(page.getByLabel('Description')).toBeDisabled();
  await expect(page.getByText('Only admins can change these settings.')).toBeVisible();
  await expect(page.getByRole('button', { name: /Save|Delete/ })).toHaveCount(0);
  await check();

  await page.goto(`${url()}/domains/${foreign.id}`);
  await expect(alertWith(page, 'NOT_FOUND (404)')).toBeVisible();
  await check();
});

test('limits a domain admin to viewing and sending mail of assigned domains', async ({
  page,
  api,
  makeAdmin,
  check,
}) => {
  const [own, foreign] = [await makeDomain(api), await makeDomain(api)];
  const { cookie } = await makeAdmin('domain_admin', [own]);
  const [mine, theirs] = [unique('Mine '), unique('Theirs ')];
  await sendMessage(api, own, { subject: mine });
  const { id } = await sendMessage(api, foreign, { subject: theirs });
  await useSession(page, cookie);
  await page.goto(`${url()}/messages`);
  await expect(page.getByRole('row', { name: mine })).toBeVisible();
  await expect(page.getByRole('row')).toHaveCount(2);
  await check();

  await page.goto(`${url()}/messages/${id}`);
  await expect(alertWith(page, 'NOT_FOUND (404)')).toBeVisible();
  await openSend(page);
  await page.getByRole('combobox', { name: 'Domain', exact: true }).click();
  await expect(page.getByRole('option')).toHaveText([own.name]);
});

test('tells a domain admin without domains who can assign one', async ({ page, makeAdmin, check }) => {
  const { cookie } = await makeAdmin('domain_admin');
  await useSession(page, cookie);
  await page.goto(`${url()}/domains`);
  await expect(page.getByText('No domain is assigned to you. Ask a super admin to assign one.')).toBeVisible();
  await check();
  await openSend(page);
  await expect(page.getByRole('heading', { name: 'No active domains' })).toBeVisible();
  await expect(page.getByText('Ask a super admin to assign one.')).toBeVisible();
  await check();
});

test('lets an admin add domains and see only their own API keys', async ({ page, api, makeAdmin, check }) => {
  const { cookie } = await makeAdmin('admin');
  const name = unique('Of another ');
  await api.call('POST', '/api-keys', { name });
  await useSession(page, cookie);
  await page.goto(`${url()}/api-keys`);
  await expect(page.getByRole('heading', { name: 'No API keys yet' })).toBeVisible();
  await expect(page.getByText(name)).toHaveCount(0);
  await page.getByRole('link', { name: 'Domains', exact: true }).click();
  await page.getByRole('button', { name: 'Add domain' }).click();
  await expect(page.getByRole('dialog', { name: 'Add domain' })).toBeVisible();
  await check();
});
