import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { TIME_ZONE_COOKIE } from '../support/faults';
import {
  createDomain,
  expect,
  makeDomain,
  sendMessage,
  signIn,
  test,
  unique,
  url,
  useSession,
} from '../support/fixtures';
import { countShifts, settled, shifts } from '../support/layout-shifts';

/** Without the header and the heads of days. */
const entriesOf = (page: Page) => page.getByRole('row').filter({ has: page.getByRole('cell') });

/** Changes a record with the session of the page. */
async function patchAs(page: Page, path: string, data: object): Promise<void> {
  const answer = await page.request.patch(`${url()}/api/v1${path}`, { headers: { origin: url() }, data });
  expect(answer.status()).toBe(200);
}

/** The buttons that are too narrow for their label. */
const labelsCut = (buttons: Element[]) =>
  buttons.flatMap((button) =>
    [...button.querySelectorAll('*')].some((part) => part.scrollWidth > part.clientWidth && part.clientWidth > 0)
      ? [button.textContent]
      : [],
  );

test('shows who changed a domain, with the field before and after, and filters by any value', async ({
  page,
  api,
  makeAdmin,
  check,
  checkState,
}) => {
  const domain = await createDomain(api);
  const admin = await makeAdmin('admin');
  await useSession(page, admin.cookie);
  await patchAs(page, `/domains/${domain.id}`, { description: 'For the shop' });
  await page.goto(`${url()}/audit?resource=domain:${domain.id}`);
  await expect(entriesOf(page)).toHaveCount(2);
  await check();

  await page.getByRole('button', { name: `${admin.email} changed the description of domain ${domain.name}` }).click();
  const entry = page.getByRole('complementary', { name: 'Entry: domain.update' });
  const change = entry.getByLabel('What changed');
  await expect(change.getByRole('term')).toHaveText(['Description']);
  await expect(change.getByRole('deletion')).toHaveText('Not set');
  await expect(change.getByRole('insertion')).toHaveText('For the shop');
  await expect(entry.getByRole('button', { name: domain.name, exact: true })).toBeVisible();
  await checkState();

  await entry.getByRole('button', { name: admin.email }).click();
  await expect(entriesOf(page)).toHaveCount(1);
  await expect(page).toHaveURL(/email=/);
  await page.getByRole('button', { name: 'Remove filter: Actor' }).click();
  await expect(entriesOf(page)).toHaveCount(2);

  await test.step('an entry opens from anywhere in its row, single keys show the next one, and Escape returns the focus', async () => {
    const openerOf = (verb: string) => page.getByRole('button', { name: `${verb} domain ${domain.name}` });
    const [changed, added] = [openerOf('changed the description of'), openerOf('added')];
    const anyEntry = page.getByRole('complementary', { name: /^Entry: / });
    await page.keyboard.press('Escape');
    await expect(anyEntry).toHaveCount(0);
    await page.getByRole('row').filter({ has: changed }).getByRole('time').click();
    await expect(entry).toBeFocused();
    await page.keyboard.press('j');
    await expect(page.getByRole('complementary', { name: 'Entry: domain.create' })).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(anyEntry).toHaveCount(0);
    await expect(added).toBeFocused();
    await page.keyboard.press('k');
    await page.keyboard.press('Enter');
    await expect(entry).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(changed).toBeFocused();
  });
});

test('searches as it is typed, by actor, action, name and request id, and says if nothing matches', async ({
  page,
  request,
  api,
  makeAdmin,
  check,
}) => {
  const domain = await createDomain(api);
  const alias = await api.call<{ id: string; address: string }>('POST', '/aliases', {
    domain_id: domain.id,
    source_local_part: 'hello',
    destination: 'ann@far.example',
  });
  const admin = await makeAdmin('admin');
  await useSession(page, await signIn(request, admin));
  await patchAs(page, `/aliases/${alias.id}`, { active: false });
  await page.goto(`${url()}/audit`);
  const search = page.getByRole('textbox', { name: 'Search entries' });
  await search.fill(`hello@${domain.name.slice(0, -4)}`);
  const deactivated = page.getByRole('button', { name: `${admin.email} deactivated alias ${alias.address}` });
  await expect(entriesOf(page)).toHaveCount(2);
  await expect(deactivated).toBeVisible();
  await expect(page.getByRole('button', { name: `created alias ${alias.address}` })).toBeVisible();
  await expect(page.getByText(alias.id)).toHaveCount(0);
  await expect(page).toHaveURL(/q=hello@/);
  await check();

  await search.fill(admin.email.slice(0, -3));
  await expect(page.getByRole('button', { name: `${admin.email} signed in` })).toHaveCount(1);
  await deactivated.click();
  const entry = page.getByRole('complementary', { name: 'Entry: alias.update' });
  const requestId = (await entry.getByRole('button', { name: /^[0-9a-f]{8}-/ }).textContent()) ?? '';
  await expect(entry.getByRole('button', { name: alias.address, exact: true })).toBeVisible();
  await check();
  await search.fill(requestId.slice(0, 26));
  await expect(entriesOf(page)).toHaveCount(1);
  await expect(deactivated).toBeVisible();
  await search.fill(`nothing ${requestId}`);
  await expect(page.getByRole('heading', { name: 'No matching entries' })).toBeVisible();
  await check();
  await page.getByRole('button', { name: 'Clear filters' }).last().click();
  await expect(entriesOf(page).first()).toBeVisible();
});

test('a run of the same change is one row until it is unfolded, and the kind of record is a filter', async ({
  signedIn: page,
  api,
  check,
}) => {
  const domain = await createDomain(api);
  for (const destination of ['a', 'b', 'c', 'd']) {
    const alias = { domain_id: domain.id, source_local_part: unique(), destination: `${destination}@far.example` };
    await api.call('POST', '/aliases', alias);
  }
  await page.goto(`${url()}/audit?domain=${domain.id}`);
  const created = page.getByRole('row').filter({ hasText: 'created alias' });
  await expect(created).toHaveCount(1);
  await expect(page.getByRole('navigation', { name: 'Pagination' })).toHaveText(/1–5 of 5, in 2 rows/);
  await check();
  await page.setViewportSize({ width: 360, height: 740 });
  const cut = page.getByRole('navigation', { name: 'Pagination' }).getByRole('button');
  expect(await cut.evaluateAll(labelsCut)).toEqual([]);
  await created.getByRole('button', { name: 'and 3 more' }).click();
  await expect(created).toHaveCount(4);
  await expect(page.getByRole('navigation', { name: 'Pagination' })).toHaveText(/1–5 of 5(?!, in)/);

  await page.setViewportSize({ width: 1280, height: 800 });
  const rows = page.getByRole('table').getByRole('row');
  await expect(rows.filter({ hasText: 'added domain' })).toHaveCount(1);
  await page.getByRole('combobox', { name: 'Kind' }).click();
  await page.getByRole('option', { name: 'Aliases' }).click();
  await expect(page).toHaveURL(/kind=alias/);
  await expect(rows.filter({ hasText: 'added domain' })).toHaveCount(0);
  await expect(created.first()).toBeVisible();
  await check();
});

test('sends between changes are one row, which unfolds, and changes can be shown without them', async ({
  signedIn: page,
  api,
  check,
}) => {
  const domain = await makeDomain(api);
  await api.call('PATCH', `/domains/${domain.id}`, { description: 'For the shop' });
  await sendMessage(api, domain);
  await sendMessage(api, domain);
  await api.call('PATCH', `/domains/${domain.id}`, { description: 'For the office' });
  await page.goto(`${url()}/audit?domain=${domain.id}`);
  await expect(entriesOf(page)).toHaveText([
    /^\d\d:\d\d:\d\d.*changed the description/,
    /^\d\d:\d\d:\d\d.* sent 2 messages since \d\d:\d\d/,
    /^\d\d:\d\d:\d\d.*changed the description/,
  ]);
  await expect(page.getByRole('rowheader')).toHaveText(/^\d{1,2} \w+ \d{4}, /);
  await expect(page.getByRole('table')).not.toContainText('Success');
  await check();
  await page.getByRole('button', { name: '2 messages' }).press('Enter');
  await expect(entriesOf(page).filter({ hasText: 'sent message' })).toHaveCount(2);
  await expect(entriesOf(page).nth(1).getByRole('button')).toBeFocused();
  await page.getByRole('radio', { name: 'Changes' }).click();
  await expect(page).toHaveURL(/show=changes/);
  await expect(entriesOf(page)).toHaveText([/changed the description/, /changed the description/]);
  await page.goto(`${url()}/audit?domain=${domain.id}&kind=message`);
  await expect(entriesOf(page)).toHaveText([/sent message/, /sent message/]);
});

test('marks a dry run, which changes nothing', async ({ signedIn: page, api, domain, check }) => {
  const csv = `source_local_part,destination\n${unique()},ann@far.example`;
  await api.call('POST', '/aliases/import', { domain_id: domain.id, csv, dry_run: true });
  await api.call('POST', '/aliases/import', { domain_id: domain.id, csv });
  await page.goto(`${url()}/audit?domain=${domain.id}&action=alias.import`);
  await expect(page.getByRole('row', { name: 'imported 1 alias' })).toHaveCount(1);
  const dryRun = page.getByRole('row', { name: 'did a dry run: import 1 alias' });
  await expect(dryRun.getByText('Dry run', { exact: true })).toBeVisible();
  await expect(page.getByText('Dry run', { exact: true })).toHaveCount(1);
  await dryRun.getByRole('button').click();
  await expect(page.getByRole('complementary').getByText('Dry run', { exact: true })).toBeVisible();
  await check();
});

test('lets a super admin verify the chain and export all entries', async ({ signedIn: page, api, sql, check }) => {
  await createDomain(api);
  await expect
    .poll(async () => (await sql('SELECT count(*)::int AS open FROM audit_entry WHERE seq IS NULL'))[0]?.open)
    .toBeLessThan(50);
  await page.goto(`${url()}/audit`);
  await page.getByRole('button', { name: 'Verify chain' }).click();
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

test('the filters of the log stay where they are at 360 px, and a domain admin sees entries of assigned domains only, without export and verification', async ({
  page,
  api,
  makeAdmin,
  check,
}) => {
  const [own, foreign] = [await createDomain(api), await createDomain(api)];
  await page.context().addCookies([{ name: TIME_ZONE_COOKIE, value: 'UTC', url: url() }]);
  await page.setViewportSize({ width: 360, height: 740 });
  await countShifts(page);
  for (const role of ['super_admin', 'domain_admin'] as const) {
    await test.step(role, async () => {
      await useSession(page, (await makeAdmin(role, role === 'domain_admin' ? [own] : [])).cookie);
      await page.goto(`${url()}/audit`);
      await settled(page);
      await expect(page.getByRole('button', { name: 'Export' })).toHaveCount(role === 'super_admin' ? 1 : 0);
      expect(await shifts(page)).toEqual([]);
      await check();
    });
  }
  const [title, filter] = [page.getByRole('heading', { name: 'Audit log' }), page.getByLabel('Search entries')];
  const between = ((await filter.boundingBox())?.y ?? 0) - ((await title.boundingBox())?.y ?? 0);
  expect(between).toBeLessThan(80);
  await expect(entriesOf(page)).toHaveCount(1);
  await expect(page.getByRole('button', { name: `added domain ${own.name}` })).toBeVisible();
  await expect(page.getByText(foreign.name)).toHaveCount(0);
  await expect(page.getByRole('button', { name: /Export|Verify/ })).toHaveCount(0);
});
