import type { Locator, Page } from '@playwright/test';
import { holdRequests } from '../support/faults';
import {
  type Domain,
  expect,
  makeDomain,
  type Sql,
  sendMessage,
  test,
  unique,
  url,
  useSession,
} from '../support/fixtures';
import { countShifts, resize, shifts } from '../support/layout-shifts';

const ALIASES = 60;

/** Aliases a1, a2, … of a domain. */
async function makeAliases(sql: Sql, domain: Domain, count = ALIASES): Promise<void> {
  await sql(
    `INSERT INTO alias (id, domain_id, source_local_part, destination, created_at, updated_at)
     SELECT gen_random_uuid(), $1, 'a' || n, 'ann@far.example', now(), now() FROM generate_series(1, $2::int) AS n`,
    [domain.id, count],
  );
}

const topOf = (locator: Locator) => locator.evaluate((element) => element.getBoundingClientRect().top);
const scrollToEnd = (page: Page) => page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));

/** Whether the middle of the element is in the window and not covered. */
const isInView = (locator: Locator) =>
  locator.evaluate((element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    const hit = document.elementFromPoint(left + width / 2, top + height / 2);
    return hit !== null && (element.contains(hit) || hit.contains(element));
  });

test('an address keeps its whole domain at any width, and a state is shown only where it isn’t the usual one', async ({
  signedIn: page,
  api,
  check,
}) => {
  const created = await api.call<Domain>('POST', '/domains', {
    name: `${unique('saltmarsh-press-')}.example`.toLowerCase(),
  });
  const long = 'accounts.oliveira-castellanos-and-daughters';
  for (const [local_part, active] of [
    [long, true],
    ['bea', false],
  ] as const) {
    const password = 'paper boats on the canal';
    await api.call('POST', '/mailboxes', { domain_id: created.id, local_part, password, active });
  }
  await page.goto(`${url()}/mailboxes?domain=${created.id}`);
  const row = page.getByRole('row', { name: `${long}@${created.name}` });
  await expect(row).not.toContainText(/active/i);
  await expect(page.getByRole('row', { name: `bea@${created.name}` })).toContainText('Inactive');
  const host = row.getByText(`@${created.name}`, { exact: true });
  for (const width of [1280, 1920, 360]) {
    await resize(page, { width, height: 900 });
    await expect(host).toBeVisible();
    expect(await host.evaluate((element) => element.scrollWidth - element.clientWidth), `${width} px`).toBe(0);
    await check();
  }
});

test('messages have a line each at 1280 px', async ({ signedIn: page, api, check }) => {
  const created = await api.call<Domain>('POST', '/domains', { name: `${unique('coffee-')}.example`.toLowerCase() });
  await sendMessage(api, created, { to: [{ email: 'quentin.andersson@brandt-steel.example' }] });
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.goto(`${url()}/messages?domain=${created.id}`);
  const row = page.getByRole('row').filter({ hasText: 'orders@' });
  for (const host of [`@${created.name}`, '@brandt-steel.example']) {
    expect(await row.getByText(host, { exact: true }).evaluate((part) => part.scrollWidth - part.clientWidth)).toBe(0);
  }
  expect((await row.boundingBox())?.height).toBeLessThan(40);
  await check();
});

test('the filters, the header, the selected rows’ actions and a focused row stay in view', async ({
  signedIn: page,
  context,
  api,
  sql,
  check,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const domain = await makeDomain(api);
  await makeAliases(sql, domain);
  await page.goto(`${url()}/aliases?domain=${domain.id}`);
  const header = page.getByRole('columnheader', { name: 'Delivers to' });
  const filter = page.getByRole('textbox', { name: 'Filter by address or destination' });
  await expect(page.getByRole('row')).toHaveCount(51);
  await test.step('an address is copied from its row', async () => {
    const copy = page.getByRole('button', { name: 'Copy address' });
    await expect(copy).toHaveCount(0);
    await page.getByRole('row', { name: `a1@${domain.name}` }).hover();
    await copy.click();
    await expect(page.getByRole('button', { name: 'Copied address' })).toBeVisible();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(`a1@${domain.name}`);
  });

  await scrollToEnd(page);
  expect(await topOf(page.getByRole('heading', { name: 'Aliases' }))).toBeLessThan(0);
  expect(await isInView(filter)).toBe(true);
  expect(await isInView(header)).toBe(true);
  expect(await topOf(header)).toBeGreaterThan(await topOf(filter));

  const first = page.getByRole('row').nth(1).getByRole('link');
  await first.focus();
  expect(await isInView(first), 'the row isn’t below the header').toBe(true);

  const actions = page.getByRole('group', { name: 'Selected aliases' });
  await test.step('rows that are clicked faster than the list is rendered are all selected', async () => {
    await page.getByRole('checkbox', { name: /^Select a\d/ }).evaluateAll((boxes) => {
      for (const box of boxes.slice(0, 3)) (box as HTMLElement).click();
    });
    await expect(actions).toContainText('3 selected');
    await expect(page.getByRole('checkbox', { checked: true, name: /^Select a\d/ })).toHaveCount(3);
  });

  await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
  await scrollToEnd(page);
  expect(await isInView(actions)).toBe(true);
  expect(await isInView(header)).toBe(true);
  expect(await topOf(header)).toBeGreaterThan(await topOf(actions));
  await expect(filter).toBeHidden();
  await check();

  await page.setViewportSize({ width: 360, height: 740 });
  await scrollToEnd(page);
  expect(await isInView(actions)).toBe(true);
  expect(await isInView(filter)).toBe(false);
  await check();
});

test('rows are shown before their total is counted, and a list says which of how many rows it shows', async ({
  signedIn: page,
  api,
  sql,
  check,
}) => {
  const domain = await makeDomain(api);
  await makeAliases(sql, domain);
  await countShifts(page);
  // The total comes by a request of its own.
  const isTotal = ({ pathname, search }: URL) =>
    pathname === '/api/trpc/aliases.list' && /"total":true/.test(decodeURIComponent(search));
  const release = await holdRequests(page, isTotal);
  await page.goto(`${url()}/aliases?domain=${domain.id}`);
  const pagination = page.getByRole('navigation', { name: 'Pagination' });
  await expect(page.getByRole('row')).toHaveCount(51);
  await expect(pagination).toContainText('1–50');
  await expect(pagination).not.toContainText('of 60');
  release();
  await expect(pagination).toContainText('1–50 of 60');
  expect(await shifts(page)).toEqual([]);
  await check();
  await page.unroute(isTotal);

  await page.getByRole('button', { name: 'Next' }).click();
  await expect(pagination).toContainText('51–60 of 60');
  await page.reload();
  await expect(pagination).toContainText('51–60 of 60');
  await page.getByRole('textbox', { name: 'Filter by address or destination' }).fill('a59');
  await expect(pagination).toContainText('1–1 of 1');
});

test('times are in the time zone of the account, also in another browser from the first one on', async ({
  page,
  browser,
  api,
  sql,
  makeAdmin,
  check,
}) => {
  const domain = await makeDomain(api);
  await makeAliases(sql, domain, 1);
  await sql(`UPDATE alias SET created_at = '2026-03-01T20:00:00Z' WHERE domain_id = $1`, [domain.id]);
  const { id, cookie } = await makeAdmin('admin');
  await useSession(page, cookie);
  await page.goto(`${url()}/aliases?domain=${domain.id}`);
  await expect(page.getByTitle('1 March 2026, 20:00:00 UTC')).toHaveText('1 Mar');

  await page.goto(`${url()}/account`);
  const zone = page.getByRole('combobox', { name: 'Time zone' });
  await zone.fill('');
  await zone.pressSequentially('kathm');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('status').filter({ hasText: 'Time zone saved' })).toBeVisible();
  await check();
  await page.goBack();
  await expect(page.getByTitle('2 March 2026, 01:45:00 GMT+5:45')).toHaveText('2 Mar');
  await page.getByRole('link', { name: 'Analytics', exact: true }).click();
  await expect(page.getByRole('combobox', { name: 'Time zone' })).toHaveValue('Asia/Kathmandu');

  const context = await browser.newContext();
  const other = await context.newPage();
  await useSession(other, cookie);
  await other.addInitScript(() => {
    const seen: string[] = [];
    new MutationObserver(() => {
      for (const { title } of document.querySelectorAll<HTMLElement>('time[title]'))
        if (!seen.includes(title)) seen.push(title);
    }).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    (window as Window & { seen?: string[] }).seen = seen;
  });
  await other.goto(`${url()}/aliases?domain=${domain.id}`);
  await expect(other.getByTitle('2 March 2026, 01:45:00 GMT+5:45')).toHaveText('2 Mar');
  expect(await other.evaluate(() => (window as Window & { seen?: string[] }).seen)).toEqual([
    '2 March 2026, 01:45:00 GMT+5:45',
  ]);
  await check(other);
  await other.goto(`${url()}/messages?since=2026-03-01T00:00:00.000Z`);
  await expect(other.getByText('times in Kathmandu time')).toBeVisible();

  // A choice made elsewhere arrives with the profile, and replaces what this browser remembers.
  await sql(`UPDATE admin SET time_zone = 'UTC' WHERE id = $1`, [id]);
  await other.goto(`${url()}/aliases?domain=${domain.id}`);
  await expect(other.getByTitle('1 March 2026, 20:00:00 UTC')).toHaveText('1 Mar');
  expect(await other.evaluate(() => (window as Window & { seen?: string[] }).seen)).toEqual([
    '1 March 2026, 20:00:00 UTC',
  ]);
  await context.close();
});

test('a search that is typed before the scripts run is made', async ({ signedIn: page }) => {
  await page.goto(`${url()}/domains`);
  const release = await holdRequests(page, '**/*.js');
  await page.reload({ waitUntil: 'commit' });
  await page.getByRole('textbox', { name: /^Filter/ }).fill('typed-early');
  release();
  await expect(page).toHaveURL(`${url()}/domains?q=typed-early`);
});
