import type { Locator, Page } from '@playwright/test';
import { expect, makeDomain, sendMessage, test, unique, url, useSession } from '../support/fixtures';

test('on a phone, Back closes the open message, undoes each filter, and never leaves the list before', async ({
  browser,
  api,
  makeAdmin,
}) => {
  const domain = await makeDomain(api);
  const subject = unique('Parcel ');
  await sendMessage(api, domain, { subject });
  await sendMessage(api, domain, { subject: unique('Letter ') });
  const context = await browser.newContext({ hasTouch: true, isMobile: true, viewport: { width: 360, height: 740 } });
  const page = await context.newPage();
  await useSession(page, (await makeAdmin('domain_admin', [domain])).cookie);
  await page.goto(`${url()}/`);
  await page.goto(`${url()}/messages`);
  // Safari would zoom into a field with smaller text.
  await expect(page.getByLabel('Search messages')).toHaveCSS('font-size', '16px');
  const rows = page
    .getByRole('table', { name: /^Messages/ })
    .getByRole('row')
    .filter({ hasText: /Parcel|Letter/ });
  await expect(rows).toHaveCount(2);
  await typeOnSlowDevice(page.getByLabel('Search messages'), subject);
  await expect(rows).toHaveCount(1);
  await rows.getByRole('link').first().tap();
  const panel = page.getByRole('complementary', { name: /^Message/ });
  await expect(panel).toBeVisible();
  await page.goBack();
  await expect(panel).toHaveCount(0);
  await expect(page).toHaveURL(/\/messages\?q=/);
  await expect(rows.getByRole('link').first()).toBeFocused();
  await page.goForward();
  await expect(panel).toBeVisible();
  await page.goBack();
  await page.goBack();
  await expect(page).toHaveURL(`${url()}/messages`);
  await expect(rows).toHaveCount(2);
  await page.goBack();
  await expect(page).toHaveURL(`${url()}/`);
  await context.close();
});

test('on a phone, Back closes any dialog, and asks before it discards what was entered', async ({
  browser,
  api,
  makeAdmin,
}) => {
  const domain = await makeDomain(api);
  const fields = { domain_id: domain.id, local_part: 'ann', password: 'paper boats on the canal' };
  const mailbox = await api.call<{ id: string }>('POST', '/mailboxes', fields);
  const context = await browser.newContext({ hasTouch: true, isMobile: true, viewport: { width: 360, height: 740 } });
  const page = await context.newPage();
  await useSession(page, (await makeAdmin('super_admin')).cookie);
  const dialog = page.getByRole('dialog');
  const button = (name: string | RegExp) => page.getByRole('button', { name }).filter({ visible: true }).first();

  await page.goto(`${url()}/aliases?domain=${domain.id}`);
  const list = page.url();
  await button('New alias').tap();
  const address = dialog.getByRole('textbox', { name: 'Address', exact: true });
  await address.fill('parcels');
  await pressBack(page);
  await expect(dialog.getByRole('alert')).toHaveText('Discard what you entered?');
  await expect(page).toHaveURL(/new=true/);
  await dialog.getByRole('button', { name: 'Keep editing' }).tap();
  await expect(address).toHaveValue('parcels');
  await pressBack(page);
  await dialog.getByRole('button', { name: 'Discard' }).tap();
  await expect(dialog).toHaveCount(0);
  await expect(page).toHaveURL(list);

  // Dialogs that the URL doesn't name, on pages that are the first of their document.
  const openings: { path: string; open: () => Promise<void> }[] = [
    { path: `/domains/${(await makeDomain(api)).id}?tab=settings`, open: () => button('Delete domain').tap() },
    { path: '/alerts?tab=notifications', open: () => button('Mute alerts').tap() },
    { path: `/domains/${domain.id}?view=reports`, open: () => button(/^Upload/).tap() },
    {
      path: `/mailboxes?domain=${domain.id}`,
      open: async () => {
        await page.getByRole('checkbox', { name: /^Select ann/ }).tap();
        await button('Delete').tap();
      },
    },
    { path: `/mailboxes/${mailbox.id}`, open: () => button('Open menu').tap() },
  ];
  for (const { path, open } of openings) {
    await page.goto(`${url()}${path}`);
    await open();
    await expect(dialog).toBeVisible();
    await pressBack(page);
    await expect(dialog).toHaveCount(0);
    expect(page.url()).toBe(`${url()}${path}`);
  }
  await button(/^Search addresses/).tap();
  await expect(page.getByRole('option').first()).toBeVisible();
  await pressBack(page);
  await expect(dialog).toHaveCount(0);
  await context.close();
});

test('on a phone, Back returns to the row of a long list, where it was', async ({ browser, api, sql, makeAdmin }) => {
  const domain = await makeDomain(api);
  await sql(
    `INSERT INTO message (id, message_id, domain_id, direction, from_address, to_addresses, subject, size_bytes, status, updated_at)
     SELECT gen_random_uuid(), n || '@' || $1, $1::uuid, 'outbound', 'shop@post.example', '{}', 'Parcel ' || n, 100, 'sent', now()
       FROM generate_series(1, 50) AS n`,
    [domain.id],
  );
  const context = await browser.newContext({ hasTouch: true, isMobile: true, viewport: { width: 360, height: 740 } });
  const page = await context.newPage();
  await useSession(page, (await makeAdmin('domain_admin', [domain])).cookie);
  const scrolled = () => page.evaluate(() => window.scrollY);

  await page.goto(`${url()}/messages`);
  const row = page
    .getByRole('row', { name: /Parcel \d+/ })
    .nth(30)
    .getByRole('link')
    .first();
  // Rows get their height only once the page is in shape.
  await expect(async () => {
    await row.scrollIntoViewIfNeeded();
    expect(await scrolled()).toBeGreaterThan(740);
  }).toPass();
  const before = await scrolled();
  await row.tap();
  const panel = page.getByRole('complementary', { name: /^Message/ });
  await expect(panel).toBeVisible();
  await pressBack(page);
  await expect(panel).toHaveCount(0);
  await expect(row).toBeFocused();
  expect(await scrolled()).toBe(before);

  await page.goto(`${url()}/domains/${domain.id}?tab=dns`);
  const record = page.getByRole('button', { name: /^Details of DMARC/ });
  await record.tap();
  await page.getByRole('region', { name: 'Publish this' }).getByText('Publish this').tap();
  await expect(page.locator('body')).toBeFocused();
  await pressBack(page);
  await expect(record).toHaveAttribute('aria-expanded', 'false');
  await expect(record).toBeFocused();
  await context.close();
});

test('a row that is left for another one is no entry of the history', async ({ signedIn: page, api }) => {
  const domain = await makeDomain(api);
  await sendMessage(api, domain, { subject: 'First' });
  await sendMessage(api, domain, { subject: 'Second' });
  await page.goto(`${url()}/messages?domain=${domain.id}`);
  await page.getByLabel('Search messages').fill(domain.name);
  await expect(page).toHaveURL(/q=/);
  const filtered = page.url();
  await page.getByRole('row', { name: /First/ }).getByRole('link').first().click();
  const panel = page.getByRole('complementary', { name: /^Message/ });
  await expect(panel).toContainText('First');
  await page
    .getByRole('row', { name: /Second/ })
    .getByRole('link')
    .first()
    .click();
  await expect(panel).toContainText('Second');
  await page.goBack();
  await expect(panel).toHaveCount(0);
  await expect(page).toHaveURL(filtered);
  await page.goBack();
  await expect(page).toHaveURL(`${url()}/messages?domain=${domain.id}`);
});

test('Back undoes the order of a list, closes a dialog, and returns to the former domain', async ({
  signedIn: page,
  api,
}) => {
  const domain = await makeDomain(api);
  await page.goto(`${url()}/domains`);
  await page.getByRole('columnheader', { name: 'Name' }).getByRole('button').click();
  await expect(page).toHaveURL(/order=desc/);
  await page.getByRole('button', { name: 'Add domain' }).first().click();
  await expect(page.getByRole('dialog', { name: /domain/i })).toBeVisible();
  await page.goBack();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await page.goBack();
  await expect(page).toHaveURL(`${url()}/domains`);

  await page.goto(`${url()}/aliases`);
  await page.getByRole('button', { name: /^Domain: / }).click();
  await page.keyboard.type(domain.name);
  await page.getByRole('option', { name: domain.name }).click();
  await expect(page).toHaveURL(/domain=/);
  await page.goBack();
  await expect(page).toHaveURL(`${url()}/aliases`);
  await expect(page.getByRole('button', { name: /^Domain: All domains/ })).toBeVisible();
});

/** Presses the button of the browser. What a page intercepts is no navigation to wait for. */
async function pressBack(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const { currentIndex, entries } = await session.send('Page.getNavigationHistory');
  const entry = entries[currentIndex - 1];
  if (entry === undefined) throw new Error('There is nothing to go back to.');
  await session.send('Page.navigateToHistoryEntry', { entryId: entry.id });
  await session.detach();
}

/** Types each character before the page has shown the one before, as on a slow device. */
async function typeOnSlowDevice(field: Locator, text: string): Promise<void> {
  const session = await field.page().context().newCDPSession(field.page());
  await session.send('Emulation.setCPUThrottlingRate', { rate: 20 });
  await field.pressSequentially(text, { delay: 70 });
  await session.send('Emulation.setCPUThrottlingRate', { rate: 1 });
}
