import { expect, makeDomain, sendMessage, test, unique, url } from '../support/fixtures';

test('the palette finds pages, domains and messages', async ({ signedIn: page, api, domain, check }) => {
  const subject = unique('Findable ');
  await sendMessage(api, domain, { subject });
  await page.goto(`${url()}/`);
  const finder = page.getByRole('combobox', { name: /^Search pages/ });

  await page.keyboard.press('Control+k');
  await expect(finder).toBeFocused();
  await expect(page.getByRole('option', { name: 'API reference' })).toBeVisible();
  await finder.fill('token');
  await expect(page.getByRole('option', { name: 'API keys' })).toHaveAttribute('aria-selected', 'true');
  await check();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'API keys' })).toBeVisible();

  await page.keyboard.press('Control+k');
  await finder.fill(domain.name);
  await page.getByRole('option', { name: new RegExp(`^${domain.name}`) }).click();
  await expect(page.getByRole('heading', { name: domain.name })).toBeVisible();

  await page.getByRole('button', { name: /^Search addresses/ }).click();
  await finder.fill(subject);
  await page.getByRole('option', { name: `Search messages for “${subject}”` }).click();
  await expect(page.getByRole('row', { name: subject })).toBeVisible();

  await page.keyboard.press('Control+k');
  await page.keyboard.press('Escape');
  await expect(finder).toHaveCount(0);
  await check();
});

test('the palette works with the arrow keys alone', async ({ signedIn: page }) => {
  await page.goto(`${url()}/domains`);
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: /^Search pages/ }).fill('new api');
  const options = page.getByRole('option');
  await expect(options.first()).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('ArrowUp');
  await expect(options.last()).toHaveAttribute('aria-selected', 'true');
  await expect(options.last()).toHaveText(/New API key/);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: 'New API key' })).toBeVisible();
});

test('keeps what is typed while the palette loads, and opens a result in a new tab', async ({
  signedIn: page,
  check,
}) => {
  await page.goto(`${url()}/domains`);
  await page.waitForLoadState('networkidle');
  let release = () => {};
  const loaded = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/*.js', async (route) => {
    await loaded;
    await route.continue();
  });
  const trigger = page.getByRole('button', { name: /^Search addresses/ });
  await trigger.press('Enter');
  await expect(page.getByRole('textbox', { name: /^Search pages/ })).toBeFocused();
  await page.keyboard.type('new a');
  await check();
  release();
  const finder = page.getByRole('combobox', { name: /^Search pages/ });
  await expect(finder).toBeFocused();
  await expect(finder).toHaveValue('new a');
  const option = (name: string) => page.getByRole('option', { name });
  await expect(option('New alias')).toBeVisible();
  await page.keyboard.press('ArrowUp');
  await expect(option('New API key')).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('ArrowUp');
  await expect(option('New mailbox')).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('ArrowDown');
  await expect(option('New API key')).toHaveAttribute('aria-selected', 'true');
  const opened = page.context().waitForEvent('page');
  await page.keyboard.press('Control+Enter');
  await expect(await opened).toHaveURL(`${url()}/api-keys?new=true`);
  await expect(finder).toHaveCount(0);
  await expect(page).toHaveURL(`${url()}/domains`);
});

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

test('keeps the selected theme', async ({ signedIn: page, check }) => {
  await page.emulateMedia({ colorScheme: 'light' });
  await page.goto(`${url()}/`);
  const paper = () => page.getByRole('banner').evaluate((bar) => getComputedStyle(bar).backgroundColor);
  expect(await paper()).toBe('rgb(251, 250, 247)');
  await page.getByRole('button', { name: 'Toggle theme' }).click();
  expect(await paper()).toBe('rgb(14, 20, 18)');
  await page.reload();
  expect(await paper()).toBe('rgb(14, 20, 18)');
  await check();
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

test('at 360 px the menu is a drawer with domain, pages and sign out', async ({ signedIn: page, domain, check }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto(`${url()}/`);
  await expect(page.getByRole('navigation', { name: 'Sections' })).toHaveCount(0);
  await page.getByRole('button', { name: 'Open menu' }).click();
  const menu = page.getByRole('dialog', { name: 'Postroom' });
  await expect(menu.getByRole('link', { name: 'Overview' })).toHaveAttribute('aria-current', 'page');
  await expect(menu.getByRole('button', { name: 'Sign out' })).toBeVisible();
  await check();
  await menu.getByRole('button', { name: /^Domain: / }).click();
  await page.getByRole('textbox', { name: 'Find a domain' }).fill(domain.name);
  await page.getByRole('option', { name: domain.name }).click();
  await menu.getByRole('link', { name: 'Messages' }).click();
  await expect(menu).toHaveCount(0);
  await expect(page).toHaveURL(`${url()}/messages?domain=${domain.id}`);
  await check();
});

test('an unknown page says so and links to the overview', async ({ signedIn: page, check }) => {
  const response = await page.goto(`${url()}/nothing-here`);
  expect(response?.status()).toBe(404);
  await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible();
  await check();
  await page.getByRole('link', { name: 'Go to overview' }).click();
  await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible();
});

test('the reference lists every operation and can call one', async ({ signedIn: page, request, check }) => {
  const document = await (await request.get(`${url()}/api/v1/openapi.json`)).json();
  const operations = Object.values<object>(document.paths).flatMap((path) => Object.keys(path));
  await page.goto(`${url()}/reference`);
  const summaries = page.getByRole('main').getByRole('button', { name: /^(get|post|put|patch|delete) \// });
  await expect(summaries).toHaveCount(operations.length);
  await check();

  await page.getByRole('button', { name: 'GET /version Get the version' }).click();
  await page.getByRole('button', { name: 'Try it out' }).click();
  const answered = page.waitForResponse('**/api/v1/version');
  await page.getByRole('button', { name: 'Execute' }).click();
  expect((await answered).status()).toBe(200);
  await expect(page.getByText('"api_version": "v1"').first()).toBeVisible();
  await check();
});
