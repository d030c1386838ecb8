import type { BrowserContext, Locator, Page } from '@playwright/test';
import { cutDocuments } from '../support/cut-documents';
import { TIME_ZONE_COOKIE } from '../support/faults';
import { expect, makeDomain, openSend, test, unique, url, useSession } from '../support/fixtures';
import { countShifts, settled, shifts, WIDTHS } from '../support/layout-shifts';

const setZone = (context: BrowserContext, value: string) =>
  context.addCookies([{ name: TIME_ZONE_COOKIE, value, url: url() }]);

/** Opens a page until it has its data: on a busy machine, data may once take longer than a page waits. */
async function openWithData(page: Page, path: string, shown: Locator): Promise<void> {
  await expect(async () => {
    await page.goto(path);
    await expect(shown).toBeVisible({ timeout: 1 });
  }).toPass();
}

test('a page arrives with its data, in the time zone that the browser named', async ({
  browser,
  sessionCookie,
  api,
  domain,
}) => {
  const fields = { domain_id: domain.id, source_local_part: 'early', destination: 'a@far.example' };
  await api.call('POST', '/aliases', fields);
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await useSession(page, sessionCookie);
  await page.goto(`${url()}/aliases?domain=${domain.id}`);
  await expect(page.getByRole('heading', { name: 'Aliases' })).toBeVisible();
  await expect(page.getByText(`early@${domain.name}`)).toHaveCount(0);
  await setZone(context, 'Asia/Kathmandu');
  const link = page.getByRole('link', { name: `early@${domain.name}` });
  await openWithData(page, `${url()}/aliases?domain=${domain.id}`, link);
  const row = page.getByRole('row').filter({ hasText: `early@${domain.name}` });
  await expect(row.getByTitle(/GMT\+5:45$/).first()).toBeVisible();
  await context.close();
});

test('a list arrives with the rows in view, and the others take no room from anything', async ({
  browser,
  signedIn: page,
  sessionCookie,
  api,
  sql,
}) => {
  const domain = await makeDomain(api);
  await sql(
    `INSERT INTO alias (id, domain_id, source_local_part, destination, created_at, updated_at)
     SELECT gen_random_uuid(), $1, 'a' || n, 'ann@far.example', now(), now() FROM generate_series(1, 60) AS n`,
    [domain.id],
  );
  const path = `${url()}/aliases?domain=${domain.id}`;
  const context = await browser.newContext({ javaScriptEnabled: false });
  await setZone(context, 'UTC');
  const still = await context.newPage();
  await useSession(still, sessionCookie);
  await openWithData(still, path, still.getByRole('link', { name: `a1@${domain.name}` }));
  await expect(still.getByRole('row')).toHaveCount(29);
  const placeOf = (one: Page) => one.getByRole('navigation', { name: 'Pagination' }).boundingBox();
  const before = await placeOf(still);

  await setZone(page.context(), 'UTC');
  await page.setViewportSize({ width: 1280, height: 2400 });
  await countShifts(page);
  await page.goto(path);
  await expect(page.getByRole('row')).toHaveCount(51);
  await expect(page.getByRole('button', { name: 'Actions for a1@' })).toHaveCount(1);
  expect(await shifts(page)).toEqual([]);
  expect((await placeOf(page))?.y).toBe(before?.y);
  await context.close();
});

test('the form to send arrives with the page, and takes no input before the page runs', async ({
  browser,
  signedIn: page,
  sessionCookie,
  domain,
}) => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  await setZone(context, 'UTC');
  const still = await context.newPage();
  await useSession(still, sessionCookie);
  const subject = still.getByLabel('Subject');
  await openWithData(still, `${url()}/send?from=orders@${domain.name}`, subject);
  expect(await subject.evaluate((input) => input.closest('[inert]') !== null)).toBe(true);
  await context.close();

  await setZone(page.context(), 'UTC');
  await countShifts(page);
  for (const { width, height } of WIDTHS) {
    await page.setViewportSize({ width, height });
    await openSend(page);
    await page.getByLabel('Subject').fill('Kept');
    await page.reload();
    await expect(page.getByLabel('Subject')).toHaveValue('Kept');
    expect(await shifts(page)).toEqual([]);
    await page.getByRole('button', { name: 'Clear form' }).click();
  }
});

test('a document that arrives in two parts is painted at once', async ({ signedIn: page }) => {
  const network = await cutDocuments('New alias');
  await countShifts(page);
  await page.setViewportSize(WIDTHS[1]);
  await page.goto(`${network.url}/aliases`);
  await settled(page);
  expect(await shifts(page)).toEqual([]);
  expect(network.cuts()).toBe(1);
  network.stop();
});

test('data that looks like markup stays text', async ({ signedIn: page, api, check }) => {
  const name = `${unique('markup')}.example`;
  const description = '</script><script>document.title = "changed"</script><!-- <b>';
  const { id } = await api.call<{ id: string }>('POST', '/domains', { name, description });
  await page.goto(`${url()}/domains`);
  await page.waitForLoadState('networkidle');
  await expect(async () => {
    const response = await page.goto(`${url()}/domains/${id}?tab=settings`);
    expect(await response?.text()).toContain('\\u003c/script\\u003e');
  }).toPass();
  await expect(page.getByRole('textbox', { name: 'Description' })).toHaveValue(description);
  await expect(page).toHaveTitle(/Postroom$/);
  await check();
});

test('a page that arrived with its data asks for none', async ({ signedIn: page, domain }) => {
  await page.goto(`${url()}/domains`);
  await page.waitForLoadState('networkidle');
  const asked = callsOf(page);
  for (const path of ['/', '/domains', `/domains/${domain.id}`, '/messages', '/audit', '/webhooks', '/system/config']) {
    // On a busy machine, data may once take longer than a page waits.
    await expect(async () => {
      asked.length = 0;
      await page.goto(`${url()}${path}`);
      await page.waitForLoadState('networkidle');
      expect(asked).toEqual([]);
    }).toPass();
  }
});

test('data that takes long comes after its page', async ({ signedIn: page, api, domain, sql }) => {
  await api.call('POST', '/aliases', { domain_id: domain.id, source_local_part: 'late', destination: 'a@far.example' });
  await page.goto(`${url()}/domains`);
  await page.waitForLoadState('networkidle');
  const asked = callsOf(page);
  const held = sql('DO $$ BEGIN LOCK TABLE alias IN ACCESS EXCLUSIVE MODE; PERFORM pg_sleep(1.5); END $$');
  await page.goto(`${url()}/aliases?domain=${domain.id}`);
  await held;
  await expect(page.getByRole('link', { name: `late@${domain.name}` })).toBeVisible();
  expect(asked.join()).toContain('aliases.list');
});

test('without a session, no data arrives and the console asks to sign in', async ({ browser }) => {
  const context = await browser.newContext();
  await setZone(context, 'UTC');
  const page = await context.newPage();
  await page.goto(`${url()}/domains`);
  await expect(page).toHaveURL(/\/login\?next=%2Fdomains$/);
  await context.close();
});

/** The names of the procedures that a page calls, but for the totals of lists, which pages don't wait for. */
function callsOf(page: Page): string[] {
  const names: string[] = [];
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    const isTotal = decodeURIComponent(search).includes('"total":true');
    if (pathname.startsWith('/api/trpc/') && !isTotal) names.push(pathname.slice('/api/trpc/'.length));
  });
  return names;
}
