import { holdRequests } from '../support/faults';
import { expect, makeDomain, sendMessage, test, unique, url } from '../support/fixtures';

test('the focus goes to the heading of a new page, which alone announces it, and stays where it is on the same page', async ({
  signedIn: page,
  domain,
  check,
}) => {
  const heading = (name: string) => page.getByRole('heading', { level: 1, name });
  await page.goto(`${url()}/domains?q=${domain.name}`);
  const link = page.getByRole('link', { name: domain.name });
  await expect(link).toBeVisible();
  await expect(page.locator('body')).toBeFocused();

  await page.getByRole('link', { name: 'Mailboxes', exact: true }).click();
  await expect(heading('Mailboxes')).toBeFocused();
  await expect(heading('Mailboxes')).toHaveCSS('outline-style', 'none');
  const announcer = page.locator('next-route-announcer');
  await expect(announcer).toHaveCount(1);
  await expect(announcer.getByRole('alert')).toHaveCount(0);
  await page.getByRole('main').getByRole('radio').first().press('ArrowRight');
  await expect(page).toHaveURL(/mailboxes\?./);
  await expect(page.getByRole('radio', { checked: true })).toBeFocused();

  await page.getByRole('link', { name: 'Domains', exact: true }).press('Enter');
  await expect(heading('Domains')).toBeFocused();
  await expect(heading('Domains')).toHaveCSS('outline-style', 'solid');
  await check();

  await page.goto(`${url()}/domains?q=${domain.name}`);
  const release = await holdRequests(page, /domains\.get/);
  await link.press('Enter');
  await expect(page).toHaveURL(`${url()}/domains/${domain.id}`);
  await expect(page.getByRole('main').getByRole('link', { name: 'Domains' })).toBeVisible();
  await expect(page.locator('body')).toBeFocused();
  release();
  await expect(heading(domain.name)).toBeFocused();
  await page.getByRole('tab', { name: 'DKIM' }).click();
  await expect(page).toHaveURL(/tab=dkim/);
  await expect(page.getByRole('tab', { name: 'DKIM' })).toBeFocused();
  await page.goBack();
  await page.goBack();
  await expect(heading('Domains')).toBeFocused();

  await page.getByRole('row').filter({ has: link }).getByRole('cell').last().click();
  await expect(heading(domain.name)).toBeFocused();
  await expect(heading(domain.name)).toHaveCSS('outline-style', 'none');
});

test('the focus stays on what a new page focuses itself', async ({ signedIn: page, api }) => {
  const domain = await makeDomain(api);
  const subject = unique('Focused ');
  await sendMessage(api, domain, { subject });
  await page.goto(`${url()}/?domain=${domain.id}`);
  await page.getByRole('main').getByRole('link', { name: subject }).press('Enter');
  const peek = page.getByRole('complementary', { name: `Message: ${subject}` });
  await expect(peek).toBeFocused();
  await page.getByRole('link', { name: 'Overview', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Overview' })).toBeFocused();

  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: /^Search pages/ }).fill('new alias');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'New alias' });
  await expect(dialog.getByRole('textbox', { name: 'Address' })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  await expect(page.getByRole('heading', { level: 1, name: 'Aliases' })).toBeFocused();
});

test('the palette and its dialogs give the focus back, except to a page that was left', async ({ signedIn: page }) => {
  await page.goto(`${url()}/domains`);
  const opener = page.getByRole('button', { name: /^Search addresses/ });
  const finder = page.getByRole('combobox', { name: /^Search pages/ });
  // The first time, its code is still being loaded.
  for (const _ of ['first', 'second']) {
    await opener.press('Enter');
    await expect(finder).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(finder).toHaveCount(0);
    await expect(opener).toBeFocused();
  }

  await page.keyboard.press('Control+k');
  await finder.fill('keyboard shortcuts');
  await page.keyboard.press('Enter');
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await expect(help).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(help).toHaveCount(0);
  await expect(opener).toBeFocused();

  await page.keyboard.press('Control+k');
  await finder.fill('mailboxes');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Mailboxes' })).toBeFocused();
  await expect(finder).toHaveCount(0);
  await expect(page.getByRole('heading', { name: 'Mailboxes' })).toBeFocused();
});

test('on a narrow screen, the menu leaves the focus to the page it opens', async ({ signedIn: page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto(`${url()}/`);
  await page.getByRole('button', { name: 'Open menu' }).press('Enter');
  const menu = page.getByRole('dialog', { name: 'Postroom' });
  await menu.getByRole('link', { name: 'Messages' }).press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'Messages' })).toBeFocused();
  await expect(menu).toHaveCount(0);
  await expect(page.getByRole('heading', { level: 1, name: 'Messages' })).toBeFocused();
});
