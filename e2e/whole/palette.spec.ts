import { holdRequests } from '../support/faults';
import { expect, sendMessage, test, unique, url, useSession } from '../support/fixtures';

const SCRIPTS = '**/*.js';

test('the palette finds pages, domains, messages, webhooks and admins', async ({
  signedIn: page,
  api,
  domain,
  makeAdmin,
  check,
}) => {
  const subject = unique('Findable ');
  await sendMessage(api, domain, { subject });
  const name = unique('Archive ');
  const host = `${unique('hooks')}.example`;
  const fields = { events: ['*'], domain_id: domain.id };
  await api.call('POST', '/webhooks', { ...fields, name, url: 'https://one.example/mail' });
  await api.call('POST', '/webhooks', { ...fields, url: `https://${host}/mail` });
  const { email } = await makeAdmin('admin');
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
  // Safari's key that confirms Japanese characters.
  await finder.dispatchEvent('keydown', { key: 'Enter', code: 'Enter', keyCode: 229 });
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

  const open = async (words: string, option: string) => {
    await page.keyboard.press('Control+k');
    await finder.fill(words);
    await page.getByRole('option', { name: option }).click();
  };
  await open(name.toLowerCase(), `${name} Webhook, one.example`);
  await expect(page.getByText(name)).toBeVisible();
  await open(host, `${host}/mail Webhook`);
  await expect(page.getByRole('heading', { name: host })).toBeVisible();
  await open(email, `${email} Admin`);
  await expect(page.getByRole('heading', { name: email })).toBeVisible();
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
  const release = await holdRequests(page, /aliases\.list/);
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

test('arrow keys go around, and Enter right after typing waits for the results, and opens the best one', async ({
  signedIn: page,
  api,
  domain,
}) => {
  const local = unique('hasty');
  const fields = { domain_id: domain.id, source_local_part: local, destination: 'a@far.example' };
  await api.call('POST', '/aliases', fields);
  await page.goto(`${url()}/domains`);
  await page.waitForLoadState('networkidle');
  const release = await holdRequests(page, /aliases\.list/);
  await page.keyboard.press('Control+k');
  const finder = page.getByRole('combobox', { name: /^Search pages/ });
  await finder.fill('new api');
  const options = page.getByRole('option');
  await expect(options.first()).toHaveText(/New API key/);
  await expect(options.first()).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('ArrowUp');
  await expect(options.last()).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('ArrowDown');
  await expect(options.first()).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: 'New API key' })).toBeVisible();
  await page.keyboard.press('Escape');

  await page.keyboard.press('Control+k');
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
  checkState,
}) => {
  await page.goto(`${url()}/domains`);
  await page.waitForLoadState('networkidle');
  const release = await holdRequests(page, SCRIPTS);
  const trigger = page.getByRole('button', { name: /^Search addresses/ });
  await trigger.press('Enter');
  await expect(page.getByRole('textbox', { name: /^Search pages/ })).toBeFocused();
  await page.keyboard.type('new a');
  await checkState();
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
  for (const wait of [0, 160, 320]) {
    await page.goto(`${url()}/domains`);
    await page.waitForLoadState('networkidle');
    const release = await holdRequests(page, SCRIPTS);
    await page.keyboard.press('Control+k');
    setTimeout(release, wait);
    await page.keyboard.type(text, { delay: 30 });
    await expect(finder).toBeFocused();
    await expect(finder, `code after ${wait} ms`).toHaveValue(text);
    await page.unroute(SCRIPTS);
  }
});

test('no key is lost when the palette opens on a fresh page, or again', async ({ signedIn: page }) => {
  const text = 'new alias for mila';
  const finder = page.getByRole('combobox', { name: /^Search pages/ });
  for (const attempt of [0, 1]) {
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
  const release = await holdRequests(page, SCRIPTS);
  await page.keyboard.press('Control+k');
  await page.keyboard.type('new lias');
  for (const _ of 'lias') await page.keyboard.press('ArrowLeft');
  release();
  const finder = page.getByRole('combobox', { name: /^Search pages/ });
  await expect(finder).toBeFocused();
  await page.keyboard.type('a');
  await expect(finder).toHaveValue('new alias');

  await page.unroute(SCRIPTS);
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

  const openMessages = async () => {
    const sections = page.getByRole('navigation', { name: 'Sections' });
    await sections.getByRole('link', { name: 'Messages', exact: true }).click();
    await expect(page).toHaveURL(`${url()}/messages`);
  };
  await openMessages();
  for (const words of [`${word} dkim`, `dkim ${word}`]) {
    await find(words);
    await isBest(new RegExp(`^${name} DKIM`));
    await keyboard.press('Enter');
    await expect(dkimTab).toBeVisible();
    await openMessages();
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
  const expected = [
    new RegExp(`^${name}Domain`),
    new RegExp(`^${word}-team@${domain.name}Mailbox`),
    new RegExp(`^${word}-desk@${domain.name}Alias`),
    ...['a', 'b', 'c', 'd'].map((local) => new RegExp(`^${local}@${name}Alias`)),
  ];
  const records = page.getByRole('option').filter({ hasText: /(Domain|Mailbox|Alias)(Enter)?$/ });
  await expect(records).toHaveText(expected);
  for (const group of ['Domains', 'Mailboxes', 'Aliases'])
    await expect(page.getByRole('group', { name: group })).toBeVisible();
});
