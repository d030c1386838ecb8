import { type ViewPage, viewHref } from '../../src/lib/saved-views';
import { eachCase, inGroups, namesOf } from '../support/cases';
import { holdRequests } from '../support/faults';
import { alertWith, expect, follow, makeDomain, sendMessage, test, unique, url, useSession } from '../support/fixtures';
import { countShifts, settled, shifts } from '../support/layout-shifts';
import { openViews, saveView, viewItem } from '../support/views';

test('a view is saved, follows its admin to another browser, and is updated and deleted with Undo', async ({
  page,
  browser,
  api,
  makeAdmin,
  check,
  checkState,
}) => {
  const domain = await makeDomain(api);
  const [one, two] = [unique('Parcel '), unique('Letter ')];
  await sendMessage(api, domain, { subject: one });
  await sendMessage(api, domain, { subject: two });
  const { cookie } = await makeAdmin('admin');
  await useSession(page, cookie);
  let requests = 0;
  page.on('request', (request) => {
    if (request.url().includes('savedViews')) requests += 1;
  });

  await page.goto(`${url()}/messages`);
  await settled(page);
  expect(requests).toBe(0);
  await openViews(page);
  await expect(page.getByText('No saved views yet')).toBeVisible();
  await expect(viewItem(page, 'Save view…')).toBeDisabled();
  expect(requests).toBe(1);
  await check();
  await page.keyboard.press('Escape');

  const parcels = `${url()}/messages?q=${encodeURIComponent(one).replace('%20', '+')}&order=asc`;
  await page.goto(`${parcels}&peek=019ac000-0000-7000-8000-000000000000`);
  await saveView(page, 'Parcels');
  await expect(page.getByRole('status').filter({ hasText: 'Saved Parcels' })).toBeVisible();
  await openViews(page);
  await viewItem(page, 'Save view…').click();
  const dialog = page.getByRole('dialog', { name: 'Save view' });
  await dialog.getByLabel('Name').fill('Parcels');
  await dialog.getByRole('button', { name: 'Save view' }).click();
  await expect(dialog.getByLabel('Name')).toHaveAccessibleDescription(/You already have a view named Parcels/);
  await checkState();
  await dialog.getByRole('button', { name: 'Cancel' }).click();

  const context = await browser.newContext();
  const other = await context.newPage();
  await useSession(other, cookie);
  await other.goto(`${url()}/messages`);
  await openViews(other);
  await viewItem(other, 'Parcels').click();
  await expect(other).toHaveURL(parcels);
  await expect(other.getByLabel('Search messages')).toHaveValue(one);
  await expect(other.getByRole('row', { name: one })).toBeVisible();
  await expect(other.getByRole('row', { name: two })).toHaveCount(0);
  await openViews(other);
  await expect(viewItem(other, 'Parcels')).toHaveAttribute('aria-current', 'true');
  await expect(viewItem(other, 'Update Parcels')).toHaveCount(0);
  await other.keyboard.press('Escape');

  await other.getByLabel('Search messages').fill(two);
  await expect(other.getByRole('row', { name: two })).toBeVisible();
  await openViews(other);
  await expect(viewItem(other, 'Parcels')).not.toHaveAttribute('aria-current');
  await viewItem(other, 'Update Parcels').click();
  await expect(other.getByRole('status').filter({ hasText: 'Updated Parcels' })).toBeVisible();
  await openViews(other);
  await expect(viewItem(other, 'Parcels')).toHaveAttribute('aria-current', 'true');
  await other.keyboard.press('Escape');
  await other.getByRole('button', { name: 'Undo' }).click();
  await expect(other.getByRole('status').filter({ hasText: 'Restored Parcels' })).toBeVisible();

  await openViews(other);
  await viewItem(other, 'Delete Parcels').click();
  await expect(other.getByRole('status').filter({ hasText: 'Deleted Parcels' })).toBeVisible();
  await openViews(other);
  await expect(other.getByText('No saved views yet')).toBeVisible();
  await other.keyboard.press('Escape');
  await other.getByRole('button', { name: 'Undo' }).click();
  await expect(other.getByRole('status').filter({ hasText: 'Restored Parcels' })).toBeVisible();
  await openViews(other);
  await expect(viewItem(other, 'Parcels')).toHaveAttribute('href', parcels.replace(url(), ''));
  await context.close();
});

test('an Undo restores a view as it was, even if the list of views has not loaded again since', async ({
  page,
  makeAdmin,
  sql,
  check,
}) => {
  const { id, cookie } = await makeAdmin('admin');
  await sql(
    `INSERT INTO saved_view (id, admin_id, page, name, query, updated_at)
     VALUES (gen_random_uuid(), $1, 'messages', 'Failed', 'status=failed', now())`,
    [id],
  );
  await useSession(page, cookie);
  await page.goto(`${url()}/messages`);
  await settled(page);
  await openViews(page);
  await viewItem(page, 'Failed').click();
  await expect(page).toHaveURL(`${url()}/messages?status=failed`);
  await page.getByLabel('Search messages').fill('parcel');
  await expect(page).toHaveURL(/q=parcel/);
  await openViews(page);
  await viewItem(page, 'Update Failed').click();
  await expect(page.getByRole('status').filter({ hasText: 'Updated Failed' })).toBeVisible();
  await openViews(page);
  await expect(viewItem(page, 'Failed')).toHaveAttribute('aria-current', 'true');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'Restored Failed' })).toBeVisible();

  const release = await holdRequests(page, '**/api/trpc/savedViews.list*');
  await openViews(page);
  await viewItem(page, 'Delete Failed').click();
  await expect(page.getByRole('status').filter({ hasText: 'Deleted Failed' })).toBeVisible();
  release();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'Restored Failed' })).toBeVisible();
  await openViews(page);
  await expect(viewItem(page, 'Failed')).toHaveAttribute('href', '/messages?status=failed');
  await check();
});

/** The filters and order of a view of each list. Messages have the tests above; a queue and DNS need more than this test makes. */
const QUERIES: Record<Exclude<ViewPage, 'messages' | 'queue' | 'domain_states'>, string> = {
  mailboxes: 'show=full',
  aliases: 'show=inactive',
  sieve_filters: 'show=mailbox',
  templates: 'show=published',
  suppressions: 'reason=bounce',
  domains: 'q=east&show=inactive',
  webhooks: 'show=inactive',
  api_keys: 'show=expired&sort=name',
  admins: 'order=desc',
  audit: 'show=denied',
  alerts: 'show=all&severity=critical',
};
const LISTS = Object.entries(QUERIES).map(([name, query]) => {
  const filtered = viewHref(name as ViewPage, query);
  return { name, filtered, path: filtered.slice(0, filtered.indexOf('?')) };
});

for (const group of inGroups(LISTS, 4)) {
  test(`views exist at 360 px and in dark, and move nothing: ${namesOf(group)}`, async ({
    page,
    makeAdmin,
    watched,
    check,
  }) => {
    const { cookie } = await makeAdmin('super_admin');
    await page.setViewportSize({ width: 360, height: 740 });
    await page.emulateMedia({ colorScheme: 'dark' });
    await useSession(page, cookie);
    await countShifts(page);
    await eachCase(group, watched, async ({ filtered, path }) => {
      await page.goto(`${url()}${filtered}`);
      await settled(page);
      expect(await shifts(page)).toEqual([]);
      await saveView(page, 'Mine');
      await expect(page.getByRole('status').filter({ hasText: 'Saved Mine' })).toBeVisible();
      await follow(page, path);
      await expect(page).toHaveURL(`${url()}${path}`);
      await openViews(page);
      await expect(viewItem(page, 'Mine')).toBeVisible();
      await check();
      await viewItem(page, 'Mine').click();
      await expect(page).toHaveURL(`${url()}${filtered}`);
      await check();
    });
  });
}

test('many views scroll, and a failure says what happened', async ({ page, makeAdmin, sql, check, checkState }) => {
  const { id, cookie } = await makeAdmin('admin');
  await sql(
    `INSERT INTO saved_view (id, admin_id, page, name, query, updated_at)
     SELECT gen_random_uuid(), $1, 'messages', 'View ' || lpad(n::text, 2, '0'), 'status=bounced&q=' || n, now()
       FROM generate_series(1, 50) AS n`,
    [id],
  );
  await useSession(page, cookie);
  await page.goto(`${url()}/messages?status=failed`);
  await openViews(page);
  await expect(viewItem(page, 'View 50')).toBeVisible();
  await checkState();
  await viewItem(page, 'Save view…').click();
  const dialog = page.getByRole('dialog', { name: 'Save view' });
  await dialog.getByLabel('Name').fill('One more');
  await dialog.getByRole('button', { name: 'Save view' }).click();
  await expect(alertWith(page, 'You have 50 views, which is the limit')).toBeVisible();
  await check();
});
