import { TIME_ZONE_COOKIE } from '../support/faults';
import { expect, makeDomain, sendMessage, test, unique, url } from '../support/fixtures';

test('the domain selected in the header is kept in the URL across pages', async ({ signedIn: page, api, check }) => {
  const domain = await makeDomain(api);
  const subject = unique('Of one domain ');
  await sendMessage(api, domain, { subject });
  await page.goto(`${url()}/messages`);
  await page.getByRole('button', { name: 'Domain: All domains. Change' }).click();
  await page.getByRole('textbox', { name: 'Find a domain' }).fill(domain.name);
  await page.getByRole('option', { name: domain.name }).click();
  await expect(page).toHaveURL(`${url()}/messages?domain=${domain.id}`);
  await expect(page.getByRole('row')).toHaveCount(2);
  await check();

  await page.getByRole('link', { name: 'Overview', exact: true }).click();
  await expect(page).toHaveURL(`${url()}/?domain=${domain.id}`);
  await expect(page.getByRole('definition').first()).toHaveText(/^1/);
  await page.reload();
  await page.getByRole('button', { name: `Domain: ${domain.name}. Change` }).click();
  await page.getByRole('option', { name: 'All domains' }).click();
  await expect(page).toHaveURL(`${url()}/`);
});

test('all pages are in view in the navigation of a window of 800 px, and a selected theme is kept', async ({
  signedIn: page,
  check,
}) => {
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto(`${url()}/`);
  const links = page.getByRole('navigation', { name: 'Sections' }).getByRole('link');
  await expect(links.last()).toBeInViewport({ ratio: 1 });
  await expect(links.first()).toBeInViewport({ ratio: 1 });

  const paper = () => page.getByRole('banner').evaluate((bar) => getComputedStyle(bar).backgroundColor);
  expect(await paper()).toBe('rgb(251, 250, 247)');
  await page.getByRole('button', { name: 'Toggle theme' }).click();
  expect(await paper()).toBe('rgb(14, 20, 18)');
  await page.reload();
  expect(await paper()).toBe('rgb(14, 20, 18)');
  await check();
  await page.goto(`${url()}/account`);
  await expect(page.getByRole('radio', { name: 'Dark' })).toBeChecked();
  await page.getByRole('radio', { name: 'System' }).click();
  await expect.poll(paper).toBe('rgb(251, 250, 247)');
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect.poll(paper).toBe('rgb(14, 20, 18)');
});

test('no browser is offered to translate the console, whose texts React could then no longer change', async ({
  signedIn: page,
}) => {
  await page.goto(`${url()}/`);
  await expect(page.locator('html')).toHaveAttribute('translate', 'no');
  await expect(page.locator('meta[name="google"]')).toHaveAttribute('content', 'notranslate');
});

test('works by keyboard alone: skip link, another page, into a row and back', async ({
  signedIn: page,
  api,
  check,
}) => {
  const domain = await makeDomain(api);
  const subject = unique('By keys ');
  await sendMessage(api, domain, { subject });
  await page.goto(`${url()}/messages?domain=${domain.id}`);
  await expect(page.getByRole('row', { name: subject })).toBeVisible();

  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused();
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeInViewport();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await expect(page.getByRole('main').getByRole('link', { name: 'Send message' })).toBeFocused();

  const link = page.getByRole('link', { name: subject });
  await tabTo(link);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('complementary', { name: `Message: ${subject}` })).toBeFocused();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Escape');
  await expect(link).toBeFocused();

  await page.reload();
  await tabTo(page.getByRole('link', { name: 'Domains', exact: true }));
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Domains' })).toBeVisible();
  await check();

  async function tabTo(target: typeof link): Promise<void> {
    for (let presses = 0; presses < 40; presses += 1) {
      await page.keyboard.press('Tab');
      if (await target.evaluate((element) => element === document.activeElement)) return;
    }
    await expect(target).toBeFocused();
  }
});

test('single keys search, move in a list and open pages, unless they are disabled', async ({
  signedIn: page,
  api,
  checkState,
}) => {
  const domain = await makeDomain(api);
  const [first, second] = [unique('First '), unique('Second ')];
  await sendMessage(api, domain, { subject: first });
  await sendMessage(api, domain, { subject: second });
  await page.goto(`${url()}/messages?domain=${domain.id}`);
  const [older, newer] = [page.getByRole('link', { name: first }), page.getByRole('link', { name: second })];
  await expect(newer).toBeVisible();
  await page.keyboard.press('j');
  await expect(newer).toBeFocused();
  await page.keyboard.press('j');
  await expect(older).toBeFocused();
  await page.keyboard.press('k');
  await expect(newer).toBeFocused();
  await page.keyboard.press('/');
  const search = page.getByRole('main').getByRole('textbox').first();
  await expect(search).toBeFocused();
  await page.keyboard.type('gd?');
  await expect(search).toHaveValue('gd?');
  // A change of the query that is still to be written would take back the navigation.
  await expect(page).toHaveURL(/[?&]q=gd/);

  await page.getByRole('heading', { level: 1 }).click();
  await page.keyboard.press('g');
  await page.keyboard.press('b');
  await expect(page).toHaveURL(`${url()}/mailboxes?domain=${domain.id}`);
  await page.keyboard.press('?');
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await expect(help).toContainText('Next row');
  await checkState();
  await help.getByRole('switch', { name: 'Single-key shortcuts' }).click();
  await page.keyboard.press('Escape');
  await expect(help).toHaveCount(0);
  await page.keyboard.press('?');
  await page.getByRole('button', { name: /^Account: / }).click();
  await expect(help).toHaveCount(0);
  await page.getByRole('menuitem', { name: 'Keyboard shortcuts' }).click();
  await expect(help.getByRole('switch', { name: 'Single-key shortcuts' })).not.toBeChecked();
});

test('at 360 px the menu is a drawer with domain, pages and sign out', async ({
  signedIn: page,
  domain,
  check,
  checkState,
}) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto(`${url()}/`);
  await expect(page.getByText('Sandbox: nothing leaves this machine')).toBeInViewport();
  await expect(page.getByRole('navigation', { name: 'Sections' })).toHaveCount(0);
  await page.getByRole('button', { name: 'Open menu' }).click();
  const menu = page.getByRole('dialog', { name: 'Postroom' });
  await expect(menu.getByRole('link', { name: 'Overview' })).toHaveAttribute('aria-current', 'page');
  await expect(menu.getByRole('button', { name: 'Sign out' })).toBeVisible();
  await expect(menu.getByRole('link', { name: 'Documentation of Postroom' })).toHaveAttribute('href', '/docs');
  await checkState();
  await menu.getByRole('button', { name: /^Domain: / }).click();
  await page.getByRole('textbox', { name: 'Find a domain' }).fill(domain.name);
  await page.getByRole('option', { name: domain.name }).click();
  await expect(page).toHaveURL(`${url()}/?domain=${domain.id}`);
  await menu.getByRole('link', { name: 'Messages' }).click();
  await expect(menu).toHaveCount(0);
  await expect(page).toHaveURL(`${url()}/messages?domain=${domain.id}`);
  await check();
});

test('an unknown page says so inside the console, with search and the overview', async ({
  signedIn: page,
  checkState,
}) => {
  const response = await page.goto(`${url()}/nothing-here`);
  expect(response?.status()).toBe(404);
  await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible();
  await expect(page.getByRole('navigation', { name: 'Sections' })).toBeVisible();
  await checkState();
  // Like other pages, it is rendered by the server once the browser's time zone is known.
  await expect.poll(async () => (await page.context().cookies()).map(({ name }) => name)).toContain(TIME_ZONE_COOKIE);
  const again = await page.request.get(page.url());
  expect(again.status()).toBe(404);
  expect(await again.text()).toContain('There is no page at this address</h2>');
  await page.getByRole('main').getByRole('button', { name: 'Search' }).click();
  await expect(page.getByRole('combobox', { name: /^Search pages/ })).toBeFocused();
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Go to overview' }).click();
  await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible();
});

test('a script that can’t be loaded leaves the page as it is, and is loaded after a reload', async ({
  signedIn: page,
  api,
}) => {
  const domain = await makeDomain(api);
  await page.goto(`${url()}/domains/${domain.id}?tab=settings`);
  const description = page.getByLabel('Description');
  await description.fill('Typed before');
  await page.route('**/*.js', (route) => route.abort());
  await page.keyboard.press('Control+k');
  const failed = page.getByRole('alert').filter({ hasText: 'Couldn’t load this part of the page' });
  await expect(failed).toBeVisible();
  await failed.getByRole('button', { name: 'Close' }).click();
  await expect(failed).toBeHidden();
  const openShortcuts = async () => {
    await page.getByRole('button', { name: /^Account: / }).click();
    await page.getByRole('menuitem', { name: 'Keyboard shortcuts' }).click();
  };
  await openShortcuts();
  await expect(failed).toBeVisible();
  await expect(description).toHaveValue('Typed before');

  await page.unroute('**/*.js');
  page.once('dialog', (dialog) => dialog.accept());
  await failed.getByRole('button', { name: 'Reload' }).click();
  await expect(description).toHaveValue('');
  await openShortcuts();
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible();
});

test('a page that fails says so, beside the navigation and before the sign-in', async ({ signedIn: page }) => {
  const failed = page.getByRole('alert').filter({ hasText: 'This page couldn’t be displayed' });
  const texts = ['"For admins of this server"', '"The domains you send and receive mail for"'];
  await page.route('**/*.js', async (route) => {
    const response = await route.fetch();
    const code = await response.text();
    const broken = texts.reduce((all, text) => all.replaceAll(text, '(()=>{throw Error("broken")})()'), code);
    await route.fulfill({ response, body: broken });
  });
  await page.goto(`${url()}/domains`);
  await expect(failed.getByRole('button', { name: 'Reload' })).toBeEnabled();
  await expect(page.getByRole('navigation', { name: 'Sections' })).toBeVisible();
  await page.context().clearCookies();
  await page.goto(`${url()}/login`);
  await expect(failed.getByRole('button', { name: 'Reload' })).toBeEnabled();
});
