import type { Locator, Page } from '@playwright/test';
import type { SieveError } from '../../src/mail/agent-requests';
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

const FAULT = 'frobnicate';

/** Its compiler finds fault with every line that has one word in it. */
const test = base.extend<object, { compiler: undefined }>({
  compiler: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures from this pattern.
    async ({}, use) => {
      const stop = await startMailAgent({ 'sieve.check': ({ script }) => ({ errors: faultsIn(script) }) });
      await use(undefined);
      await stop();
    },
    { scope: 'worker', auto: true },
  ],
});

function faultsIn(script: string): SieveError[] {
  return script.split('\n').flatMap((text, index) => {
    return text.includes(FAULT) ? [{ line: index + 1, message: `unknown command '${FAULT}'` }] : [];
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

test('a filter for a mailbox is started from an example, checked and added', async ({
  signedIn: page,
  api,
  domain,
  check,
}) => {
  const mailbox = unique('ann');
  await api.call('POST', '/mailboxes', {
    domain_id: domain.id,
    local_part: mailbox,
    password: 'paper boats on the canal',
  });
  await page.goto(`${url()}/sieve-filters?domain=${domain.id}`);
  await page.getByRole('link', { name: 'New filter' }).click();
  const add = page.getByRole('button', { name: 'Add the filter' });
  await add.click();
  await expect(page.getByText('Give it a name.')).toBeVisible();
  await expect(page.getByText('Choose a mailbox.')).toBeVisible();
  await expect(page.getByText('Write a script, or start from an example.')).toBeVisible();

  await page.getByRole('combobox', { name: 'Mailbox' }).fill(mailbox);
  await page.getByRole('option', { name: `${mailbox}@${domain.name}` }).click();
  await page.getByRole('button', { name: 'Spam to Junk' }).click();
  await expect(page.getByRole('textbox', { name: 'Name' })).toHaveValue('Spam to Junk');
  await page.getByRole('button', { name: 'Check', exact: true }).click();
  await expect(page.getByText('It compiles')).toBeVisible();
  await check();
  await add.click();
  await expect(page.getByRole('heading', { name: 'Spam to Junk', level: 1 })).toBeVisible();
  await page.getByRole('link', { name: 'Filters', exact: true }).first().click();
  await expect(page.getByRole('row').filter({ hasText: mailbox })).toContainText('Spam to Junk');
  await check();
});

test('what the compiler says leads to its line, and a script that does not compile is not saved', async ({
  signedIn: page,
  api,
  domain,
  check,
}) => {
  const { id } = await makeFilter(api, domain, unique('Filter '));
  await page.goto(`${url()}/sieve-filters/${id}`);
  await editor(page).fill(`keep;\n\n${FAULT};\nstop;\n${FAULT} again;`);
  await page.getByRole('button', { name: 'Check', exact: true }).click();
  const said = page.getByRole('list', { name: 'What the compiler says' });
  await expect(said.getByRole('listitem')).toHaveText([/Line 3\s*unknown command/, /Line 5/]);
  await said.getByRole('button', { name: 'Line 5' }).click();
  await expect(editor(page)).toBeFocused();
  const selected = () =>
    editor(page).evaluate((field: HTMLTextAreaElement) => field.value.slice(field.selectionStart, field.selectionEnd));
  expect(await selected()).toBe(`${FAULT} again;`);
  await check();

  await editor(page).fill(`${FAULT};`);
  await expect(said).toBeHidden();
  await page.getByRole('button', { name: 'Save changes' }).click();
  await expect(said.getByRole('listitem')).toHaveText([/Line 1/]);
  expect(await api.call('GET', `/sieve-filters/${id}`)).toMatchObject({ script: 'keep;' });
  await editor(page).fill('stop;');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await expect(page.getByText('Saved', { exact: true })).toBeVisible();
  expect(await api.call('GET', `/sieve-filters/${id}`)).toMatchObject({ script: 'stop;' });
});

test('filters are put in another order, switched with a way back, and deleted, by keyboard too', async ({
  signedIn: page,
  api,
  check,
}) => {
  const domain = await makeDomain(api);
  const [first, second, third] = [unique('First '), unique('Second '), unique('Third ')];
  for (const name of [first, second, third]) await makeFilter(api, domain, name);
  await page.goto(`${url()}/sieve-filters?domain=${domain.id}`);
  await expect(namesIn(page)).toHaveText([first, second, third]);

  await page.getByRole('button', { name: `Run ${third} earlier` }).focus();
  await page.keyboard.press('Enter');
  await expect(namesIn(page)).toHaveText([first, third, second]);
  await expect(page.getByRole('status').filter({ hasText: `${third} runs earlier now` })).toBeVisible();
  await expect(page.getByRole('button', { name: `Run ${third} earlier` })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(namesIn(page)).toHaveText([third, first, second]);
  const saved = async () => {
    const filters = await api.call<Filter[]>('GET', `/sieve-filters?domain_id=${domain.id}`);
    return filters.toSorted((a, b) => a.position - b.position).map(({ name }) => name);
  };
  await expect.poll(saved).toEqual([third, first, second]);
  await page.reload();
  await expect(namesIn(page)).toHaveText([third, first, second]);

  const on = page.getByRole('switch', { name: `${first} is active` });
  await on.press(' ');
  await expect(page.getByText(`${first} is off`)).toBeVisible();
  await expect(on).not.toBeChecked();
  await check();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(on).toBeChecked();

  await page.getByRole('link', { name: second }).click();
  await page.getByRole('button', { name: 'Delete the filter' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete the filter' }).click();
  await expect(page.getByRole('link', { name: first })).toBeVisible();
  await expect(page.getByRole('link', { name: second })).toHaveCount(0);
});

test('a filter for all mail that discards is warned of; a domain admin makes none', async ({
  signedIn: page,
  browser,
  makeAdmin,
  domain,
}) => {
  await page.goto(`${url()}/sieve-filters/new`);
  await editor(page).fill('discard;');
  const warning = page.getByText(/^It may refuse mail of every mailbox here/);
  await expect(warning).toBeHidden();
  await page.getByRole('button', { name: 'All mail' }).click();
  await expect(warning).toBeVisible();

  const context = await browser.newContext();
  const other = await context.newPage();
  await useSession(other, (await makeAdmin('domain_admin', [domain])).cookie);
  await other.goto(`${url()}/sieve-filters/new`);
  await expect(other.getByRole('group', { name: 'Runs for' }).getByRole('button')).toHaveText([
    'A domain',
    'A mailbox',
  ]);
  await context.close();
});

test('a draft survives a mail server that does not answer, and leaving it is asked about', async ({
  signedIn: page,
  api,
  domain,
  check,
}) => {
  const { id } = await makeFilter(api, domain, unique('Filter '));
  const message = 'No mail server is attached to Postroom.';
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

test('without a mail server the pages say what still can be done', async ({ signedIn: page, check }) => {
  await withoutMailServer(page);
  for (const path of ['/sieve-filters', '/sieve-filters/new']) {
    await page.goto(`${url()}${path}`);
    await expect(page.getByText('No mail server is attached')).toBeVisible();
    await check();
  }
  await expect(page.getByRole('button', { name: 'Check', exact: true })).toBeDisabled();

  await withoutMailServer(page, 'silent');
  await page.reload();
  await expect(page.getByText('The agent of the mail server is silent')).toBeVisible();
  await check();
});
