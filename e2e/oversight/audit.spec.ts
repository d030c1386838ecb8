import { readFile } from 'node:fs/promises';
import { expect, makeDomain, test, url, useSession } from '../support/fixtures';

test('shows who changed a domain, with the field before and after, and filters by any value', async ({
  page,
  api,
  makeAdmin,
  check,
}) => {
  const domain = await makeDomain(api);
  const admin = await makeAdmin('admin');
  await useSession(page, admin.cookie);
  await page.goto(`${url()}/domains/${domain.id}?tab=settings`);
  await page.getByLabel('Description').fill('For the shop');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'Saved' })).toBeVisible();
  await page.getByRole('link', { name: 'Audit history' }).click();
  await expect(page.getByRole('row')).toHaveCount(3);
  await check();

  await page.getByRole('button', { name: 'domain.update' }).click();
  const entry = page.getByRole('complementary', { name: 'Entry: domain.update' });
  const change = entry.getByRole('row', { name: /description/ });
  await expect(change.getByRole('deletion')).toHaveText('(empty)');
  await expect(change.getByRole('insertion')).toHaveText('For the shop');
  await check();

  await entry.getByRole('button', { name: admin.email }).click();
  await expect(page.getByRole('row')).toHaveCount(2);
  await expect(page).toHaveURL(/email=/);
  await page.getByRole('button', { name: 'Remove filter: Actor' }).click();
  await expect(page.getByRole('row')).toHaveCount(3);
  await page.reload();
  await expect(page.getByRole('row')).toHaveCount(3);
});

test('turns typed text into the matching filter, and says if nothing matches', async ({ page, makeAdmin, check }) => {
  const admin = await makeAdmin('admin');
  await useSession(page, admin.cookie);
  await page.goto(`${url()}/audit`);
  const find = page.getByRole('textbox', { name: 'Find entries' });
  await find.fill(admin.email);
  await find.press('Enter');
  await expect(page.getByRole('button', { name: 'session.create' })).toHaveCount(1);
  await find.fill('domain.delete');
  await find.press('Enter');
  await expect(page.getByRole('heading', { name: 'No matching entries' })).toBeVisible();
  await check();
  await page.getByRole('button', { name: 'Clear filters' }).last().click();
  await expect(page.getByRole('row').nth(1)).toBeVisible();
});

test('lets a super admin verify the chain and export all entries', async ({ signedIn: page, api, sql, check }) => {
  await makeDomain(api);
  await expect
    .poll(async () => (await sql('SELECT count(*)::int AS open FROM audit_entry WHERE seq IS NULL'))[0]?.open, {
      timeout: 20_000,
    })
    .toBeLessThan(50);
  await page.goto(`${url()}/audit`);
  await page.getByRole('button', { name: 'Verify' }).click();
  await expect(page.getByText(/^Chain intact: [\d,]+ sealed entries/)).toBeVisible();
  await check();

  await page.getByRole('button', { name: 'Export' }).click();
  const started = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: 'Export all as NDJSON' }).click();
  const download = await started;
  expect(download.suggestedFilename()).toMatch(/^audit-\d{4}-\d\d-\d\d\.ndjson$/);
  const [first = ''] = (await readFile(await download.path(), 'utf8')).split('\n');
  expect(JSON.parse(first)).toHaveProperty('action');
});

test('shows a domain admin entries of assigned domains only, without export and verification', async ({
  page,
  api,
  makeAdmin,
  check,
}) => {
  const [own, foreign] = [await makeDomain(api), await makeDomain(api)];
  const { cookie } = await makeAdmin('domain_admin', [own]);
  await useSession(page, cookie);
  await page.goto(`${url()}/audit`);
  await expect(page.getByRole('row')).toHaveCount(2);
  await expect(page.getByText(`domain:${own.id}`)).toBeVisible();
  await expect(page.getByText(`domain:${foreign.id}`)).toHaveCount(0);
  await expect(page.getByRole('button', { name: /Export|Verify/ })).toHaveCount(0);
  await check();
});
