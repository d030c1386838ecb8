import type { Locator, Page } from '@playwright/test';
import { failProcedure } from '../../support/faults';
import { type Domain, expect, makeDomain, test, unique, url } from '../../support/fixtures';
import { makeAlias, resolve } from './alias';

async function openNew(page: Page, domain: Domain): Promise<Locator> {
  await page.goto(`${url()}/aliases?domain=${domain.id}`);
  await page.getByRole('main').getByRole('button', { name: 'New alias' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'New alias' });
  await expect(dialog.getByRole('combobox', { name: 'Domain' })).toHaveValue(domain.name);
  return dialog;
}

test('creates an alias in three clicks from the overview, with a pasted list, effective immediately', async ({
  signedIn: page,
  api,
  check,
}) => {
  const domain = await makeDomain(api);
  const mailbox = { domain_id: domain.id, local_part: 'cleo', password: 'paper boats on the canal' };
  await api.call('POST', '/mailboxes', mailbox);
  await page.goto(`${url()}/?domain=${domain.id}`);
  await page.getByRole('link', { name: 'Aliases', exact: true }).click();
  await expect(page.getByRole('heading', { name: `No aliases in ${domain.name} yet` })).toBeVisible();
  await check();
  await page.getByRole('main').getByRole('button', { name: 'New alias' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'New alias' });
  const create = dialog.getByRole('button', { name: 'Create alias' });
  await expect(dialog.getByRole('textbox', { name: 'Address' })).toBeFocused();
  await create.click();
  await expect(dialog.getByRole('textbox', { name: 'Address' })).toHaveAccessibleDescription(/before the @/);
  await expect(dialog.getByRole('combobox', { name: 'Delivers to' })).toHaveAccessibleDescription(
    /at least one destination/,
  );

  await dialog.getByRole('textbox', { name: 'Address' }).fill('Sales');
  const destinations = dialog.getByRole('combobox', { name: 'Delivers to' });
  await destinations.pressSequentially('cle');
  await page.getByRole('option', { name: `cleo@${domain.name}` }).click();
  await expect(dialog.getByText('1 of 10')).toBeVisible();
  await destinations.fill(`ghost@${domain.name}`);
  await expect(dialog.getByRole('listitem').filter({ hasText: `ghost@${domain.name}` })).toContainText('mailbox');
  await page.keyboard.press('Enter');
  await expect(dialog.getByRole('listitem').filter({ hasText: `ghost@${domain.name}` })).toContainText('mailbox');
  await expect(dialog.getByRole('listitem').filter({ hasText: 'cleo' })).toHaveCount(0);
  await check();
  for (const local of ['ghost', 'cleo'])
    await dialog.getByRole('button', { name: `Remove ${local}@${domain.name}` }).click();
  await dialog
    .getByRole('combobox', { name: 'Delivers to' })
    .fill('ann@far.example; bo@far.example ANN@far.example nobody');
  await page.keyboard.press('Enter');
  await expect(dialog.getByText('3 of 10')).toBeVisible();
  await create.click();
  await expect(dialog.getByRole('combobox', { name: 'Delivers to' })).toHaveAccessibleDescription(
    /nobody is not a valid email address/,
  );
  await check();
  await dialog.getByRole('button', { name: 'Remove nobody' }).click();
  await create.click();
  await expect(dialog).toBeHidden();
  const notice = page.getByRole('status').filter({ hasText: `Created sales@${domain.name}` });
  await notice.getByRole('link', { name: 'Show alias' }).click();
  await expect(page.getByRole('dialog', { name: `Edit sales@${domain.name}` })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('row', { name: `sales@${domain.name}` })).toContainText('+1');
  expect(await resolve(api, `sales@${domain.name}`)).toMatchObject({
    outcome: 'alias',
    destinations: ['ANN@far.example', 'bo@far.example'],
  });
  await check();
});

test('shows a chain, an address in use and a second catch-all as errors on their fields', async ({
  signedIn: page,
  api,
  check,
}) => {
  const domain = await makeDomain(api);
  await makeAlias(api, domain, 'info', 'ann@far.example');
  await makeAlias(api, domain, 'team', `bo@${domain.name}`);
  await makeAlias(api, domain, '', 'all@far.example');
  const dialog = await openNew(page, domain);
  const local = dialog.getByRole('textbox', { name: 'Address' });
  const to = dialog.getByRole('combobox', { name: 'Delivers to' });
  const create = dialog.getByRole('button', { name: 'Create alias' });

  await local.fill('sales');
  await to.fill(`info@${domain.name}`);
  await create.click();
  await expect(to).toHaveAccessibleDescription(/info@.* is an alias, and aliases can’t be chained/);
  await check();

  await dialog.getByRole('button', { name: `Remove info@${domain.name}` }).click();
  await to.fill('ann@far.example');
  await local.fill('bo');
  await create.click();
  await expect(local).toHaveAccessibleDescription(/bo@.* is already a destination of another alias/);

  await local.fill('INFO');
  await create.click();
  await expect(local).toHaveAccessibleDescription(/The alias info@.* already exists/);
  await expect(local).toHaveValue('INFO');
  await check();

  await dialog.getByRole('checkbox', { name: /^Catch-all/ }).check();
  await expect(local).toBeDisabled();
  await create.click();
  await expect(dialog.getByText(/already has a catch-all/)).toBeVisible();
  await check();
  await dialog.getByRole('button', { name: 'Show alias' }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByRole('row', { name: `info@${domain.name}` })).toBeVisible();
});

test('splits a pasted address into both fields, if its domain is one of the admin’s, and rejects eleven destinations as the server does', async ({
  signedIn: page,
  context,
  api,
  check,
}) => {
  const [domain, second] = [await makeDomain(api), await makeDomain(api)];
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const dialog = await openNew(page, domain);
  const address = dialog.getByRole('textbox', { name: 'Address' });
  const paste = async (text: string) => {
    await page.evaluate((copied) => navigator.clipboard.writeText(copied), text);
    await address.fill('');
    await address.press('ControlOrMeta+v');
  };
  await paste(` Info@${second.name} `);
  await expect(address).toHaveValue('Info');
  await expect(dialog.getByRole('combobox', { name: 'Domain' })).toHaveValue(second.name);
  await paste('info@far.example');
  await expect(address).toHaveValue('info@far.example');
  await paste('sales');
  await expect(address).toHaveValue('sales');

  await address.fill(unique('many'));
  const to = dialog.getByRole('combobox', { name: 'Delivers to' });
  await to.fill(Array.from({ length: 11 }, (_, index) => `a${index}@far.example`).join(','));
  await dialog.getByRole('button', { name: 'Create alias' }).click();
  await expect(to).toHaveAccessibleDescription(/Enter at most 10 destinations\. You entered 11/);
  await expect(dialog.getByText('11 of 10')).toBeVisible();
  await check();
  await dialog.getByRole('button', { name: 'Remove a10@far.example' }).click();

  const message = 'Add at most 10 destinations.';
  const details = { fields: [{ path: 'destination', message }] };
  await failProcedure(page, 'aliases.create', { status: 400, code: 'TOO_MANY_DESTINATIONS', message, details });
  await dialog.getByRole('button', { name: 'Create alias' }).click();
  await expect(to).toHaveAccessibleDescription(/Add at most 10 destinations\./);
  await expect(dialog.getByText(message)).toHaveCount(1);
  expect(await api.call('GET', `/aliases?domain_id=${domain.id}&q=far.example`)).toEqual([]);
});

test('creates a catch-all with a badge, which receives mail for unknown addresses', async ({
  signedIn: page,
  api,
  check,
}) => {
  const domain = await makeDomain(api);
  const dialog = await openNew(page, domain);
  await dialog.getByRole('checkbox', { name: /^Catch-all/ }).check();
  await dialog.getByRole('combobox', { name: 'Delivers to' }).fill('all@far.example');
  await dialog.getByRole('button', { name: 'Create alias' }).click();
  await expect(page.getByRole('row', { name: `@${domain.name}` })).toContainText('Catch-all');
  expect(await resolve(api, `${unique()}@${domain.name}`)).toMatchObject({ outcome: 'catch_all' });
  await check();
});
