import { readFile } from 'node:fs/promises';
import type { Locator, Page } from '@playwright/test';
import { failProcedure, REQUEST_ID } from '../../support/faults';
import { alertWith, expect, makeDomain, test, url } from '../../support/fixtures';
import { makeAlias, resolve } from './alias';

const switchOf = (page: Page, address: string) => page.getByRole('switch', { name: `${address} is active` });
/** The native input is covered by the styled switch. */
const click = (control: Locator) => control.click({ force: true });

test('deactivates an alias immediately from its row, deletes it after confirmation, and Undo reverts both; edits it by keyboard', async ({
  signedIn: page,
  api,
  check,
}) => {
  const domain = await makeDomain(api);
  const address = `info@${domain.name}`;
  const { id } = await makeAlias(api, domain, 'info', 'ann@far.example');
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

  await test.step('edits the destinations by keyboard alone', async () => {
    const link = page.getByRole('link', { name: address });
    await link.press('Enter');
    const dialog = page.getByRole('dialog', { name: `Edit ${address}` });
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
    await expect(page.getByRole('row', { name: address })).toContainText('No mailbox');
    await page.getByRole('button', { name: `Show 1 more for ${address}` }).click();
    await expect(page.getByRole('row', { name: address }).getByRole('listitem')).toHaveCount(2);
    await check();
  });

  await test.step('deletes the alias, and Undo restores it', async () => {
    await page.getByRole('button', { name: `Actions for ${address}` }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog', { name: `Delete ${address}` });
    await check();
    await dialog.getByRole('button', { name: 'Delete alias' }).click();
    await expect(page.getByRole('button', { name: 'Undo' })).toBeFocused();
    expect(await resolve(api, address)).toMatchObject({ outcome: 'rejected' });
    await page.keyboard.press('Enter');
    await expect.poll(() => resolve(api, address)).toMatchObject({ outcome: 'alias' });
    await expect(page.getByRole('row', { name: address })).toBeVisible();
  });
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

test('previews a CSV import line by line, imports it and exports it again', async ({
  signedIn: page,
  api,
  check,
  checkState,
}) => {
  const domain = await makeDomain(api);
  await makeAlias(api, domain, 'info', 'ann@far.example');
  const lines = [
    'source_local_part,destination,active',
    'info,ann@far.example,true',
    'sales,info@DOMAIN,true',
    ',,true',
  ];
  const file = [...lines, 'team,"ann@far.example,bo@far.example",false'].join('\n').replace('DOMAIN', domain.name);
  await page.goto(`${url()}/aliases?domain=${domain.id}`);
  await openImport(page);
  const dialog = page.getByRole('dialog', { name: 'Import aliases' });
  const preview = dialog.getByRole('button', { name: 'Preview import' });
  await preview.click();
  await expect(dialog.getByLabel('Or paste CSV')).toHaveAccessibleDescription(/Choose a file or paste CSV/);
  await dialog.getByLabel('Or paste CSV').fill('no header');
  await preview.click();
  await expect(dialog.getByLabel('Or paste CSV')).toHaveAccessibleDescription(/source_local_part/);

  await chooseFile(page, Buffer.from(file));
  await preview.click();
  await expect(dialog.getByText('1 new alias, 1 unchanged, 2 errors. Nothing has been imported yet.')).toBeVisible();
  await expect(dialog.getByRole('row', { name: /sales/ })).toContainText(
    / is an alias, and aliases can’t be chained\. Enter its destinations instead\.$/,
  );
  await expect(dialog.getByRole('row', { name: /info@\S+ →/ }).first()).toContainText('Unchanged');
  expect(await api.call<unknown[]>('GET', `/aliases?domain_id=${domain.id}`)).toHaveLength(1);
  await check();

  await dialog.getByRole('button', { name: 'Import 1 alias' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'Imported 1 alias; 2 lines failed' })).toBeVisible();
  const failed = page.getByRole('dialog', { name: '2 lines not imported' });
  await expect(failed.getByRole('row')).toHaveCount(3);
  await checkState();
  const failedDownload = page.waitForEvent('download');
  await failed.getByRole('button', { name: 'Download failed lines' }).click();
  const rows = (await readFile(await (await failedDownload).path(), 'utf8')).split('\r\n');
  expect(rows).toEqual([
    '\ufeffsource_local_part,destination,active,error',
    expect.stringMatching(/^sales,info@.*,true,"info@.* is an alias/),
    expect.stringMatching(/^,,true,“destination”: /),
    '',
  ]);
  await failed.getByRole('button', { name: 'Close' }).last().click();
  await expect(switchOf(page, `team@${domain.name}`)).not.toBeChecked();
  await check();

  // The corrected file, as Excel saves it without Unicode.
  const corrected = [rows[0]?.slice(1), rows[1]?.replace(`info@${domain.name}`, 'bo@bücher.example')].join('\r\n');
  await importFile(page, Buffer.from(corrected.replaceAll(',', ';'), 'latin1'));
  await expect(dialog.getByRole('combobox', { name: 'Encoding' })).toHaveValue('Western European (Windows-1252)');
  await expect(dialog.getByLabel('Or paste CSV')).toHaveValue(/bo@bücher\.example/);
  await check();
  await preview.click();
  await dialog.getByRole('button', { name: 'Import 1 alias' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'Imported 1 alias' })).toBeVisible();
  await expect(dialog).toHaveCount(0);
  await importFile(page, Buffer.from('\ufeffsource_local_part\tdestination\r\nbooks\tcy@bücher.example', 'utf16le'));
  await expect(dialog.getByLabel('Or paste CSV')).toHaveValue(/books\tcy@bücher\.example/);
  await expect(dialog.getByRole('combobox', { name: 'Encoding' })).toHaveCount(0);
  await dialog.getByRole('button', { name: 'Cancel' }).click();

  await page.getByRole('button', { name: 'Import / export' }).click();
  const download = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: `Export ${domain.name}` }).click();
  const saved = await download;
  expect(saved.suggestedFilename()).toBe(`aliases-${domain.name}.csv`);
  const csv = await readFile(await saved.path(), 'utf8');
  expect(csv.trimEnd().split('\r\n')).toEqual([
    '\ufeffsource_local_part,destination,active',
    'info,ann@far.example,true',
    'sales,bo@xn--bcher-kva.example,true',
    'team,"ann@far.example,bo@far.example",false',
  ]);
});

test('imports a file with addresses of several domains', async ({ signedIn: page, api, check }) => {
  const [one, other] = [await makeDomain(api), await makeDomain(api)];
  const addresses = [`info@${one.name}`, `info@${other.name}`, 'info@unmanaged.example'];
  await page.goto(`${url()}/aliases`);
  await openImport(page);
  const dialog = page.getByRole('dialog', { name: 'Import aliases' });
  await expect(dialog.getByRole('combobox', { name: 'Domain' })).toHaveValue('Domains in the file');
  const csv = dialog.getByLabel('Or paste CSV');
  await expect(csv).toHaveAttribute('placeholder', /info@example\.com/);
  await csv.fill(
    ['address,destination', ...['', ...addresses].map((address) => `${address},ann@far.example`)].join('\n'),
  );
  await dialog.getByRole('button', { name: 'Preview import' }).click();
  await expect(dialog.getByRole('row', { name: addresses[1] })).toContainText('New');
  await expect(dialog.getByRole('row', { name: '(no address)' })).toContainText('This address has no domain.');
  await expect(dialog.getByRole('row', { name: addresses[2] })).toContainText('is not managed by this server.');
  await dialog.getByRole('button', { name: 'Import 2 aliases' }).click();
  await expect(page.getByRole('dialog', { name: '2 lines not imported' })).toContainText('info@unmanaged.example');
  for (const { id } of [one, other]) {
    expect(await api.call('GET', `/aliases?domain_id=${id}`)).toMatchObject([{ source_local_part: 'info' }]);
  }
  await check();
});

async function openImport(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Import / export' }).click();
  await page.getByRole('menuitem', { name: 'Import CSV' }).click();
}

async function chooseFile(page: Page, buffer: Buffer): Promise<void> {
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('dialog', { name: 'Import aliases' }).getByRole('button', { name: 'CSV file' }).click();
  await (await chooser).setFiles({ name: 'aliases.csv', mimeType: 'text/csv', buffer });
}

async function importFile(page: Page, buffer: Buffer): Promise<void> {
  await openImport(page);
  await chooseFile(page, buffer);
}
