import type { Page } from '@playwright/test';
import { publish } from '../support/dns';
import { answerProcedure, failProcedure, withoutMailServer } from '../support/faults';
import { alertWith, createDomain, expect, test, url, useSession } from '../support/fixtures';

type Key = { selector: string; status: string; dns_record: { name: string; value: string } };

test.beforeEach(({ page }) => withoutMailServer(page));

const section = (page: Page) => page.getByRole('region', { name: 'DKIM' });
const activeKey = (page: Page) => page.getByRole('region', { name: /^Active key / });
const pendingKey = (page: Page) => page.getByRole('region', { name: /^Pending key / });
const copied = (page: Page) => page.evaluate(() => navigator.clipboard.readText());

test('says that the published key is another one, as the DNS tab does', async ({ signedIn: page, api, check }) => {
  const domain = await createDomain(api);
  const [key] = await api.call<Key[]>('GET', `/domains/${domain.id}/dkim`);
  publish({ [key?.dns_record.name ?? '']: { TXT: ['v=DKIM1; k=rsa; p=AAAA'] } });
  await api.call('POST', `/domains/${domain.id}/dns/check`);
  await page.goto(`${url()}/domains/${domain.id}?tab=dkim`);
  await expect(activeKey(page)).toContainText('Mismatch in DNS');
  await expect(activeKey(page)).toContainText('The published DKIM key is not the one that signs.');
  await check();
  await activeKey(page).getByRole('link', { name: 'Show the DNS record' }).click();
  await expect(page.getByRole('button', { name: /^Details of DKIM/ })).toHaveAttribute('aria-expanded', 'true');
});

test('copies the record of a new domain’s key as the API returns it, rotates the key, activates it, and reactivates the previous one', async ({
  signedIn: page,
  context,
  api,
  check,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const domain = await createDomain(api);
  const [first] = await api.call<Key[]>('GET', `/domains/${domain.id}/dkim`);
  await page.goto(`${url()}/domains/${domain.id}?tab=dkim`);
  await expect(activeKey(page)).toContainText(`${first?.selector}`);
  await expect(activeKey(page)).toContainText('RSA, 2048 bits');
  await activeKey(page).getByRole('button', { name: 'Copy the name' }).click();
  expect(await copied(page)).toBe(first?.dns_record.name);
  await activeKey(page).getByRole('button', { name: 'Copy the value' }).click();
  expect(await copied(page)).toBe(first?.dns_record.value);

  await page.getByRole('button', { name: 'Rotate key' }).click();
  const dialog = page.getByRole('dialog', { name: `Rotate the DKIM key of ${domain.name}` });
  const selector = dialog.getByRole('textbox', { name: /^Selector/ });
  const generate = dialog.getByRole('button', { name: 'Generate key' });
  await selector.fill('not one');
  await generate.click();
  await expect(selector).toHaveAccessibleDescription(/letters, digits and hyphens/);
  await selector.fill(first?.selector.toUpperCase() ?? '');
  await generate.click();
  await expect(selector).toHaveAccessibleDescription(/Choose another/);
  await check();
  await selector.fill('second');
  await dialog.getByRole('combobox', { name: 'Algorithm' }).click();
  await page.getByRole('option', { name: 'Ed25519' }).click();
  await generate.click();
  await expect(dialog).toBeHidden();
  await expect(pendingKey(page)).toContainText(`second._domainkey.${domain.name}`);
  await expect(pendingKey(page)).toContainText('v=DKIM1; k=ed25519; p=');
  await expect(page.getByRole('button', { name: 'Rotate key' })).toHaveCount(0);
  await check();

  await page.getByRole('button', { name: 'Activate second' }).click();
  const confirmation = page.getByRole('dialog', { name: 'Activate second' });
  await expect(confirmation).toContainText(`The key ${first?.selector} is retired`);
  await expect(confirmation).toContainText('No mail server is attached');
  await expect(confirmation.getByRole('status')).toContainText('Missing');
  await expect(confirmation.getByRole('button', { name: 'Activate anyway' })).toBeEnabled();
  await check();
  await confirmation.getByRole('button', { name: 'Cancel' }).click();
  const second = await api.call<Key[]>('GET', `/domains/${domain.id}/dkim?status=pending`);
  publish({ [`second._domainkey.${domain.name}`]: { TXT: [second[0]?.dns_record.value ?? ''] } });
  await page.getByRole('button', { name: 'Activate second' }).click();
  await expect(confirmation.getByRole('status')).toContainText('Published');
  await confirmation.getByRole('button', { name: 'Activate key' }).click();
  await expect(confirmation).toBeHidden();
  await expect(activeKey(page)).toContainText('second');
  await expect(pendingKey(page)).toHaveCount(0);
  expect(await api.call('GET', `/domains/${domain.id}`)).toMatchObject({ dkim_selector: 'second' });
  await check();

  await page.getByRole('button', { name: `Reactivate ${first?.selector}` }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Activate anyway' }).click();
  await expect(activeKey(page)).toContainText(`${first?.selector}`);
  await expect(page.getByRole('button', { name: 'Reactivate second' })).toBeVisible();

  await api.call('POST', `/domains/${domain.id}/dkim/rotate`, { selector: 'third' });
  await page.reload();
  await pendingKey(page).getByRole('button', { name: 'Discard key' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Discard key' }).click();
  await expect(pendingKey(page)).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Rotate key' })).toBeVisible();
});

test('shows whether the mail server has the key', async ({ signedIn: page, api, sql, check }) => {
  const domain = await createDomain(api);
  await page.goto(`${url()}/domains/${domain.id}?tab=dkim`);
  await expect(section(page).getByText('No mail server is attached.')).toBeVisible();
  await check();

  await answerProcedure(page, 'mailServer.get', { state: 'silent' });
  await page.reload();
  await expect(section(page).getByText('The mail agent is not responding.')).toBeVisible();
  await check();

  await answerProcedure(page, 'mailServer.get', { state: 'attached' });
  await page.reload();
  await expect(section(page).getByText('The mail server does not have this key yet.')).toBeVisible();
  await sql('UPDATE dkim_key SET published_at = now() WHERE domain_id = $1', [domain.id]);
  await expect(section(page).getByText(/^The mail server has signed with this key since /)).toBeVisible();
  await check();
});

test('reports a conflicting change by another admin, then shows it', async ({ signedIn: page, api, check }) => {
  const domain = await createDomain(api);
  await api.call('POST', `/domains/${domain.id}/dkim/rotate`, { selector: 'second', algorithm: 'ed25519' });
  await page.goto(`${url()}/domains/${domain.id}?tab=dkim`);
  await page.getByRole('button', { name: 'Activate second' }).click();
  await api.call('POST', `/domains/${domain.id}/dkim/second/activate`);
  const dialog = page.getByRole('dialog', { name: 'Activate second' });
  await dialog.getByRole('button', { name: 'Activate anyway' }).click();
  await expect(dialog.getByRole('alert')).toContainText('CONFLICT');
  await check();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(activeKey(page)).toContainText('second');
});

test('lets a domain admin view keys and records but not change them', async ({ page, api, makeAdmin, check }) => {
  const domain = await createDomain(api);
  await api.call('POST', `/domains/${domain.id}/dkim/rotate`, { selector: 'second' });
  await useSession(page, (await makeAdmin('domain_admin', [domain])).cookie);
  await page.goto(`${url()}/domains/${domain.id}?tab=dkim`);
  await expect(activeKey(page).getByRole('button', { name: 'Copy the value' })).toBeVisible();
  await expect(pendingKey(page).getByRole('button', { name: 'Copy the value' })).toBeVisible();
  await expect(section(page).getByText('Only admins can rotate keys.')).toBeVisible();
  await expect(section(page).getByRole('button', { name: /Rotate|Activate/ })).toHaveCount(0);
  await check();
});

test('shows the rest of the page if the keys fail to load', async ({ signedIn: page, domain, check }) => {
  const failure = { status: 400, code: 'VALIDATION_ERROR', message: 'Invalid request.' };
  const end = await failProcedure(page, 'domains.dkimKeys', failure);
  await page.goto(`${url()}/domains/${domain.id}?tab=dkim`);
  await expect(alertWith(page, 'Couldn’t load DKIM keys')).toBeVisible();
  await expect(page.getByRole('tab', { name: 'Settings' })).toBeVisible();
  await check();
  await end();
  await page.getByRole('button', { name: 'Retry', exact: true }).click();
  await expect(activeKey(page)).toBeVisible();
});
