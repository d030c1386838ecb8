import type { Locator, Page } from '@playwright/test';
import type { SieveError } from '../../src/mail/agent/requests';
import { failProcedure, withoutMailServer } from '../support/faults';
import {
  type Api,
  alertWith,
  test as base,
  type Domain,
  expect,
  makeDomain,
  unique,
  url,
  useSession,
} from '../support/fixtures';
import { startMailAgent } from '../support/mail-agent';

type Filter = { id: string; name: string; position: number };

const BAD_COMMAND = 'frobnicate';

/** With a compiler that reports every line containing one word. */
const test = base.extend<object, { compiler: undefined }>({
  compiler: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures from this pattern.
    async ({}, use) => {
      const stop = await startMailAgent({ 'sieve.check': ({ script }) => ({ errors: errorsIn(script) }) });
      await use(undefined);
      await stop();
    },
    { scope: 'worker', auto: true },
  ],
});

function errorsIn(script: string): SieveError[] {
  return script.split('\n').flatMap((text, index) => {
    return text.includes(BAD_COMMAND) ? [{ line: index + 1, message: `unknown command '${BAD_COMMAND}'` }] : [];
  });
}

const makeFilter = (api: Api, domain: Domain, name: string, over: object = {}) =>
  api.call<Filter>('POST', '/sieve-filters', { scope: 'domain', domain_id: domain.id, name, script: 'keep;', ...over });

const editor = (page: Page) => page.getByRole('textbox', { name: 'Script' });
const namesIn = (page: Page): Locator =>
  page
    .getByRole('table', { name: /^Filters/ })
    .locator('tbody')
    .getByRole('link');

test('adds a filter for a mailbox from an example, after a check', async ({ signedIn: page, api, domain, check }) => {
  const mailbox = unique('ann');
  await api.call('POST', '/mailboxes', {
    domain_id: domain.id,
    local_part: mailbox,
    password: 'paper boats on the canal',
  });
  await page.goto(`${url()}/sieve-filters?domain=${domain.id}`);
  await page.getByRole('link', { name: 'New filter' }).click();
  const add = page.getByRole('button', { name: 'Create filter' });
  await add.click();
  await expect(page.getByText('Enter a name.')).toBeVisible();
  await expect(page.getByText('Choose a mailbox.')).toBeVisible();
  await expect(page.getByText('Enter a script, or start with an example.')).toBeVisible();

  await page.getByRole('combobox', { name: 'Mailbox' }).fill(mailbox);
  await page.getByRole('option', { name: `${mailbox}@${domain.name}` }).click();
  await page.getByRole('button', { name: 'Spam to Junk' }).click();
  await expect(page.getByRole('textbox', { name: 'Name' })).toHaveValue('Spam to Junk');
  await page.getByRole('button', { name: 'Check script' }).click();
  await expect(page.getByText('The script compiles')).toBeVisible();
  await check();
  await add.click();
  await expect(page.getByRole('heading', { name: 'Spam to Junk', level: 1 })).toBeVisible();
  await page.getByRole('link', { name: 'Filters', exact: true }).first().click();
  await expect(page.getByRole('row').filter({ hasText: mailbox })).toContainText('Spam to Junk');
  await check();
});

test('links compiler errors to their lines, and does not save a script that does not compile', async ({
  signedIn: page,
  api,
  domain,
  checkState,
}) => {
  const { id } = await makeFilter(api, domain, unique('Filter '));
  await page.goto(`${url()}/sieve-filters/${id}`);
  await editor(page).fill(`keep;\n\n${BAD_COMMAND};\nstop;\n${BAD_COMMAND} again;`);
  await page.getByRole('button', { name: 'Check script' }).click();
  const errors = page.getByRole('list', { name: 'Compiler errors' });
  await expect(errors.getByRole('listitem')).toHaveText([/Line 3\s*unknown command/, /Line 5/]);
  await errors.getByRole('button', { name: 'Line 5' }).click();
  await expect(editor(page)).toBeFocused();
  const selected = () =>
    editor(page).evaluate((field: HTMLTextAreaElement) => field.value.slice(field.selectionStart, field.selectionEnd));
  expect(await selected()).toBe(`${BAD_COMMAND} again;`);
  await checkState();

  await editor(page).fill(`${BAD_COMMAND};`);
  await expect(errors).toBeHidden();
  await page.getByRole('button', { name: 'Save changes' }).click();
  await expect(errors.getByRole('listitem')).toHaveText([/Line 1/]);
  expect(await api.call('GET', `/sieve-filters/${id}`)).toMatchObject({ script: 'keep;' });
  await editor(page).fill('stop;');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await expect(page.getByText('Saved', { exact: true })).toBeVisible();
  expect(await api.call('GET', `/sieve-filters/${id}`)).toMatchObject({ script: 'stop;' });
});

test('reorders, deactivates with undo and deletes filters, also by keyboard', async ({
  signedIn: page,
  api,
  check,
}) => {
  const domain = await makeDomain(api);
  const [first, second, third] = [unique('First '), unique('Second '), unique('Third ')];
  for (const name of [first, second, third]) await makeFilter(api, domain, name);
  await page.goto(`${url()}/sieve-filters?domain=${domain.id}`);
  await expect(namesIn(page)).toHaveText([first, second, third]);

  await page.getByRole('button', { name: `Move ${third} up` }).focus();
  await page.keyboard.press('Enter');
  await expect(namesIn(page)).toHaveText([first, third, second]);
  await expect(page.getByRole('status').filter({ hasText: `Moved ${third} up` })).toBeVisible();
  await expect(page.getByRole('button', { name: `Move ${third} up` })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(namesIn(page)).toHaveText([third, first, second]);
  const saved = async () => {
    const filters = await api.call<Filter[]>('GET', `/sieve-filters?domain_id=${domain.id}`);
    return Object.fromEntries(filters.map(({ name, position }) => [name, position]));
  };
  await expect.poll(saved).toEqual({ [third]: 1, [first]: 2, [second]: 3 });
  await page.reload();
  await expect(namesIn(page)).toHaveText([third, first, second]);

  // Positions count all filters of a scope, so those that a search finds can't be moved.
  const search = page.getByRole('textbox', { name: 'Filter by name' });
  await search.fill(first);
  await expect(namesIn(page)).toHaveText([first]);
  await expect(page.getByRole('button', { name: /^Move / })).toHaveCount(0);
  await search.fill('');
  await expect(namesIn(page)).toHaveText([third, first, second]);
  await expect(page.getByRole('button', { name: `Move ${first} up` })).toBeVisible();

  const active = page.getByRole('switch', { name: `${first} is active` });
  await active.press(' ');
  await expect(page.getByText(`Deactivated ${first}`)).toBeVisible();
  await expect(active).not.toBeChecked();
  await check();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(active).toBeChecked();

  await page.getByRole('link', { name: second }).click();
  await page.getByRole('button', { name: 'Delete filter' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete filter' }).click();
  await expect(page.getByRole('link', { name: first })).toBeVisible();
  await expect(page.getByRole('link', { name: second })).toHaveCount(0);
});

test('warns about discarding for all mail, and offers domain admins no filters for all mail', async ({
  signedIn: page,
  browser,
  makeAdmin,
  domain,
}) => {
  await page.goto(`${url()}/sieve-filters/new`);
  await editor(page).fill('discard;');
  const warning = page.getByText(/^This filter can reject or discard mail of every mailbox/);
  await expect(warning).toBeHidden();
  await page.getByRole('radio', { name: 'All mail' }).click();
  await expect(warning).toBeVisible();

  const context = await browser.newContext();
  const other = await context.newPage();
  await useSession(other, (await makeAdmin('domain_admin', [domain])).cookie);
  await other.goto(`${url()}/sieve-filters/new`);
  const scopes = other.getByRole('radiogroup', { name: 'Applies to' });
  await expect(scopes.getByText('A domain')).toBeVisible();
  await expect(scopes.getByText('A mailbox')).toBeVisible();
  await expect(scopes.getByRole('radio')).toHaveCount(2);
  await context.close();
});

test('keeps the draft if the mail server is not responding, and asks before leaving it', async ({
  signedIn: page,
  api,
  domain,
  check,
}) => {
  const { id } = await makeFilter(api, domain, unique('Filter '));
  const message = 'No mail server is attached.';
  const recover = await failProcedure(page, 'sieveFilters.update', {
    status: 503,
    code: 'MAIL_STACK_UNAVAILABLE',
    message,
  });
  await page.goto(`${url()}/sieve-filters/${id}`);
  await editor(page).fill('stop;');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await expect(alertWith(page, message)).toBeVisible();
  await expect(editor(page)).toHaveValue('stop;');
  await check();
  await page.getByRole('link', { name: 'Filters', exact: true }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Leave this page?' });
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await recover();
  await page.getByRole('button', { name: 'Save changes' }).click();
  await expect(page.getByText('Saved', { exact: true })).toBeVisible();
});

test('explains without a mail server what can still be done', async ({ signedIn: page, check }) => {
  await withoutMailServer(page);
  for (const path of ['/sieve-filters', '/sieve-filters/new']) {
    await page.goto(`${url()}${path}`);
    await expect(page.getByText('No mail server is attached')).toBeVisible();
    await check();
  }
  await expect(page.getByRole('button', { name: 'Check script' })).toBeDisabled();

  await withoutMailServer(page, 'silent');
  await page.reload();
  await expect(page.getByText('The mail agent is not responding')).toBeVisible();
  await check();
});
