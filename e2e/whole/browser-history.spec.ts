import type { Locator } from '@playwright/test';
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

/** Types each character before the page has shown the one before, as on a slow device. */
async function typeOnSlowDevice(field: Locator, text: string): Promise<void> {
  const session = await field.page().context().newCDPSession(field.page());
  await session.send('Emulation.setCPUThrottlingRate', { rate: 20 });
  await field.pressSequentially(text, { delay: 70 });
  await session.send('Emulation.setCPUThrottlingRate', { rate: 1 });
}
