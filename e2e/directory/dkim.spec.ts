import type { Page } from '@playwright/test';
import { answerProcedure, failProcedure, withoutMailServer } from '../support/faults';
import { alertWith, expect, makeDomain, test, url, useSession } from '../support/fixtures';

type Key = { selector: string; status: string; dns_record: { name: string; value: string } };

test.beforeEach(({ page }) => withoutMailServer(page));

const section = (page: Page) => page.getByRole('region', { name: 'DKIM' });
const activeKey = (page: Page) => page.getByRole('region', { name: /^Active key / });
const pendingKey = (page: Page) => page.getByRole('region', { name: /^Pending key / });
const copied = (page: Page) => page.evaluate(() => navigator.clipboard.readText());

test('a new domain shows the record of its key, to be copied as the API gives it', async ({
  signedIn: page,
  context,
  api,
  check,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const domain = await makeDomain(api);
  const [key] = await api.call<Key[]>('GET', `/domains/${domain.id}/dkim`);
  await page.goto(`${url()}/domains/${domain.id}`);
  await expect(activeKey(page)).toContainText(`${key?.selector}`);
  await expect(activeKey(page)).toContainText('RSA, 2048 bits');
  await activeKey(page).getByRole('button', { name: 'Copy the name' }).click();
  expect(await copied(page)).toBe(key?.dns_record.name);
  await activeKey(page).getByRole('button', { name: 'Copy the value' }).click();
  expect(await copied(page)).toBe(key?.dns_record.value);
  await check();
});

test('a key is rotated, activated after a confirmation, and the one before taken back', async ({
  signedIn: page,
  api,
  check,
}) => {
  const domain = await makeDomain(api);
  const [first] = await api.call<Key[]>('GET', `/domains/${domain.id}/dkim`);
  await page.goto(`${url()}/domains/${domain.id}`);
  await page.getByRole('button', { name: 'Rotate the key' }).click();
  const dialog = page.getByRole('dialog', { name: `Rotate the key of ${domain.name}` });
  const selector = dialog.getByRole('textbox', { name: /^Selector/ });
  const make = dialog.getByRole('button', { name: 'Make the new key' });
  await selector.fill('not one');
  await make.click();
  await expect(selector).toHaveAccessibleDescription(/Letters, digits and hyphens/);
  await selector.fill(first?.selector.toUpperCase() ?? '');
  await make.click();
  await expect(selector).toHaveAccessibleDescription(/Choose another/);
  await check();
  await selector.fill('second');
  await dialog.getByRole('combobox', { name: 'Algorithm' }).click();
  await page.getByRole('option', { name: 'Ed25519' }).click();
  await make.click();
  await expect(dialog).toBeHidden();
  await expect(pendingKey(page)).toContainText(`second._domainkey.${domain.name}`);
  await expect(pendingKey(page)).toContainText('v=DKIM1; k=ed25519; p=');
  await expect(page.getByRole('button', { name: 'Rotate the key' })).toHaveCount(0);
  await check();

  await page.getByRole('button', { name: 'Activate second' }).click();
  const confirmation = page.getByRole('dialog', { name: 'Activate second' });
  await expect(confirmation).toContainText(`The key ${first?.selector} is retired`);
  await expect(confirmation).toContainText('No mail server is attached');
  await confirmation.getByRole('button', { name: 'Activate the key' }).click();
  await expect(confirmation).toBeHidden();
  await expect(activeKey(page)).toContainText('second');
  await expect(pendingKey(page)).toHaveCount(0);
  expect(await api.call('GET', `/domains/${domain.id}`)).toMatchObject({ dkim_selector: 'second' });
  await check();

  await page.getByRole('button', { name: `Activate again: ${first?.selector}` }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Activate the key' }).click();
  await expect(activeKey(page)).toContainText(`${first?.selector}`);
  await expect(page.getByRole('button', { name: 'Activate again: second' })).toBeVisible();
});

test('it is told whether the mail server has the key', async ({ signedIn: page, api, sql, check }) => {
  const domain = await makeDomain(api);
  await page.goto(`${url()}/domains/${domain.id}`);
  await expect(section(page).getByText('No mail server is attached.')).toBeVisible();
  await check();

  await answerProcedure(page, 'mailServer.get', { state: 'silent' });
  await page.reload();
  await expect(section(page).getByText('The agent of the mail server is silent.')).toBeVisible();
  await check();

  await answerProcedure(page, 'mailServer.get', { state: 'attached' });
  await page.reload();
  await expect(section(page).getByText('The mail server does not have it yet.')).toBeVisible();
  await sql('UPDATE dkim_key SET published_at = now() WHERE domain_id = $1', [domain.id]);
  await expect(section(page).getByText(/^The mail server has it since /)).toBeVisible();
  await check();
});

test('what another admin did meanwhile is told, and then seen', async ({ signedIn: page, api, check }) => {
  const domain = await makeDomain(api);
  await api.call('POST', `/domains/${domain.id}/dkim/rotate`, { selector: 'second', algorithm: 'ed25519' });
  await page.goto(`${url()}/domains/${domain.id}`);
  await page.getByRole('button', { name: 'Activate second' }).click();
  await api.call('POST', `/domains/${domain.id}/dkim/second/activate`);
  const dialog = page.getByRole('dialog', { name: 'Activate second' });
  await dialog.getByRole('button', { name: 'Activate the key' }).click();
  await expect(dialog.getByRole('alert')).toContainText('CONFLICT');
  await check();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(activeKey(page)).toContainText('second');
});

test('a domain admin sees the keys and their records, and changes none', async ({ page, api, makeAdmin, check }) => {
  const domain = await makeDomain(api);
  await api.call('POST', `/domains/${domain.id}/dkim/rotate`, { selector: 'second' });
  await useSession(page, (await makeAdmin('domain_admin', [domain])).cookie);
  await page.goto(`${url()}/domains/${domain.id}`);
  await expect(activeKey(page).getByRole('button', { name: 'Copy the value' })).toBeVisible();
  await expect(pendingKey(page).getByRole('button', { name: 'Copy the value' })).toBeVisible();
  await expect(section(page).getByText('Rotating keys needs the role admin.')).toBeVisible();
  await expect(section(page).getByRole('button', { name: /Rotate|Activate/ })).toHaveCount(0);
  await check();
});

test('keys that could not be loaded leave the rest of the page', async ({ signedIn: page, domain, check }) => {
  const fault = { status: 400, code: 'VALIDATION_ERROR', message: 'It does not fit.' };
  const end = await failProcedure(page, 'domains.dkimKeys', fault);
  await page.goto(`${url()}/domains/${domain.id}`);
  await expect(alertWith(page, 'Could not load the DKIM keys')).toBeVisible();
  await expect(page.getByLabel('Description')).toBeVisible();
  await check();
  await end();
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(activeKey(page)).toBeVisible();
});
