import { failProcedure, REQUEST_ID } from '../../support/faults';
import { alertWith, expect, makeDomain, test, unique, url, useSession } from '../../support/fixtures';
import { makeAlias } from './alias';

test('traces an address hop by hop and explains the result', async ({ signedIn: page, api, check }) => {
  const domain = await makeDomain(api);
  await makeAlias(api, domain, 'info', `ann@far.example,nobody@${domain.name}`);
  await page.goto(`${url()}/aliases?domain=${domain.id}`);
  await page.getByRole('button', { name: 'Trace an address' }).click();
  const dialog = page.getByRole('dialog', { name: 'Trace an address' });
  const address = dialog.getByRole('textbox', { name: 'Address' });
  await address.fill('not an address');
  await page.keyboard.press('Enter');
  await expect(address).toHaveAccessibleDescription(/Enter an email address/);
  await address.fill(`INFO@${domain.name}`);
  await page.keyboard.press('Enter');
  const route = dialog.getByRole('list', { name: `Mail for INFO@${domain.name}` });
  await expect(route.getByRole('listitem')).toHaveText([
    /Mail arrives/,
    /Matched an alias/,
    /Forwarded to 1 address/,
    /1 destination dropped/,
  ]);
  await expect(dialog.getByText('An alias has this address, and no active mailbox does.')).toBeVisible();
  await expect(page).toHaveURL(/trace=INFO/);
  await check();

  await address.fill(`${unique()}@${domain.name}`);
  await dialog.getByRole('button', { name: 'Trace' }).click();
  await expect(dialog.getByText('Rejected', { exact: true })).toBeVisible();
  await address.fill('ann@far.example');
  await page.keyboard.press('Enter');
  await expect(address).toHaveAccessibleDescription(/domain/i);
  await check();
});

test('keeps search, status and order in the URL, and reports a list that fails to load', async ({
  signedIn: page,
  api,
  check,
}) => {
  const domain = await makeDomain(api);
  await makeAlias(api, domain, 'info', 'ann@far.example', { active: false });
  await makeAlias(api, domain, 'sales', 'ann@far.example');
  await page.goto(`${url()}/aliases`);
  await page.getByLabel('Filter by address or destination').fill(`info@${domain.name}`);
  await page.getByRole('radio', { name: 'Inactive', exact: true }).click();
  await page.getByRole('button', { name: 'Added' }).click();
  await expect(page.getByRole('row')).toHaveCount(2);
  await expect(page).toHaveURL(/show=inactive/);
  await expect(page).toHaveURL(/sort=created_at/);
  await page.reload();
  await expect(page.getByRole('row', { name: `info@${domain.name}` })).toBeVisible();
  await check();
  await page.getByRole('radio', { name: 'Active', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'No matching aliases' })).toBeVisible();
  await check();

  const failure = { status: 500, code: 'INTERNAL_ERROR', message: 'Internal server error.' };
  const end = await failProcedure(page, 'aliases.list', failure);
  await page.getByRole('radio', { name: 'All', exact: true }).click();
  await expect(alertWith(page, 'Couldn’t load aliases')).toContainText('INTERNAL_ERROR (500)');
  await expect(alertWith(page, 'Couldn’t load aliases')).toContainText(REQUEST_ID);
  await check();
  await end();
  await page.getByRole('button', { name: 'Retry', exact: true }).click();
  await expect(page.getByRole('table')).toBeVisible();
});

test('limits a domain admin to assigned domains, preselecting the only one', async ({
  page,
  api,
  makeAdmin,
  check,
}) => {
  const [own, second, unassigned] = [await makeDomain(api), await makeDomain(api), await makeDomain(api)];
  for (const domain of [own, second, unassigned]) await makeAlias(api, domain, 'info', 'ann@far.example');
  await useSession(page, (await makeAdmin('domain_admin', [own])).cookie);
  await page.goto(`${url()}/aliases`);
  await expect(page.getByRole('row', { name: `info@${own.name}` })).toBeVisible();
  await expect(page.getByRole('row')).toHaveCount(2);
  await check();

  await useSession(page, (await makeAdmin('domain_admin', [own, second])).cookie);
  await page.goto(`${url()}/aliases`);
  await expect(page.getByRole('heading', { name: 'Choose a domain' })).toBeVisible();
  await check();
  await page.getByRole('combobox', { name: 'Domain', exact: true }).click();
  await page.getByRole('option', { name: second.name }).click();
  await expect(page.getByRole('row', { name: `info@${second.name}` })).toBeVisible();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: /^Search pages/ }).fill('info@');
  await expect(page.getByRole('option', { name: /^info@/ })).toHaveText([/^info@/, /^info@/]);
  await page.keyboard.press('Escape');
  await page.goto(`${url()}/aliases?domain=${unassigned.id}`);
  await expect(alertWith(page, 'FORBIDDEN (403)')).toBeVisible();
  await check();
});
