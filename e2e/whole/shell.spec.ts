import { execFileSync } from 'node:child_process';
import { expect, FIRST_ADMIN, makeDomain, sendMessage, test, unique, url, useSession } from '../support/fixtures';

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
  const best = page.getByRole('group', { name: 'Best match' });
  await expect(best.getByRole('option').first()).toHaveAttribute('aria-selected', 'true');
  await best.getByRole('option', { name: `${domain.name} DKIM` }).click();
  await expect(page.getByRole('tab', { name: 'DKIM', selected: true })).toBeVisible();

  await page.getByRole('button', { name: /^Search addresses/ }).click();
  await finder.fill(subject);
  await page.getByRole('option', { name: `Search messages for “${subject}”` }).click();
  await expect(page.getByRole('row', { name: subject })).toBeVisible();

  await page.keyboard.press('Control+k');
  await finder.fill(subject);
  await page.getByRole('option', { name: `${subject} orders@${domain.name} to ann@far.example` }).click();
  await expect(page.getByRole('heading', { name: subject })).toBeVisible();

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
  await expect(options.first()).toHaveText(/New API key/);
  await expect(options.first()).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('ArrowUp');
  await expect(options.last()).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('ArrowDown');
  await expect(options.first()).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: 'New API key' })).toBeVisible();
});

test('the palette runs commands, and keeps the chosen row when results arrive above it', async ({
  page,
  makeAdmin,
  api,
  domain,
}) => {
  await useSession(page, (await makeAdmin('super_admin')).cookie);
  const local = unique('pages');
  await api.call('POST', '/aliases', { domain_id: domain.id, source_local_part: local, destination: 'a@far.example' });
  await page.goto(`${url()}/domains`);
  await page.waitForLoadState('networkidle');
  let release = () => {};
  const answered = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(/aliases\.list/, async (route) => {
    await answered;
    await route.continue();
  });
  await page.keyboard.press('Control+k');
  const finder = page.getByRole('combobox', { name: /^Search pages/ });
  await finder.fill(local);
  const search = page.getByRole('option', { name: `Search messages for “${local}”` });
  await page.keyboard.press('ArrowDown');
  await expect(search).toHaveAttribute('aria-selected', 'true');
  release();
  await expect(page.getByRole('option', { name: `${local}@${domain.name}` })).toBeVisible();
  await expect(search).toHaveAttribute('aria-selected', 'true');

  await page.emulateMedia({ colorScheme: 'light' });
  await finder.fill('dark');
  await page.keyboard.press('Enter');
  await expect
    .poll(() => page.getByRole('banner').evaluate((bar) => getComputedStyle(bar).backgroundColor))
    .toBe('rgb(14, 20, 18)');
  await page.keyboard.press('Control+k');
  await finder.fill('sign out');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/login/);
});

test('Enter right after typing waits for the results, and opens the best one', async ({
  signedIn: page,
  api,
  domain,
}) => {
  const local = unique('hasty');
  const fields = { domain_id: domain.id, source_local_part: local, destination: 'a@far.example' };
  await api.call('POST', '/aliases', fields);
  await page.goto(`${url()}/domains`);
  await page.waitForLoadState('networkidle');
  let release = () => {};
  const answered = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(/aliases\.list/, async (route) => {
    await answered;
    await route.continue();
  });
  await page.keyboard.press('Control+k');
  const finder = page.getByRole('combobox', { name: /^Search pages/ });
  await expect(finder).toBeFocused();
  await page.keyboard.type(`${local}@${domain.name}`);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('option', { name: /^Search messages for/ })).toBeVisible();
  release();
  await expect(page.getByRole('dialog', { name: `Edit ${local}@${domain.name}` })).toBeVisible();
  await expect(finder).toHaveCount(0);
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
  await expect(option('New alias')).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('ArrowDown');
  await expect(option('New API key')).toHaveAttribute('aria-selected', 'true');
  const opened = page.context().waitForEvent('page');
  await page.keyboard.press('Control+Enter');
  await expect(await opened).toHaveURL(`${url()}/api-keys?new=true`);
  await expect(finder).toHaveCount(0);
  await expect(page).toHaveURL(`${url()}/domains`);
});

test('no key is lost while the palette loads, wherever in the text its code arrives', async ({ signedIn: page }) => {
  const text = 'new alias for mila';
  const finder = page.getByRole('combobox', { name: /^Search pages/ });
  for (const wait of [0, 80, 160, 240, 320, 400]) {
    await page.goto(`${url()}/domains`);
    await page.waitForLoadState('networkidle');
    const pattern = '**/*.js';
    let release = () => {};
    const loaded = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(pattern, async (route) => {
      await loaded;
      await route.continue();
    });
    await page.keyboard.press('Control+k');
    setTimeout(release, wait);
    await page.keyboard.type(text, { delay: 30 });
    await expect(finder).toBeFocused();
    await expect(finder, `code after ${wait} ms`).toHaveValue(text);
    await page.unroute(pattern);
  }
});

test('no key is lost when the palette opens on a fresh page, or again', async ({ signedIn: page }) => {
  const text = 'new alias for mila';
  const finder = page.getByRole('combobox', { name: /^Search pages/ });
  for (const attempt of [0, 1, 2, 3]) {
    await page.emulateMedia({ reducedMotion: attempt % 2 === 0 ? 'no-preference' : 'reduce' });
    await page.goto(`${url()}/domains`);
    await page.waitForLoadState('networkidle');
    for (const opening of ['first', 'second']) {
      await page.keyboard.press('Control+k');
      await page.keyboard.type(text, { delay: opening === 'first' ? 30 : 0 });
      await expect(finder).toBeFocused();
      await expect(finder, `${opening} opening of page ${attempt}`).toHaveValue(text);
      await page.keyboard.press('Escape');
      await expect(finder).toHaveCount(0);
    }
  }
});

test('hands over the caret and Enter to the palette that has loaded', async ({ signedIn: page }) => {
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
  await page.keyboard.press('Control+k');
  await page.keyboard.type('new lias');
  for (const _ of 'lias') await page.keyboard.press('ArrowLeft');
  release();
  const finder = page.getByRole('combobox', { name: /^Search pages/ });
  await expect(finder).toBeFocused();
  await page.keyboard.type('a');
  await expect(finder).toHaveValue('new alias');

  await page.unroute('**/*.js');
  await page.reload();
  await page.waitForLoadState('networkidle');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('new alias\n');
  await expect(page.getByRole('dialog', { name: 'New alias' })).toBeVisible();
});

test('the palette has the pages and the key rotation of the current domain, and of one that is typed', async ({
  signedIn: page,
  page: { keyboard },
  api,
  makeAdmin,
}) => {
  const word = unique('alder');
  const name = `${word}-coffee.example`;
  const domain = await api.call<{ id: string; name: string }>('POST', '/domains', { name });
  const finder = page.getByRole('combobox', { name: /^Search pages/ });
  const options = page.getByRole('option');
  const find = async (words: string) => {
    await keyboard.press('Control+k');
    await finder.fill(words);
  };
  const isBest = (option: RegExp | string) => expect(options.first()).toHaveAccessibleName(option);
  const dkimTab = page.getByRole('tab', { name: 'DKIM', selected: true });
  const rotation = page.getByRole('dialog', { name: `Rotate the DKIM key of ${name}` });

  await page.goto(`${url()}/domains/${domain.id}`);
  await find('rotate dkim');
  await isBest(new RegExp(`^Rotate DKIM key of ${name}`));
  await keyboard.press('Enter');
  await expect(rotation).toBeVisible();
  await keyboard.press('Escape');
  await expect(rotation).toBeHidden();
  await expect(page).toHaveURL(`${url()}/domains/${domain.id}?tab=dkim`);
  await find('settings');
  await isBest(new RegExp(`^${name} Settings`));
  await keyboard.press('Escape');

  await page.goto(`${url()}/messages?domain=${domain.id}`);
  await find('reports');
  await isBest(new RegExp(`^${name} Reports`));
  await keyboard.press('Enter');
  await expect(page.getByRole('radio', { name: 'Reports' })).toBeChecked();

  await page.goto(`${url()}/messages`);
  for (const words of [`${word} dkim`, `dkim ${word}`]) {
    await find(words);
    await isBest(new RegExp(`^${name} DKIM`));
    await keyboard.press('Enter');
    await expect(dkimTab).toBeVisible();
    await page.goto(`${url()}/messages`);
  }
  await find(`rotate dkim ${word}`);
  await isBest(new RegExp(`^Rotate DKIM key of ${name}`));
  await finder.fill('spf');
  await isBest(/^Domains/);
  for (const words of ['dkim', 'rotate', 'rotate dkim']) {
    await finder.fill(words);
    await isBest(/^Rotate DKIM key Choose a domain/);
  }
  await keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Domains' })).toBeVisible();
  await find('time zone');
  await isBest(/^Change time zone/);
  await keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Account' })).toBeVisible();

  await useSession(page, (await makeAdmin('domain_admin', [domain])).cookie);
  await page.goto(`${url()}/domains/${domain.id}?tab=dkim&rotate=true`);
  await expect(page.getByText('Only admins can rotate keys.')).toBeVisible();
  await expect(rotation).toHaveCount(0);
  await find('dkim');
  await isBest(new RegExp(`^${name} DKIM`));
  await expect(page.getByRole('option', { name: /^Rotate/ })).toHaveCount(0);
});

test('the palette lists records that begin with the text first, and a domain before its addresses', async ({
  signedIn: page,
  api,
  domain,
}) => {
  const word = unique('zest');
  const name = `${word}-coffee.example`;
  const { id } = await api.call<{ id: string }>('POST', '/domains', { name });
  const alias = (domain_id: string, source_local_part: string, destination: string) =>
    api.call('POST', '/aliases', { domain_id, source_local_part, destination });
  for (const local of ['a', 'b', 'c', 'd', 'e', 'f']) await alias(id, local, `${word}@far.example`);
  await alias(domain.id, `${word}-desk`, 'ann@far.example');
  const mailbox = { domain_id: domain.id, local_part: `${word}-team`, password: 'paper boats on the canal' };
  await api.call('POST', '/mailboxes', mailbox);
  await page.goto(`${url()}/`);
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: /^Search pages/ }).fill(word);
  const records = page.getByRole('group', { name: 'Domains and addresses' }).getByRole('option');
  await expect(records).toHaveText([
    new RegExp(`^${name}Domain`),
    new RegExp(`^${word}-team@${domain.name}Mailbox`),
    new RegExp(`^${word}-desk@${domain.name}Alias`),
    ...['a', 'b', 'c', 'd'].map((local) => new RegExp(`^${local}@${name}Alias`)),
  ]);
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
  await page.goto(`${url()}/account`);
  await expect(page.getByRole('radio', { name: 'Dark' })).toBeChecked();
  await page.getByRole('radio', { name: 'System' }).click();
  await expect.poll(paper).toBe('rgb(251, 250, 247)');
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect.poll(paper).toBe('rgb(14, 20, 18)');
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
  check,
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

  await page.getByRole('heading', { level: 1 }).click();
  await page.keyboard.press('g');
  await page.keyboard.press('b');
  await expect(page).toHaveURL(`${url()}/mailboxes?domain=${domain.id}`);
  await page.keyboard.press('?');
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await expect(help).toContainText('Next row');
  await check();
  await help.getByRole('switch', { name: 'Single-key shortcuts' }).click();
  await page.keyboard.press('Escape');
  await expect(help).toHaveCount(0);
  await page.keyboard.press('?');
  await page.getByRole('button', { name: /^Account: / }).click();
  await expect(help).toHaveCount(0);
  await page.getByRole('menuitem', { name: 'Keyboard shortcuts' }).click();
  await expect(help.getByRole('switch', { name: 'Single-key shortcuts' })).not.toBeChecked();
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

test('an unknown page says so inside the console, with search and the overview', async ({ signedIn: page, check }) => {
  const response = await page.goto(`${url()}/nothing-here`);
  expect(response?.status()).toBe(404);
  await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible();
  await expect(page.getByRole('navigation', { name: 'Sections' })).toBeVisible();
  await check();
  await page.getByRole('main').getByRole('button', { name: 'Search' }).click();
  await expect(page.getByRole('combobox', { name: /^Search pages/ })).toBeFocused();
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Go to overview' }).click();
  await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible();
});

test('the reference lists every operation and can call one', async ({ signedIn: page, request, check }) => {
  const document = await (await request.get(`${url()}/api/v1/openapi.json`)).json();
  const operations = Object.values<object>(document.paths).flatMap((path) => Object.keys(path));
  await page.goto(`${url()}/reference`);
  const summaries = page.getByRole('main').getByRole('button', { name: /^(get|post|put|patch|delete) \// });
  // Of more than 128 operations, only those in view are in the document.
  await page.setViewportSize({ width: 1280, height: 24_000 });
  await expect(summaries).toHaveCount(operations.length);
  await check();

  await expect(summaries.first()).toHaveAccessibleName(/\/send/);
  await page.getByRole('button', { name: 'GET /version Get the version' }).click();
  await page.getByRole('button', { name: 'Try it out' }).click();
  const answered = page.waitForResponse('**/api/v1/version');
  await page.getByRole('button', { name: 'Execute' }).click();
  expect((await answered).status()).toBe(200);
  await expect(page.getByText('"api_version": "v1"').first()).toBeVisible();
  await check();
});

test('the reference begins with a command that sends a message from this server', async ({
  signedIn: page,
  context,
  api,
  domain,
  check,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto(`${url()}/reference`);
  const intro = page.getByRole('region', { name: 'Send a message' });
  await expect(intro.getByRole('figure')).toContainText(`curl ${url()}/api/v1/send`);
  await expect(intro.getByRole('figure')).toContainText(FIRST_ADMIN.email);
  await expect(intro.getByRole('figure')).not.toContainText('@example.com');
  await check();
  await intro.getByRole('button', { name: 'Copy the command' }).click();
  const command = await page.evaluate(() => navigator.clipboard.readText());
  const sender = `hello@${domain.name}`;
  const env = { ...process.env, POSTROOM_KEY: api.key };
  const output = execFileSync('bash', ['-c', command.replace(/hello@[^"]+/, sender)], { env, stdio: 'pipe' });
  expect(JSON.parse(output.toString()).data.message_id).toContain(`@${domain.name}>`);
  await intro.getByRole('link', { name: 'Create an API key' }).click();
  await expect(page.getByRole('dialog', { name: 'New API key' })).toBeVisible();
});
