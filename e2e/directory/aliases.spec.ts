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
const switchOf = (page: Page, address: string) => page.getByRole('switch', { name: `${address} is on` });
/** The switch itself lies under what is drawn of it. */
const click = (drawn: Locator) => drawn.click({ force: true });

async function openNew(page: Page, domain: Domain): Promise<Locator> {
  await page.goto(`${url()}/aliases?domain=${domain.id}`);
  await page.getByRole('main').getByRole('button', { name: 'New alias' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'New alias' });
  await expect(dialog.getByRole('combobox', { name: 'Domain' })).toHaveValue(domain.name);
  return dialog;
}

test('an alias is created in three clicks from the overview, with a pasted list, and counts at once', async ({
  signedIn: page,
  api,
  check,
}) => {
  const domain = await makeDomain(api);
  await page.goto(`${url()}/?domain=${domain.id}`);
  await page.getByRole('link', { name: 'Aliases', exact: true }).click();
  await expect(page.getByRole('heading', { name: `The aliases of ${domain.name} will stand here` })).toBeVisible();
  await check();
  await page.getByRole('main').getByRole('button', { name: 'New alias' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'New alias' });
  const create = dialog.getByRole('button', { name: 'Create the alias' });
  await expect(dialog.getByRole('textbox', { name: 'Address' })).toBeFocused();
  await create.click();
  await expect(dialog.getByRole('textbox', { name: 'Address' })).toHaveAccessibleDescription(/before the @/);
  await expect(dialog.getByLabel('Delivers to')).toHaveAccessibleDescription(/at least one address/);

  await dialog.getByRole('textbox', { name: 'Address' }).fill('Sales');
  await dialog.getByLabel('Delivers to').fill('ann@far.example; bo@far.example ANN@far.example nobody');
  await page.keyboard.press('Enter');
  await expect(dialog.getByText('3 of 10')).toBeVisible();
  await create.click();
  await expect(dialog.getByLabel('Delivers to')).toHaveAccessibleDescription(/nobody is not a plain address/);
  await check();
  await dialog.getByRole('button', { name: 'Remove nobody' }).click();
  await create.click();
  await expect(dialog).toBeHidden();
  await expect(page.getByRole('status').filter({ hasText: `sales@${domain.name} is created` })).toBeVisible();
  await expect(page.getByRole('row', { name: `sales@${domain.name}` })).toContainText('+1');
  expect(await resolve(api, `sales@${domain.name}`)).toMatchObject({
    outcome: 'alias',
    destinations: ['ANN@far.example', 'bo@far.example'],
  });
  await check();
});

test('a chain, an address in use and a second catch-all are refused on their own fields', async ({
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
  const to = dialog.getByLabel('Delivers to');
  const create = dialog.getByRole('button', { name: 'Create the alias' });

  await local.fill('sales');
  await to.fill(`info@${domain.name}`);
  await create.click();
  await expect(to).toHaveAccessibleDescription(/info@.* is an alias itself, and aliases do not chain/);
  await check();

  await dialog.getByRole('button', { name: `Remove info@${domain.name}` }).click();
  await to.fill('ann@far.example');
  await local.fill('bo');
  await create.click();
  await expect(local).toHaveAccessibleDescription(/Another alias leads to bo@/);

  await local.fill('INFO');
  await create.click();
  await expect(local).toHaveAccessibleDescription(/There is an alias info@.* already/);
  await expect(local).toHaveValue('INFO');
  await check();

  await dialog.getByRole('checkbox', { name: /^Catch-all/ }).check();
  await expect(local).toBeDisabled();
  await create.click();
  await expect(dialog.getByText(/has a catch-all already/)).toBeVisible();
  await check();
  await dialog.getByRole('button', { name: 'Show it' }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByRole('row', { name: `info@${domain.name}` })).toBeVisible();
});

test('eleven destinations are too many, here and for the server', async ({ signedIn: page, api, domain, check }) => {
  const dialog = await openNew(page, domain);
  await dialog.getByRole('textbox', { name: 'Address' }).fill(unique('many'));
  const to = dialog.getByLabel('Delivers to');
  await to.fill(Array.from({ length: 11 }, (_, index) => `a${index}@far.example`).join(','));
  await dialog.getByRole('button', { name: 'Create the alias' }).click();
  await expect(to).toHaveAccessibleDescription(/At most 10 destinations; these are 11/);
  await expect(dialog.getByText('11 of 10')).toBeVisible();
  await check();
  await dialog.getByRole('button', { name: 'Remove a10@far.example' }).click();

  const message = 'At most 10 destinations.';
  const details = { fields: [{ path: 'destination', message }] };
  await failProcedure(page, 'aliases.create', { status: 400, code: 'TOO_MANY_DESTINATIONS', message, details });
  await dialog.getByRole('button', { name: 'Create the alias' }).click();
  await expect(to).toHaveAccessibleDescription(/At most 10 destinations\./);
  await expect(dialog.getByText(message)).toHaveCount(1);
  expect(await api.call('GET', `/aliases?domain_id=${domain.id}&q=far.example`)).toEqual([]);
});

test('a catch-all is created, wears a badge, and takes what has no address of its own', async ({
  signedIn: page,
  api,
  check,
}) => {
  const domain = await makeDomain(api);
  const dialog = await openNew(page, domain);
  await dialog.getByRole('checkbox', { name: /^Catch-all/ }).check();
  await dialog.getByLabel('Delivers to').fill('all@far.example');
  await dialog.getByRole('button', { name: 'Create the alias' }).click();
  await expect(page.getByRole('row', { name: `@${domain.name}` })).toContainText('Catch-all');
  expect(await resolve(api, `${unique()}@${domain.name}`)).toMatchObject({ outcome: 'catch_all' });
  await check();
});

test('the switch of a row takes effect at once, and Undo takes it back', async ({ signedIn: page, api, check }) => {
  const domain = await makeDomain(api);
  const address = `info@${domain.name}`;
  await makeAlias(api, domain, 'info', 'ann@far.example');
  await page.goto(`${url()}/aliases?domain=${domain.id}`);
  await click(switchOf(page, address));
  await expect(page.getByRole('status').filter({ hasText: `${address} is off` })).toBeVisible();
  await expect(switchOf(page, address)).not.toBeChecked();
  expect(await resolve(api, address)).toMatchObject({ outcome: 'rejected' });
  await check();

  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByRole('status').filter({ hasText: `${address} is on` })).toBeVisible();
  await expect(switchOf(page, address)).toBeChecked();
  expect(await resolve(api, address)).toMatchObject({ outcome: 'alias' });

  const message = 'Postgres is restarting.';
  const end = await failProcedure(page, 'aliases.update', { status: 503, code: 'SERVICE_UNAVAILABLE', message });
  await switchOf(page, address).press(' ');
  await expect(alertWith(page, `${address} could not be switched off`)).toContainText(REQUEST_ID);
  await expect(switchOf(page, address)).toBeChecked();
  await check();
  await end();
});

test('where an alias leads is changed by keyboard alone', async ({ signedIn: page, api, check }) => {
  const domain = await makeDomain(api);
  const { id } = await makeAlias(api, domain, 'info', 'ann@far.example');
  await page.goto(`${url()}/aliases?domain=${domain.id}`);
  const link = page.getByRole('link', { name: `info@${domain.name}` });
  await link.press('Enter');
  const dialog = page.getByRole('dialog', { name: `Change info@${domain.name}` });
  await expect(dialog.getByLabel('Delivers to')).toBeFocused();
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
  await expect(page.getByRole('row', { name: `info@${domain.name}` })).toContainText('1 without mailbox');
  await page.getByRole('button', { name: `+1 more of info@${domain.name}` }).click();
  await expect(page.getByRole('row', { name: `info@${domain.name}` }).getByRole('listitem')).toHaveCount(2);
  await check();
});

test('an alias is deleted after asking, and Undo brings it back', async ({ signedIn: page, api, check }) => {
  const domain = await makeDomain(api);
  const address = `info@${domain.name}`;
  await makeAlias(api, domain, 'info', 'ann@far.example');
  await page.goto(`${url()}/aliases?domain=${domain.id}`);
  await page.getByRole('button', { name: `More for ${address}` }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  const dialog = page.getByRole('dialog', { name: `Delete ${address}` });
  await check();
  await dialog.getByRole('button', { name: 'Delete the alias' }).click();
  await expect(page.getByRole('button', { name: 'Undo' })).toBeFocused();
  expect(await resolve(api, address)).toMatchObject({ outcome: 'rejected' });
  await page.keyboard.press('Enter');
  await expect(page.getByRole('row', { name: address })).toBeVisible();
  expect(await resolve(api, address)).toMatchObject({ outcome: 'alias' });
});

test('several are switched off, undone and deleted together', async ({ signedIn: page, api, check }) => {
  const domain = await makeDomain(api);
  for (const source of ['a', 'b', 'c']) await makeAlias(api, domain, source, 'ann@far.example');
  await page.goto(`${url()}/aliases?domain=${domain.id}`);
  await page.getByRole('checkbox', { name: `Select a@${domain.name}` }).check();
  await page.getByRole('checkbox', { name: `Select b@${domain.name}` }).check();
  const bar = page.getByRole('group', { name: 'Selected aliases' });
  await expect(bar).toContainText('2 selected');
  await check();
  await bar.getByRole('button', { name: 'Switch off' }).click();
  await expect(page.getByRole('status').filter({ hasText: '2 aliases are off' })).toBeVisible();
  await expect(switchOf(page, `c@${domain.name}`)).toBeChecked();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByRole('status').filter({ hasText: '2 aliases are on' })).toBeVisible();
  await expect(page.getByRole('switch', { checked: true })).toHaveCount(3);

  await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
  await bar.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog', { name: 'Delete 3 aliases' }).getByRole('button', { name: 'Delete them' }).click();
  await expect(page.getByRole('heading', { name: /will stand here/ })).toBeVisible();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByRole('switch', { checked: true })).toHaveCount(3);
  await check();
});

test('what happens to mail for an address is told with its way', async ({ signedIn: page, api, check }) => {
  const domain = await makeDomain(api);
  await makeAlias(api, domain, 'info', `ann@far.example,nobody@${domain.name}`);
  await page.goto(`${url()}/aliases?domain=${domain.id}`);
  await page.getByRole('button', { name: 'Where does mail go?' }).click();
  const dialog = page.getByRole('dialog', { name: 'Where does mail go?' });
  const address = dialog.getByRole('textbox', { name: 'Address' });
  await address.fill('not an address');
  await page.keyboard.press('Enter');
  await expect(address).toHaveAccessibleDescription(/Enter a plain address/);
  await address.fill(`INFO@${domain.name}`);
  await page.keyboard.press('Enter');
  const way = dialog.getByRole('list', { name: `Mail for INFO@${domain.name}` });
  await expect(way.getByRole('listitem')).toHaveText([
    /Mail arrives/,
    /An alias takes it/,
    /1 address/,
    /gets nothing/,
  ]);
  await expect(dialog.getByText('No active mailbox has this address; an alias does.')).toBeVisible();
  await expect(page).toHaveURL(/trace=INFO/);
  await check();

  await address.fill(`${unique()}@${domain.name}`);
  await dialog.getByRole('button', { name: 'Ask' }).click();
  await expect(dialog.getByText('It is refused')).toBeVisible();
  await address.fill('ann@far.example');
  await page.keyboard.press('Enter');
  await expect(address).toHaveAccessibleDescription(/domain/i);
  await check();
});

test('a CSV file is checked line by line, imported, and exported again', async ({ signedIn: page, api, check }) => {
  const domain = await makeDomain(api);
  await makeAlias(api, domain, 'info', 'ann@far.example');
  const lines = ['source_local_part,destination,active', 'info,ann@far.example,true', 'sales,info@DOMAIN,true', ',,'];
  const file = [...lines, 'team,"ann@far.example,bo@far.example",false'].join('\n').replace('DOMAIN', domain.name);
  await page.goto(`${url()}/aliases?domain=${domain.id}`);
  await page.getByRole('button', { name: 'Import, export' }).click();
  await page.getByRole('menuitem', { name: 'Import a CSV file' }).click();
  const dialog = page.getByRole('dialog', { name: 'Import aliases' });
  const checkLines = dialog.getByRole('button', { name: 'Check the lines' });
  await checkLines.click();
  await expect(dialog.getByLabel('Or paste its lines')).toHaveAccessibleDescription(/Choose a file, or paste/);
  await dialog.getByLabel('Or paste its lines').fill('no header');
  await checkLines.click();
  await expect(dialog.getByLabel('Or paste its lines')).toHaveAccessibleDescription(/source_local_part/);

  const chooser = page.waitForEvent('filechooser');
  await dialog.getByRole('button', { name: 'CSV file' }).click();
  await (await chooser).setFiles({ name: 'aliases.csv', mimeType: 'text/csv', buffer: Buffer.from(file) });
  await checkLines.click();
  await expect(dialog.getByText('1 alias to add, 1 there already, 2 refused. Nothing is changed yet.')).toBeVisible();
  await expect(dialog.getByRole('row', { name: /sales/ })).toContainText('ALIAS_CHAIN');
  await expect(dialog.getByRole('row', { name: /info →/ }).first()).toContainText('There already');
  expect(await api.call<unknown[]>('GET', `/aliases?domain_id=${domain.id}`)).toHaveLength(1);
  await check();

  await dialog.getByRole('button', { name: 'Add 1 alias' }).click();
  await expect(page.getByRole('status').filter({ hasText: '1 alias is added, 2 lines were refused' })).toBeVisible();
  await expect(switchOf(page, `team@${domain.name}`)).not.toBeChecked();
  await check();

  await page.getByRole('button', { name: 'Import, export' }).click();
  const download = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: `Export all of ${domain.name}` }).click();
  const saved = await download;
  expect(saved.suggestedFilename()).toBe(`aliases-${domain.name}.csv`);
  const csv = await readFile(await saved.path(), 'utf8');
  expect(csv.trim().split('\r\n')).toEqual([
    'source_local_part,destination,active',
    'info,ann@far.example,true',
    'team,"ann@far.example,bo@far.example",false',
  ]);
});

test('a search for a whole address, the state and the order stand in the URL; what fails says so', async ({
  signedIn: page,
  api,
  check,
}) => {
  const domain = await makeDomain(api);
  await makeAlias(api, domain, 'info', 'ann@far.example', { active: false });
  await makeAlias(api, domain, 'sales', 'ann@far.example');
  await page.goto(`${url()}/aliases`);
  await page.getByLabel('Filter by address or destination').fill(`info@${domain.name}`);
  await page.getByRole('button', { name: 'Off', exact: true }).click();
  await page.getByRole('button', { name: 'Added' }).click();
  await expect(page.getByRole('row')).toHaveCount(2);
  await expect(page).toHaveURL(/show=off/);
  await expect(page).toHaveURL(/sort=created_at/);
  await page.reload();
  await expect(page.getByRole('row', { name: `info@${domain.name}` })).toBeVisible();
  await check();
  await page.getByRole('button', { name: 'On', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'No alias fits' })).toBeVisible();
  await check();

  const fault = { status: 500, code: 'INTERNAL_ERROR', message: 'The server made a mistake.' };
  const end = await failProcedure(page, 'aliases.list', fault);
  await page.getByRole('button', { name: 'Clear the filters' }).click();
  await expect(alertWith(page, 'Could not load aliases')).toContainText('INTERNAL_ERROR (500)');
  await expect(alertWith(page, 'Could not load aliases')).toContainText(REQUEST_ID);
  await check();
  await end();
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('table')).toBeVisible();
});

test('a domain admin with one domain has it chosen, with several is asked, and reaches no other', async ({
  page,
  api,
  makeAdmin,
  check,
}) => {
  const [own, second, foreign] = [await makeDomain(api), await makeDomain(api), await makeDomain(api)];
  for (const domain of [own, second, foreign]) await makeAlias(api, domain, 'info', 'ann@far.example');
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
  await page.getByRole('combobox', { name: /^Find a page/ }).fill('info@');
  await expect(page.getByRole('option', { name: /^info@/ })).toHaveText([/^info@/, /^info@/]);
  await page.keyboard.press('Escape');
  await page.goto(`${url()}/aliases?domain=${foreign.id}`);
  await expect(alertWith(page, 'FORBIDDEN (403)')).toBeVisible();
  await check();
});

test('the palette finds an alias and opens it, and begins a new one', async ({
  signedIn: page,
  api,
  domain,
  check,
}) => {
  const source = unique('find');
  await makeAlias(api, domain, source, 'ann@far.example');
  await page.goto(`${url()}/`);
  await page.keyboard.press('Control+k');
  const finder = page.getByRole('combobox', { name: /^Find a page/ });
  await finder.fill(`${source}@${domain.name.slice(0, 4)}`);
  await expect(page.getByRole('option', { name: `${source}@${domain.name}` })).toHaveAttribute('aria-selected', 'true');
  await check();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: `Change ${source}@${domain.name}` })).toBeVisible();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await finder.fill('new alias');
  await page.getByRole('option', { name: 'New alias', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'New alias' });
  await dialog.getByRole('combobox', { name: 'Domain' }).click();
  await page.getByRole('option', { name: domain.name }).click();
  await expect(dialog.getByRole('combobox', { name: 'Domain' })).toHaveValue(domain.name);
});
