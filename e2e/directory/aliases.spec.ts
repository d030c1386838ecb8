import { readFile } from 'node:fs/promises';
import type { Locator, Page } from '@playwright/test';
import { failProcedure, REQUEST_ID } from '../support/faults';
import {
  type Api,
  alertWith,
  type Domain,
  expect,
  makeDomain,
  test,
  unique,
  url,
  useSession,
} from '../support/fixtures';

type Resolution = { outcome: string; destinations: string[] };

const makeAlias = (api: Api, domain: Domain, source: string, destination: string, over: object = {}) =>
  api.call<{ id: string }>('POST', '/aliases', {
    domain_id: domain.id,
    source_local_part: source,
    destination,
    ...over,
  });
const resolve = (api: Api, address: string) =>
  api.call<Resolution>('GET', `/aliases/resolve?address=${encodeURIComponent(address)}`);
const switchOf = (page: Page, address: string) => page.getByRole('switch', { name: `${address} is active` });
/** The native input is covered by the styled switch. */
const click = (control: Locator) => control.click({ force: true });

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
  await expect(page.getByRole('status').filter({ hasText: `Created sales@${domain.name}` })).toBeVisible();
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

test('eleven destinations are too many, here and for the server', async ({ signedIn: page, api, domain, check }) => {
  const dialog = await openNew(page, domain);
  await dialog.getByRole('textbox', { name: 'Address' }).fill(unique('many'));
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

test('deactivates an alias immediately from its row, and Undo reverts it', async ({ signedIn: page, api, check }) => {
  const domain = await makeDomain(api);
  const address = `info@${domain.name}`;
  await makeAlias(api, domain, 'info', 'ann@far.example');
  await page.goto(`${url()}/aliases?domain=${domain.id}`);
  await click(switchOf(page, address));
  await expect(page.getByRole('status').filter({ hasText: `Deactivated ${address}` })).toBeVisible();
  await expect(switchOf(page, address)).not.toBeChecked();
  expect(await resolve(api, address)).toMatchObject({ outcome: 'rejected' });
  await check();

  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByRole('status').filter({ hasText: new RegExp(`Activated ${address}`) })).toBeVisible();
  await expect(switchOf(page, address)).toBeChecked();
  expect(await resolve(api, address)).toMatchObject({ outcome: 'alias' });

  const message = 'Postgres is restarting.';
  const end = await failProcedure(page, 'aliases.update', { status: 503, code: 'SERVICE_UNAVAILABLE', message });
  await switchOf(page, address).press(' ');
  await expect(alertWith(page, `Couldn’t deactivate ${address}`)).toContainText(REQUEST_ID);
  await expect(switchOf(page, address)).toBeChecked();
  await check();
  await end();
});

test('edits the destinations by keyboard alone', async ({ signedIn: page, api, check }) => {
  const domain = await makeDomain(api);
  const { id } = await makeAlias(api, domain, 'info', 'ann@far.example');
  await page.goto(`${url()}/aliases?domain=${domain.id}`);
  const link = page.getByRole('link', { name: `info@${domain.name}` });
  await link.press('Enter');
  const dialog = page.getByRole('dialog', { name: `Edit info@${domain.name}` });
  await expect(dialog.getByRole('combobox', { name: 'Delivers to' })).toBeFocused();
  await page.keyboard.press('Backspace');
  await page.keyboard.type(`bo@far.example,cy@${domain.name}`);
  await page.keyboard.press('Enter');
  await check();
  await page.keyboard.press('Enter');
  await expect(dialog).toBeHidden();
  await expect(link).toBeFocused();
  expect(await api.call('GET', `/aliases/${id}`)).toMatchObject({
    destination: `bo@far.example,cy@${domain.name}`,
    active: true,
  });
  await expect(page.getByRole('row', { name: `info@${domain.name}` })).toContainText('1 undeliverable');
  await page.getByRole('button', { name: `Show 1 more for info@${domain.name}` }).click();
  await expect(page.getByRole('row', { name: `info@${domain.name}` }).getByRole('listitem')).toHaveCount(2);
  await check();
});

test('deletes an alias after confirmation, and Undo restores it', async ({ signedIn: page, api, check }) => {
  const domain = await makeDomain(api);
  const address = `info@${domain.name}`;
  await makeAlias(api, domain, 'info', 'ann@far.example');
  await page.goto(`${url()}/aliases?domain=${domain.id}`);
  await page.getByRole('button', { name: `Actions for ${address}` }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  const dialog = page.getByRole('dialog', { name: `Delete ${address}` });
  await check();
  await dialog.getByRole('button', { name: 'Delete alias' }).click();
  await expect(page.getByRole('button', { name: 'Undo' })).toBeFocused();
  expect(await resolve(api, address)).toMatchObject({ outcome: 'rejected' });
  await page.keyboard.press('Enter');
  await expect(page.getByRole('row', { name: address })).toBeVisible();
  expect(await resolve(api, address)).toMatchObject({ outcome: 'alias' });
});

test('deactivates, restores and deletes several aliases together', async ({ signedIn: page, api, check }) => {
  const domain = await makeDomain(api);
  for (const source of ['a', 'b', 'c']) await makeAlias(api, domain, source, 'ann@far.example');
  await page.goto(`${url()}/aliases?domain=${domain.id}`);
  await page.getByRole('checkbox', { name: `Select a@${domain.name}` }).check();
  await page.getByRole('checkbox', { name: `Select b@${domain.name}` }).check();
  const bar = page.getByRole('group', { name: 'Selected aliases' });
  await expect(bar).toContainText('2 selected');
  await check();
  await bar.getByRole('button', { name: 'Deactivate' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'Deactivated 2 aliases' })).toBeVisible();
  await expect(switchOf(page, `c@${domain.name}`)).toBeChecked();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByRole('status').filter({ hasText: /Activated 2 aliases/ })).toBeVisible();
  await expect(page.getByRole('switch', { checked: true })).toHaveCount(3);

  await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
  await bar.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog', { name: 'Delete 3 aliases' }).getByRole('button', { name: 'Delete aliases' }).click();
  await expect(page.getByRole('heading', { name: `No aliases in ${domain.name} yet` })).toBeVisible();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByRole('switch', { checked: true })).toHaveCount(3);
  await check();
});

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

test('previews a CSV import line by line, imports it and exports it again', async ({ signedIn: page, api, check }) => {
  const domain = await makeDomain(api);
  await makeAlias(api, domain, 'info', 'ann@far.example');
  const lines = ['source_local_part,destination,active', 'info,ann@far.example,true', 'sales,info@DOMAIN,true', ',,'];
  const file = [...lines, 'team,"ann@far.example,bo@far.example",false'].join('\n').replace('DOMAIN', domain.name);
  await page.goto(`${url()}/aliases?domain=${domain.id}`);
  await page.getByRole('button', { name: 'Import / export' }).click();
  await page.getByRole('menuitem', { name: 'Import CSV' }).click();
  const dialog = page.getByRole('dialog', { name: 'Import aliases' });
  const preview = dialog.getByRole('button', { name: 'Preview import' });
  await preview.click();
  await expect(dialog.getByLabel('Or paste CSV')).toHaveAccessibleDescription(/Choose a file or paste CSV/);
  await dialog.getByLabel('Or paste CSV').fill('no header');
  await preview.click();
  await expect(dialog.getByLabel('Or paste CSV')).toHaveAccessibleDescription(/source_local_part/);

  const chooser = page.waitForEvent('filechooser');
  await dialog.getByRole('button', { name: 'CSV file' }).click();
  await (await chooser).setFiles({ name: 'aliases.csv', mimeType: 'text/csv', buffer: Buffer.from(file) });
  await preview.click();
  await expect(dialog.getByText('1 new alias, 1 unchanged, 2 errors. Nothing has been imported yet.')).toBeVisible();
  await expect(dialog.getByRole('row', { name: /sales/ })).toContainText('ALIAS_CHAIN');
  await expect(dialog.getByRole('row', { name: /info →/ }).first()).toContainText('Unchanged');
  expect(await api.call<unknown[]>('GET', `/aliases?domain_id=${domain.id}`)).toHaveLength(1);
  await check();

  await dialog.getByRole('button', { name: 'Import 1 alias' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'Imported 1 alias; 2 lines failed' })).toBeVisible();
  await expect(switchOf(page, `team@${domain.name}`)).not.toBeChecked();
  await check();

  await page.getByRole('button', { name: 'Import / export' }).click();
  const download = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: `Export ${domain.name}` }).click();
  const saved = await download;
  expect(saved.suggestedFilename()).toBe(`aliases-${domain.name}.csv`);
  const csv = await readFile(await saved.path(), 'utf8');
  expect(csv.trim().split('\r\n')).toEqual([
    'source_local_part,destination,active',
    'info,ann@far.example,true',
    'team,"ann@far.example,bo@far.example",false',
  ]);
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
  await page.getByRole('button', { name: 'Clear filters' }).click();
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
  await page.getByRole('link', { name: second.name }).click();
  await expect(page.getByRole('row', { name: `info@${second.name}` })).toBeVisible();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: /^Search pages/ }).fill('info@');
  await expect(page.getByRole('option', { name: /^info@/ })).toHaveText([/^info@/, /^info@/]);
  await page.keyboard.press('Escape');
  await page.goto(`${url()}/aliases?domain=${unassigned.id}`);
  await expect(alertWith(page, 'FORBIDDEN (403)')).toBeVisible();
  await check();
});

test('opens an alias from the palette, and starts a new one', async ({ signedIn: page, api, domain, check }) => {
  const source = unique('find');
  await makeAlias(api, domain, source, 'ann@far.example');
  await page.goto(`${url()}/`);
  await page.keyboard.press('Control+k');
  const finder = page.getByRole('combobox', { name: /^Search pages/ });
  await finder.fill(`${source}@${domain.name.slice(0, 4)}`);
  await expect(page.getByRole('option', { name: `${source}@${domain.name}` })).toHaveAttribute('aria-selected', 'true');
  await check();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: `Edit ${source}@${domain.name}` })).toBeVisible();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await finder.fill('new alias');
  await page.getByRole('option', { name: 'New alias', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'New alias' });
  await dialog.getByRole('combobox', { name: 'Domain' }).click();
  await page.getByRole('option', { name: domain.name }).click();
  await expect(dialog.getByRole('combobox', { name: 'Domain' })).toHaveValue(domain.name);
});
