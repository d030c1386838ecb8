import type { Page, Route } from '@playwright/test';
import { holdRequests } from '../support/faults';
import { alertWith, expect, makeDomain, test, unique, untilAdmitted, url, useSession } from '../support/fixtures';
import { countShifts, shifts } from '../support/layout-shifts';

const OFFLINE = 'You’re offline.';
const UNREACHABLE = 'It’s refreshed when the server responds.';

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 });
const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true });
const outline = (page: Page, title: string) => page.locator('[data-shape]').filter({ hasText: title });
/** The browser says once that it is offline, which a page that still starts doesn't hear. */
const goOffline = (page: Page) =>
  expect(async () => {
    await page.context().setOffline(false);
    await page.context().setOffline(true);
    await expect(alertWith(page, OFFLINE)).toBeVisible({ timeout: 1_000 });
  }).toPass();
const loading = (page: Page) => page.getByRole('progressbar', { name: 'Loading the page' });

test('offline, the console says so and waits with a link; online again, it follows the link', async ({
  signedIn: page,
  checkState,
}) => {
  await page.goto(`${url()}/domains`);
  await page.waitForLoadState('networkidle');
  await goOffline(page);
  await expect(heading(page, 'Domains')).toBeVisible();
  await checkState();
  await link(page, 'Mailboxes').click();
  await expect(loading(page)).toBeVisible();
  await expect(heading(page, 'Domains')).toBeVisible();
  await expect(page.locator('[data-shape]')).toHaveCount(0);
  await page.context().setOffline(false);
  await expect(heading(page, 'Mailboxes')).toBeVisible();
  await expect(alertWith(page, OFFLINE)).toHaveCount(0);
  await expect(loading(page)).toHaveCount(0);
});

test('what changed meanwhile is there once the browser is online again, and a change fails at once until then', async ({
  signedIn: page,
  api,
}) => {
  const domain = await makeDomain(api);
  await page.goto(`${url()}/aliases?domain=${domain.id}`);
  await page.getByRole('main').getByRole('button', { name: 'New alias' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'New alias' });
  const local = unique('mine');
  await dialog.getByRole('textbox', { name: 'Address' }).fill(local);
  await dialog.getByRole('combobox', { name: 'Delivers to' }).fill('ann@far.example');
  await page.keyboard.press('Enter');
  await page.waitForLoadState('networkidle');
  await goOffline(page);
  await dialog.getByRole('button', { name: 'Create alias' }).click();
  await expect(dialog.getByRole('alert')).toContainText('this device is offline');
  await expect(dialog.getByRole('textbox', { name: 'Address' })).toHaveValue(local);

  const other = unique('other');
  await api.call('POST', '/aliases', { domain_id: domain.id, source_local_part: other, destination: 'a@far.example' });
  await page.context().setOffline(false);
  await dialog.getByRole('button', { name: 'Create alias' }).click();
  await expect(page.getByRole('row', { name: local })).toBeVisible();
  await expect(page.getByRole('row', { name: other })).toBeVisible();
});

test('says that the server is not responding until it does, unless a call fails alone, and then loads what is missing', async ({
  signedIn: page,
  api,
}) => {
  const domain = await makeDomain(api);
  const local = unique('late');
  await api.call('POST', '/aliases', {
    domain_id: domain.id,
    source_local_part: local,
    destination: 'ann@far.example',
  });
  await page.goto(`${url()}/domains?domain=${domain.id}`);
  await page.waitForLoadState('networkidle');
  const failCall = (route: Route) => route.abort();
  await page.route('**/api/trpc/**', failCall);
  const probe = page.waitForResponse('**/icon.svg');
  await page.getByRole('main').getByRole('textbox').first().fill('acme');
  await probe;
  await expect(page.getByRole('main').getByRole('button', { name: 'Retry' })).toBeVisible();
  await expect(alertWith(page, UNREACHABLE)).toHaveCount(0);
  await page.unroute('**/api/trpc/**', failCall);

  const refuse = (route: Route) => route.abort('connectionrefused');
  await page.route('**/*', refuse);
  await page.getByRole('main').getByRole('textbox').first().fill(domain.name);
  await expect(alertWith(page, UNREACHABLE)).toBeVisible();
  await link(page, 'Aliases').click();
  await expect(loading(page)).toBeVisible();
  await page.unroute('**/*', refuse);
  await expect(heading(page, 'Aliases')).toBeVisible();
  await expect(page.getByRole('row', { name: local })).toBeVisible();
  await expect(alertWith(page, UNREACHABLE)).toHaveCount(0);
});

test('a navigation that takes longer shows a bar, which does not move under reduced motion, and the outline of the page', async ({
  signedIn: page,
  checkState,
}) => {
  await countShifts(page);
  await page.goto(`${url()}/domains`);
  await page.waitForLoadState('networkidle');
  const release = await holdRequests(page, /\/mailboxes\?.*_rsc=|\/mailboxes\?_rsc=/);
  await link(page, 'Mailboxes').click();
  await expect(loading(page)).toBeVisible();
  await expect(outline(page, 'Mailboxes')).toBeVisible();
  await expect(page.getByRole('status').filter({ hasText: 'Loading Mailboxes' })).toHaveCount(1);
  await checkState();
  const animation = () => loading(page).evaluate((bar) => getComputedStyle(bar, '::after').animationName);
  expect(await animation()).toBe('none');
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  expect(await animation()).not.toBe('none');
  // Clicking the page that is shown gives the other one up.
  await link(page, 'Domains').click();
  await expect(loading(page)).toHaveCount(0);
  await expect(outline(page, 'Mailboxes')).toHaveCount(0);
  await link(page, 'Aliases').click();
  await expect(heading(page, 'Aliases')).toBeVisible();
  await expect(loading(page)).toHaveCount(0);
  release();
  expect(await shifts(page)).toEqual([]);
});

test('a second tab shows changes, asks to sign in when the first signs out, and goes on when it signs in', async ({
  page,
  api,
  makeAdmin,
}) => {
  const domain = await makeDomain(api);
  const admin = await makeAdmin('admin');
  await useSession(page, admin.cookie);
  const second = await page.context().newPage();
  for (const tab of [page, second]) {
    await tab.goto(`${url()}/aliases?domain=${domain.id}`);
    await tab.waitForLoadState('networkidle');
  }
  const local = unique('shared');
  await page.goto(`${url()}/aliases?domain=${domain.id}&new=true`);
  const dialog = page.getByRole('dialog', { name: 'New alias' });
  await dialog.getByRole('textbox', { name: 'Address' }).fill(local);
  await dialog.getByRole('combobox', { name: 'Delivers to' }).fill('ann@far.example');
  await page.keyboard.press('Enter');
  await dialog.getByRole('button', { name: 'Create alias' }).click();
  await expect(second.getByRole('row', { name: local })).toBeVisible();

  await page.getByRole('button', { name: /^Account: / }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  const again = second.getByRole('dialog', { name: 'Sign in again' });
  await expect(again).toBeVisible();
  await expect(page).toHaveURL(/\/login/);
  await page.getByLabel('Email').fill(admin.email);
  await page.getByLabel('Password', { exact: true }).fill(admin.password);
  const press = () => page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await untilAdmitted(page, press, heading(page, 'Overview'));
  await expect(again).toHaveCount(0);
  await expect(second.getByRole('row', { name: local })).toBeVisible();
});
