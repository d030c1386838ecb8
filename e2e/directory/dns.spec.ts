import type { Page } from '@playwright/test';
import { dropQuestions, loadZone, publish } from '../support/dns';
import { failProcedure, withoutMailServer } from '../support/faults';
import { alertWith, createDomain, expect, test, unique, url, useSession } from '../support/fixtures';

const HOST = 'mail.harbourfinch.example';
const ADDRESS = '192.0.2.25';
const SERVER = { [HOST]: { A: [ADDRESS] }, '25.2.0.192.in-addr.arpa': { PTR: [HOST] } };

const section = (page: Page) => page.getByRole('region', { name: 'DNS', exact: true });
const table = (page: Page) => section(page).getByRole('table', { name: /^DNS records/ });
const row = (page: Page, name: RegExp) => table(page).getByRole('row', { name });
const details = (page: Page, name: RegExp) => section(page).getByRole('button', { name });
const copied = (page: Page) => page.evaluate(() => navigator.clipboard.readText());

test.beforeEach(({ page }) => withoutMailServer(page));

async function checkAgain(page: Page): Promise<void> {
  const button = page.getByRole('button', { name: 'Check again' });
  const checked = page.waitForResponse((response) => response.url().includes('domains.checkDns'));
  await button.click();
  await checked;
  await expect(button).toBeEnabled();
}

test('leads from adding a domain to all records found, by pasting the zone file', async ({
  signedIn: page,
  context,
  check,
  checkState,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const name = `${unique('added')}.example`;
  publish(SERVER);
  await page.goto(`${url()}/domains?new=true`);
  const dialog = page.getByRole('dialog', { name: 'Add domain' });
  await dialog.getByRole('textbox', { name: 'Domain' }).fill(name);
  await dialog.getByRole('button', { name: 'Add domain' }).click();
  await expect(page.getByRole('heading', { name })).toBeVisible();
  await checkAgain(page);
  await expect(row(page, /^Missing MX/)).toBeVisible();
  await expect(page.getByRole('tab', { name: /^DNS \d+ problems/ })).toBeVisible();
  await check();

  await expect(section(page)).toContainText(/\d+ of \d+ records\. \d+ (is|are) optional and not set: .+\./);
  await expect(row(page, /^Not set/)).toHaveCount(0);
  await section(page).getByRole('button', { name: 'Show all records' }).click();
  await expect(row(page, /^Not set Ownership/)).toBeVisible();
  await section(page).getByRole('button', { name: 'Show fewer records' }).click();
  await expect(row(page, /^Not set/)).toHaveCount(0);

  await section(page)
    .getByRole('radio', { name: /^To publish/ })
    .click();
  const toPublish = section(page).getByRole('list', { name: 'Records to publish' });
  const mx = toPublish.getByRole('listitem').filter({ hasText: 'Brings mail here' });
  await expect(mx).toContainText('@');
  await mx.getByRole('button', { name: 'Copy the priority of MX @' }).click();
  expect(await copied(page)).toBe('10');
  await mx.getByRole('button', { name: 'Copy the mail server of MX @' }).click();
  expect(await copied(page)).toBe(HOST);
  await check();

  const copyMissing = async () => {
    await page.getByRole('button', { name: 'Zone file' }).click();
    await page.getByRole('menuitem', { name: 'Copy missing records' }).click();
  };
  await page.evaluate(() => {
    navigator.clipboard.writeText = () => Promise.reject(new Error('refused'));
  });
  await copyMissing();
  await expect(page.getByText('Couldn’t copy the records. Download the zone file instead.')).toBeVisible();
  await expect(page.getByText('isn’t responding')).toHaveCount(0);
  await page.evaluate(() => Reflect.deleteProperty(navigator.clipboard, 'writeText'));
  await copyMissing();
  await expect(page.getByText('Missing records copied')).toBeVisible();
  loadZone(await copied(page));
  await checkAgain(page);
  for (const label of ['MX', 'SPF', 'DKIM']) await expect(row(page, new RegExp(`^Found ${label}`))).toBeVisible();
  await expect(row(page, /^(Missing|Mismatch|Duplicate) (MX|SPF|DKIM|DMARC)/)).toHaveCount(0);
  await checkState();
});

test('marks what differs from the record to publish, and keeps the open record in the URL', async ({
  signedIn: page,
  context,
  api,
  check,
  checkState,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const domain = await createDomain(api);
  publish({ ...SERVER, [domain.name]: { TXT: ['v=spf1 include:other.example ?all'] } });
  await page.goto(`${url()}/domains/${domain.id}`);
  await checkAgain(page);
  const spf = row(page, /^Mismatch SPF/);
  await expect(spf).toContainText(/v=spf1 include:other\.example \?all\s*Expected v=spf1 mx/);
  await spf.getByRole('button', { name: 'Copy the expected value of SPF @' }).click();
  expect(await copied(page)).toMatch(/^v=spf1 mx/);
  const toggle = details(page, /^Details of SPF @/);
  await expect(toggle).toHaveAttribute('aria-expanded', 'false');
  await toggle.click();
  await expect(toggle).toHaveAttribute('aria-expanded', 'true');
  const found = section(page).getByRole('region', { name: 'Found' });
  await expect(found.locator('mark').filter({ hasText: 'other.example' })).toBeVisible();
  const expected = section(page).getByRole('region', { name: 'Publish this' });
  await expect(expected.locator('mark').first()).toBeVisible();
  await section(page).getByRole('button', { name: 'Copy name' }).click();
  expect(await copied(page)).toBe('@');
  await checkState();

  await page.reload();
  await expect(toggle).toHaveAttribute('aria-expanded', 'true');
  await toggle.focus();
  await page.keyboard.press('Enter');
  await expect(toggle).toHaveAttribute('aria-expanded', 'false');
  await page.setViewportSize({ width: 360, height: 740 });
  await toggle.click();
  await expect(found).toBeVisible();
  await check();
});

test('shows a running check to an admin who comes back, until it ends', async ({
  signedIn: page,
  api,
  sql,
  checkState,
}) => {
  const domain = await createDomain(api);
  await sql("UPDATE domain SET next_dns_check_at = '2100-01-01' WHERE id = $1", [domain.id]);
  const { records } = await api.call<{ records: { purpose: string }[] }>('POST', `/domains/${domain.id}/dns/check`);
  const found = records.filter(({ purpose }) => purpose === 'mx');
  await sql(
    `INSERT INTO dns_check (domain_id, check_id, started_at, total, records)
     VALUES ($1, gen_random_uuid(), now() + interval '1 hour', $2, $3)`,
    [domain.id, records.length, JSON.stringify(found)],
  );
  await page.goto(`${url()}/domains/${domain.id}`);
  await expect(row(page, /^Missing MX/)).toBeVisible();
  await expect(row(page, /^Checking DMARC/)).toBeVisible();
  await expect(section(page)).toContainText(`1 of ${records.length} records`);
  await expect(section(page).getByRole('progressbar')).toBeVisible();
  await checkState();

  await sql('DELETE FROM dns_check WHERE domain_id = $1', [domain.id]);
  await expect(row(page, /^Missing DMARC/)).toBeVisible();
  await expect(row(page, /^Checking/)).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Check again' })).toBeEnabled();
});

test('lists what changed from one check to the next, and which records are still being checked', async ({
  signedIn: page,
  api,
  check,
}) => {
  const domain = await createDomain(api);
  const spf = (value: string) => publish({ ...SERVER, [domain.name]: { TXT: [value] } });
  spf('v=spf1 mx -all');
  await page.goto(`${url()}/domains/${domain.id}`);
  await checkAgain(page);
  const history = page.getByRole('region', { name: 'DNS changes' });
  await expect(history).toContainText('Nothing has changed since the first check.');
  spf('v=spf1 ?all');
  await checkAgain(page);
  const change = history.getByRole('row', { name: /SPF/ });
  await expect(change).toContainText('Before v=spf1 mx -all');
  await expect(change).toContainText('After v=spf1 ?all');
  await check();

  const answer = dropQuestions(`_dmarc.${domain.name}`);
  await page.getByRole('button', { name: 'Check again' }).click();
  await expect(row(page, /^Checking DMARC/)).toBeVisible();
  await expect(row(page, /^Missing DMARC/)).toBeVisible();
  await expect(section(page).getByRole('progressbar')).toHaveCount(0);
  answer();
});

test('says since when the result is if no DNS server answers', async ({ signedIn: page, api, sql, check }) => {
  const domain = await createDomain(api);
  await page.goto(`${url()}/domains/${domain.id}`);
  await checkAgain(page);
  // The first check of a new domain may still run, and end after this.
  await expect(async () => {
    await sql(
      `UPDATE dns_record r SET checked_at = d.dns_checked_at - interval '2 hours' FROM domain d
        WHERE d.id = r.domain_id AND d.id = $1`,
      [domain.id],
    );
    await page.reload();
    await expect(section(page)).toContainText('No DNS server answered the last check', { timeout: 5_000 });
  }).toPass();
  await expect(section(page)).toContainText('This is the result of');
  await check();
});

test('raises no alarm about the records of an inactive domain', async ({ signedIn: page, api, check }) => {
  const domain = await createDomain(api);
  await api.call('POST', `/domains/${domain.id}/dns/check`);
  await page.goto(`${url()}/domains/${domain.id}`);
  await expect(page.getByRole('tab', { name: /^DNS \d+ problems/ })).toBeVisible();
  await api.call('PATCH', `/domains/${domain.id}`, { active: false });
  await page.reload();
  await expect(section(page).getByRole('status')).toContainText('The domain is inactive and handles no mail');
  await expect(page.getByRole('tab', { name: 'DNS', exact: true })).toBeVisible();
  const alarms = section(page).locator('[data-tone="failed"], [data-tone="bounced"]');
  await expect(alarms).toHaveCount(0);
  await page.getByRole('radio', { name: /^To publish/ }).click({ force: true });
  await expect(page.getByRole('list', { name: 'Records to publish' })).toBeVisible();
  await expect(alarms).toHaveCount(0);
  await page.goto(`${url()}/domains?q=${domain.name}`);
  const listed = page.getByRole('row', { name: domain.name });
  await expect(listed).toContainText('Inactive');
  await expect(listed).not.toContainText('Problems');
  await check();
});

test('shows an unchecked domain, and one whose records fail to load', async ({ signedIn: page, api, sql, check }) => {
  const domain = await createDomain(api);
  await sql("UPDATE domain SET next_dns_check_at = '2100-01-01' WHERE id = $1", [domain.id]);
  await sql('DELETE FROM dns_record WHERE domain_id = $1', [domain.id]);
  await sql("UPDATE domain SET dns_checked_at = NULL, dns_status = 'unchecked' WHERE id = $1", [domain.id]);
  await page.goto(`${url()}/domains/${domain.id}`);
  const state = page.getByRole('region', { name: 'DNS' }).getByRole('status');
  await expect(state).toContainText('Not checked yet');
  await expect(page.getByRole('row', { name: /Not checked DMARC/ })).toBeVisible();
  await page.getByRole('radio', { name: /^To publish/ }).click();
  await expect(page.getByRole('button', { name: 'Copy the value of SPF @' })).toBeVisible();
  await check();

  const failure = { status: 400, code: 'VALIDATION_ERROR', message: 'Invalid request.' };
  const end = await failProcedure(page, 'domains.dns', failure);
  await page.reload();
  await expect(alertWith(page, 'Couldn’t load DNS records')).toBeVisible();
  await check();
  await end();
  await page.getByRole('button', { name: 'Retry', exact: true }).click();
  await expect(state).toContainText('Not checked yet');
});

test('lets a domain admin check records, and moves between tabs by keyboard', async ({
  page,
  api,
  makeAdmin,
  check,
}) => {
  const domain = await createDomain(api);
  await useSession(page, (await makeAdmin('domain_admin', [domain])).cookie);
  await page.goto(`${url()}/domains/${domain.id}`);
  await checkAgain(page);
  await expect(section(page).getByRole('row').nth(1)).toBeVisible();
  await page.getByRole('tab', { name: /^DNS/ }).focus();
  await page.keyboard.press('ArrowRight');
  await expect(page).toHaveURL(/tab=dkim/);
  await expect(page.getByRole('region', { name: /^Active key / })).toBeVisible();
  await page.keyboard.press('End');
  await expect(page.getByRole('tab', { name: 'History' })).toBeFocused();
  await page.keyboard.press('ArrowLeft');
  await expect(page.getByText('Only admins can change these settings.')).toBeVisible();
  await check();
  await page.goBack();
  await expect(page.getByRole('tab', { name: 'DKIM' })).toHaveAttribute('aria-selected', 'true');
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto(`${url()}/domains/${domain.id}?tab=settings`);
  // Less than 1, because a tab's width is no whole number of pixels.
  await expect(page.getByRole('tab', { name: 'Settings' })).toBeInViewport({ ratio: 0.95 });
});
