import { randomUUID } from 'node:crypto';
import { withoutMailServer } from '../support/faults';
import { alertWith, expect, makeDomain, test, unique, url } from '../support/fixtures';

test.beforeEach(({ page }) => withoutMailServer(page));

test('a domain is added, and what the server refuses stands at its field', async ({
  signedIn: page,
  domain,
  check,
}) => {
  await page.goto(`${url()}/domains`);
  await page.getByRole('button', { name: 'Add a domain' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add a domain' });
  const name = dialog.getByRole('textbox', { name: 'Domain' });
  const add = dialog.getByRole('button', { name: 'Add the domain' });
  await add.click();
  await expect(name).toHaveAccessibleDescription(/Enter a domain/);

  await name.fill(domain.name.toUpperCase());
  await add.click();
  await expect(name).toHaveAccessibleDescription(/already/);
  await expect(name).toHaveValue(domain.name.toUpperCase());
  await check();

  await name.fill('not a domain');
  await add.click();
  await expect(name).toHaveAccessibleDescription(/not a domain name/);

  const added = `${unique('Added')}.example`;
  await name.fill(added);
  await dialog.getByLabel('Description').fill('For the newsletter');
  await add.click();
  await expect(page.getByRole('heading', { name: added.toLowerCase() })).toBeVisible();
  await expect(page.getByLabel('Description')).toHaveValue('For the newsletter');
  await check();
});

test('filters and order of the list stand in the URL, survive a reload, and lead to the domain', async ({
  signedIn: page,
  api,
  check,
}) => {
  const off = await makeDomain(api);
  await api.call('PATCH', `/domains/${off.id}`, { active: false });
  await page.goto(`${url()}/domains`);
  await page.getByLabel('Filter by name').fill(off.name.slice(0, -8));
  await page.getByRole('button', { name: 'Off', exact: true }).click();
  await page.getByRole('button', { name: 'Added' }).click();
  await expect(page).toHaveURL(/q=d[0-9a-f]+/);
  await expect(page).toHaveURL(/show=off/);
  await expect(page).toHaveURL(/sort=created_at/);
  await expect(page.getByRole('row', { name: off.name })).toBeVisible();

  await page.reload();
  await expect(page.getByLabel('Filter by name')).toHaveValue(off.name.slice(0, -8));
  await expect(page.getByRole('button', { name: 'Off', exact: true })).toHaveAttribute('aria-pressed', 'true');
  await expect(page.getByRole('columnheader', { name: 'Added' })).toHaveAttribute('aria-sort', 'ascending');
  await expect(page.getByRole('row')).toHaveCount(2);
  await check();

  await page.getByRole('button', { name: 'Active', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'No domain fits' })).toBeVisible();
  await page.getByRole('button', { name: 'Clear the filters' }).click();
  await page.getByLabel('Filter by name').fill(off.name);
  await page.getByRole('link', { name: off.name }).click();
  await expect(page.getByRole('heading', { name: off.name })).toBeVisible();
  await expect(page.getByRole('switch', { name: 'Active' })).not.toBeChecked();
});

test('settings are saved, and what the server refuses stands at its field', async ({ signedIn: page, api, check }) => {
  const domain = await makeDomain(api);
  await page.goto(`${url()}/domains/${domain.id}`);
  const save = page.getByRole('button', { name: 'Save the changes' });
  await expect(save).toBeDisabled();
  await page.getByRole('textbox', { name: 'Mailboxes' }).fill('2000000000');
  await save.click();
  await expect(page.getByRole('textbox', { name: 'Mailboxes' })).toHaveAccessibleDescription(/1000000000|too big/i);
  await check();

  await page.getByRole('textbox', { name: 'Mailboxes' }).fill('40');
  await page.getByRole('textbox', { name: 'Mailbox quota, MB' }).fill('2048');
  await page.getByRole('switch', { name: 'Active' }).click();
  await save.click();
  await expect(page.getByText('Saved', { exact: true })).toBeVisible();
  expect(await api.call('GET', `/domains/${domain.id}`)).toMatchObject({
    active: false,
    max_mailboxes: 40,
    max_aliases: null,
    default_quota_bytes: 2048 * 1024 * 1024,
  });
  await page.reload();
  await expect(page.getByRole('textbox', { name: 'Mailboxes' })).toHaveValue('40');
  await check();
});

test('unsaved settings are not lost to a link, the palette, Back or a closed tab without asking', async ({
  signedIn: page,
  api,
  check,
}) => {
  const domain = await makeDomain(api);
  await page.goto(`${url()}/domains?q=${domain.name}`);
  await page.getByRole('link', { name: domain.name }).click();
  const description = page.getByLabel('Description');
  await description.fill('Not saved yet');
  const dialog = page.getByRole('dialog', { name: 'Leave this page' });
  const stay = async () => {
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await expect(dialog).toBeHidden();
    await expect(description).toHaveValue('Not saved yet');
  };

  await page.getByRole('link', { name: 'Messages', exact: true }).click();
  await expect(dialog).toBeVisible();
  await check();
  await stay();

  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: /^Find a page/ }).fill('messages log');
  await page.keyboard.press('Enter');
  await stay();

  await page.evaluate(() => window.history.back());
  await stay();
  await expect(page).toHaveURL(`${url()}/domains/${domain.id}`);

  const asked = page.waitForEvent('dialog');
  await page.close({ runBeforeUnload: true });
  const prompt = await asked;
  expect(prompt.type()).toBe('beforeunload');
  await prompt.dismiss();
  await expect(description).toHaveValue('Not saved yet');

  await page.evaluate(() => window.history.back());
  await dialog.getByRole('button', { name: 'Leave without saving' }).click();
  await expect(page).toHaveURL(`${url()}/domains?q=${domain.name}`);
  expect(await api.call('GET', `/domains/${domain.id}`)).toMatchObject({ description: '' });
});

test('a domain is deleted by typing its name', async ({ signedIn: page, api, check }) => {
  const domain = await makeDomain(api);
  await page.goto(`${url()}/domains/${domain.id}`);
  await page.getByRole('button', { name: 'Delete the domain' }).click();
  const dialog = page.getByRole('dialog', { name: `Delete ${domain.name}` });
  const confirm = dialog.getByRole('button', { name: 'Delete the domain' });
  await expect(confirm).toBeDisabled();
  await dialog.getByLabel(/^Type /).fill(domain.name.slice(1));
  await expect(confirm).toBeDisabled();
  await dialog.getByLabel(/^Type /).fill(domain.name);
  await confirm.click();
  await expect(page).toHaveURL(`${url()}/domains`);
  await check();

  await page.goto(`${url()}/domains/${domain.id}`);
  await expect(alertWith(page, 'NOT_FOUND')).toBeVisible();
  await expect(page.getByRole('link', { name: 'All domains' })).toBeVisible();
  await check();
});

test('a domain with a mailbox or an alias says why it cannot go', async ({ signedIn: page, api, sql, check }) => {
  const domain = await makeDomain(api);
  await page.goto(`${url()}/domains/${domain.id}`);
  await page.getByRole('button', { name: 'Delete the domain' }).click();
  await sql(
    'INSERT INTO alias (id, domain_id, source_local_part, destination, updated_at) VALUES ($1, $2, $3, $4, now())',
    [randomUUID(), domain.id, 'sales', 'ann@far.example'],
  );
  const dialog = page.getByRole('dialog', { name: `Delete ${domain.name}` });
  await dialog.getByLabel(/^Type /).fill(domain.name);
  await dialog.getByRole('button', { name: 'Delete the domain' }).click();
  await expect(dialog.getByRole('alert')).toContainText('CONFLICT');
  await check();

  await page.reload();
  await expect(page.getByText('It still has mailboxes or aliases (1).')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Delete the domain' })).toBeDisabled();
  await check();
});
