import { readFile } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';
import { failProcedure, REQUEST_ID } from '../../support/faults';
import { fillMoment } from '../../support/fill-moment';
import { alertWith, expect, makeDomain, sendMessage, test, unique, url, useSession } from '../../support/fixtures';

test('search and filters find a message, are in the URL, survive a reload and can be cleared', async ({
  signedIn: page,
  api,
  domain,
  check,
  checkState,
}) => {
  const [one, two] = [unique('Parcel '), unique('Letter ')];
  const to = `${unique('ann')}@far.example`;
  await sendMessage(api, domain, { subject: one, to: [{ email: to }] });
  await sendMessage(api, domain, { subject: two });
  await page.goto(`${url()}/messages?domain=${domain.id}`);
  await expect(page.getByRole('row', { name: one })).toBeVisible();
  await page.getByLabel('Search messages').fill(to);
  await expect(page.getByRole('row')).toHaveCount(2);
  await expect(page.getByRole('row', { name: one })).toBeVisible();

  await page.getByRole('button', { name: 'Filters', exact: true }).click();
  const filters = page.getByRole('dialog', { name: 'Filters' });
  await filters.getByRole('combobox', { name: 'Status' }).click();
  await page.getByRole('option', { name: 'Delivered' }).click();
  await filters.getByLabel('From (exact address)').fill(`orders@${domain.name}`);
  await checkState();
  await filters.getByRole('button', { name: 'Show messages' }).click();
  await page.getByRole('button', { name: 'Period any' }).click();
  await page.getByRole('menuitem', { name: 'Last 24 hours' }).click();
  await expect(page).toHaveURL(/status=delivered/);
  await expect(page).toHaveURL(/since=24h/);
  await page.getByRole('button', { name: 'Period last 24 hours' }).click();
  await page.getByRole('menuitem', { name: 'Custom range…' }).click();
  const range = page.getByRole('dialog', { name: 'Custom range' });
  await fillMoment(range, 'From', '2025-03-01T10:00');
  await fillMoment(range, 'To', '2025-03-01T09:00');
  await expect(range.getByRole('button', { name: 'Show range' })).toBeDisabled();
  await fillMoment(range, 'To', '2025-03-02T09:00');
  await checkState();
  await range.getByRole('button', { name: 'Show range' }).click();
  await expect(page).toHaveURL(/since=2025-.*until=2025-/);
  await expect(page.getByRole('row', { name: one })).toHaveCount(0);
  await page.getByRole('button', { name: 'Period custom' }).click();
  await page.getByRole('menuitem', { name: 'Last 24 hours' }).click();
  await expect(page.getByRole('row', { name: one })).toBeVisible();
  await expect(page).not.toHaveURL(/until/);

  await page.reload();
  await expect(page.getByLabel('Search messages')).toHaveValue(to);
  await expect(page.getByRole('button', { name: /^Delivered/ })).toHaveAttribute('aria-pressed', 'true');
  await expect(page.getByRole('button', { name: 'Period last 24 hours' })).toBeVisible();
  await expect(page.getByRole('row', { name: one })).toBeVisible();
  await expect(page.getByRole('row', { name: two })).toHaveCount(0);
  await check();

  await page.getByRole('button', { name: /^Failed/ }).click();
  await expect(page.getByRole('heading', { name: 'No matching messages' })).toBeVisible();
  await check();
  await page.getByRole('button', { name: 'Clear filters' }).last().click();
  await expect(page).toHaveURL(`${url()}/messages`);
  await expect(page.getByLabel('Search messages')).toHaveValue('');
  await expect(page.getByRole('row').nth(1)).toBeVisible();
});

test('shows tags and metadata, and finds the messages with a tag', async ({
  signedIn: page,
  api,
  domain,
  check,
  checkState,
}) => {
  const [tag, subject] = [unique('t'), unique('Parcel ')];
  const labels = { tags: { kind: tag, plan: 'pro' }, metadata: { order: 1042 } };
  await sendMessage(api, domain, { subject, ...labels });
  await sendMessage(api, domain, { subject: unique('Letter ') });
  await page.goto(`${url()}/messages?domain=${domain.id}`);
  await page.getByRole('button', { name: 'Filters', exact: true }).click();
  const filters = page.getByRole('dialog', { name: 'Filters' });
  await filters.getByLabel('Tag (name:value)').fill(`kind:${tag}`);
  await check();
  await filters.getByRole('button', { name: 'Show messages' }).click();
  await expect(page.getByRole('row')).toHaveCount(2);
  await page.getByRole('row', { name: subject }).getByRole('link').click();
  const peek = page.getByRole('complementary', { name: `Message: ${subject}` });
  await expect(peek.getByText('"order": 1042')).toBeVisible();
  await checkState();
  await peek.getByRole('link', { name: 'Open full page' }).click();
  await page
    .getByRole('main')
    .getByRole('link', { name: `kind: ${tag}` })
    .click();
  await expect(page).toHaveURL(`${url()}/messages?tag=kind%3A${tag}`);
  await expect(page.getByRole('row', { name: subject })).toBeVisible();
  await check();
});

test('exports the messages that the list shows, and says what went wrong if it can’t', async ({
  signedIn: page,
  api,
  domain,
  check,
}) => {
  const word = unique('Parcel');
  for (const nth of ['one', 'two', 'three']) await sendMessage(api, domain, { subject: `${word} ${nth}` });
  await sendMessage(api, domain, { subject: unique('Letter') });
  await page.goto(`${url()}/messages?q=${word}&order=asc`);
  await expect(page.getByRole('row')).toHaveCount(4);
  const shown = await page.locator('tbody').getByRole('link', { name: word }).allInnerTexts();
  const started = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export CSV' }).click();
  const download = await started;
  await expect(page.getByRole('status').filter({ hasText: 'Exported messages' })).toBeVisible();
  expect(download.suggestedFilename()).toMatch(/^messages-\d{4}-\d\d-\d\d\.csv$/);
  const rows: { subject: string }[] = parse(await readFile(await download.path()), { columns: true });
  expect(rows.map(({ subject }) => subject)).toEqual(shown);
  expect(shown).toHaveLength(3);
  await check();

  const error = { code: 'SERVICE_UNAVAILABLE', message: 'The database isn’t responding.', details: {} };
  await page.route('**/api/v1/messages/export*', (route) =>
    route.fulfill({ status: 503, json: { data: null, error, meta: { request_id: REQUEST_ID } } }),
  );
  await page.getByRole('button', { name: 'Export CSV' }).click();
  const failure = page.getByRole('alert').filter({ hasText: 'Couldn’t export messages' });
  await expect(failure).toContainText(`SERVICE_UNAVAILABLE, request ${REQUEST_ID}`);
  await page.route('**/api/v1/messages/export*', (route) => route.fulfill({ status: 504, body: '<h1>nginx</h1>' }));
  await page.getByRole('button', { name: 'Export CSV' }).click();
  await expect(failure.filter({ hasText: 'A proxy in front of Postroom answered with 504.' })).toBeVisible();
  await check();
});

test('a part of an address, a domain or a subject finds messages, and the counts follow', async ({
  signedIn: page,
  api,
  domain,
  check,
}) => {
  const [name, word] = [unique('harbour'), unique('Parcel')];
  await sendMessage(api, domain, { to: [{ email: `ada@${name}.example` }] });
  await sendMessage(api, domain, { subject: `${word} for you` });
  await sendMessage(api, domain, { cc: [{ email: `bo.${name}@far.example` }] });
  await page.goto(`${url()}/messages`);
  const search = page.getByLabel('Search messages');
  const all = page.getByRole('group', { name: /^Status/ }).getByRole('button', { name: /^All/ });
  await expect(all).toHaveAccessibleName(/^All last 24 hours [\d,]+(, .+)?$/);
  for (const [text, found] of [
    [name.slice(2), 2],
    [`@${name}.ex`, 1],
    [`bo.${name}@`, 1],
    [word.toLowerCase(), 1],
  ] as const) {
    await search.fill(text);
    await expect(all).toHaveAccessibleName(`All retained ${found}`);
    await expect(page.getByRole('row')).toHaveCount(found + 1);
  }
  await check();
  await page.getByRole('button', { name: 'Period any' }).click();
  await page.getByRole('menuitem', { name: 'Last hour' }).click();
  await expect(all).toHaveAccessibleName('All in this period 1');
  await search.fill(unique('nothing'));
  await expect(page.getByRole('heading', { name: 'No matching messages' })).toBeVisible();
  await expect(all).toHaveAccessibleName('All in this period 0');
  await check();
});

test('a period moves on with the time, and its pages belong together', async ({ signedIn: page, api, sql }) => {
  const domain = await makeDomain(api);
  await sql(
    `INSERT INTO message (id, message_id, domain_id, direction, from_address, to_addresses, subject, size_bytes, status, updated_at)
     SELECT gen_random_uuid(), n::text, $1::uuid, 'outbound', 'shop@post.example', '{}', 'Parcel ' || n, 100, 'sent', now()
       FROM generate_series(1, 60) AS n`,
    [domain.id],
  );
  await page.clock.install();
  await page.goto(`${url()}/messages?domain=${domain.id}&since=24h`);
  const pages = page.getByRole('navigation', { name: 'Pagination' });
  await expect(pages).toContainText('1–50 of 60');
  await pages.getByRole('button', { name: 'Older' }).click();
  await expect(pages).toContainText('51–60 of 60');
  await page.clock.fastForward('10:00');
  await page.reload();
  await expect(pages).toContainText('51–60 of 60');
  await page.getByRole('button', { name: 'Period last 24 hours' }).click();
  await page.getByRole('menuitem', { name: 'Last 7 days' }).click();
  await expect(pages).toContainText('1–50 of 60');
  await expect(page).toHaveURL(/since=7d/);
});

test('the peek opens next to the list, steps through the messages, also by single keys, and restores focus when closed', async ({
  signedIn: page,
  api,
  check,
}) => {
  const domain = await makeDomain(api);
  const subjects = [unique('First '), unique('Second '), unique('Third ')];
  for (const subject of subjects) await sendMessage(api, domain, { subject });
  const [first, second, third] = subjects as [string, string, string];
  await page.goto(`${url()}/messages?domain=${domain.id}`);
  const peek = page.getByRole('complementary', { name: /^Message/ });
  const last = page.getByRole('link', { name: first });
  await page.getByRole('link', { name: third }).hover();
  const place = await last.boundingBox();
  await page.getByRole('link', { name: third }).click();
  await expect(peek.getByRole('heading', { name: third })).toBeVisible();
  expect((await last.boundingBox())?.y).toBe(place?.y);
  await expect(page).toHaveURL(/peek=/);
  await expect(peek.getByText('1 of 3')).toBeVisible();
  await expect(peek.getByRole('button', { name: 'Previous message' })).toBeDisabled();
  await check();

  await peek.getByRole('button', { name: 'Next message' }).click();
  await expect(peek.getByRole('heading', { name: second })).toBeVisible();
  await peek.getByRole('button', { name: 'Next message' }).click();
  await expect(peek.getByRole('heading', { name: first })).toBeVisible();
  await expect(peek.getByRole('button', { name: 'Next message' })).toBeDisabled();
  await peek.getByRole('button', { name: 'Previous message' }).click();
  await expect(peek.getByRole('heading', { name: second })).toBeVisible();

  await page.reload({ waitUntil: 'networkidle' });
  await expect(peek.getByRole('heading', { name: second })).toBeVisible();
  await peek.getByRole('button', { name: 'Close' }).click();
  await expect(peek).toHaveCount(0);
  await expect(page.getByRole('link', { name: second })).toBeFocused();
  await expect(page).not.toHaveURL(/peek=/);

  await test.step('single keys', async () => {
    const linkOf = (subject: string) => page.getByRole('link', { name: subject });
    await linkOf(third).focus();
    await page.keyboard.press('j');
    await expect(linkOf(second)).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(peek.getByRole('heading', { name: second })).toBeVisible();
    await page.keyboard.press('j');
    await expect(peek.getByRole('heading', { name: first })).toBeVisible();
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    await expect(peek.getByRole('heading', { name: second })).toBeVisible();
    await expect(peek).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(peek).toHaveCount(0);
    await expect(linkOf(second)).toBeFocused();

    await page.keyboard.press('Enter');
    await expect(peek).toBeFocused();
    await linkOf(first).focus();
    await page.keyboard.press('k');
    await expect(peek.getByRole('heading', { name: third })).toBeVisible();
    await expect(peek).toBeFocused();
    await linkOf(first).focus();
    await page.keyboard.press('Escape');
    await expect(linkOf(third)).toBeFocused();
  });

  await page.getByRole('link', { name: second }).press('Enter');
  await expect(peek).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('link', { name: second })).toBeFocused();

  await page.keyboard.press('Enter');
  await peek.getByRole('link', { name: 'Open full page' }).click();
  await expect(page.getByRole('main').getByRole('heading', { name: second, level: 1 })).toBeVisible();
});

test('an empty list explains what appears here and links to a test message', async ({
  page,
  api,
  makeAdmin,
  check,
}) => {
  const { cookie } = await makeAdmin('domain_admin', [await makeDomain(api)]);
  await useSession(page, cookie);
  await page.goto(`${url()}/messages`);
  await expect(page.getByRole('heading', { name: 'No messages yet' })).toBeVisible();
  await check();
  await page.getByRole('link', { name: 'Send test message' }).click();
  await expect(page.getByLabel('Subject')).toHaveValue('Test from Postroom');
});

test('a list without messages of the last day says so, and shows the older ones', async ({
  page,
  api,
  sql,
  makeAdmin,
  check,
}) => {
  const domain = await makeDomain(api);
  await sql(
    `INSERT INTO message (id, message_id, domain_id, direction, from_address, to_addresses, subject, size_bytes, status,
                          created_at, updated_at)
     VALUES (gen_random_uuid(), $2, $1, 'outbound', 'shop@post.example', '{}', 'Older parcel', 100, 'delivered',
             now() - interval '3 days', now())`,
    [domain.id, unique()],
  );
  const { cookie } = await makeAdmin('domain_admin', [domain]);
  await useSession(page, cookie);
  await page.goto(`${url()}/messages`);
  await expect(page.getByRole('heading', { name: 'No messages in the last 24 hours' })).toBeVisible();
  await check();
  await page.getByRole('button', { name: 'Show older messages' }).click();
  await expect(page.getByRole('row', { name: 'Older parcel' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Period any' })).toBeVisible();
});

test('a list that fails to load shows the error code and request id, and can be retried', async ({
  signedIn: page,
  api,
  domain,
  check,
}) => {
  const subject = unique('Here again ');
  await sendMessage(api, domain, { subject });
  const restore = await failProcedure(page, 'messages.list', {
    status: 500,
    code: 'INTERNAL_ERROR',
    message: 'Something went wrong.',
  });
  await page.goto(`${url()}/messages`);
  const alert = page.getByRole('alert').filter({ hasText: 'Couldn’t load messages' });
  await expect(alert).toContainText('INTERNAL_ERROR (500)');
  await expect(alert).toContainText(REQUEST_ID);
  await check();

  await restore();
  await alert.getByRole('button', { name: 'Retry', exact: true }).click();
  await expect(page.getByRole('row', { name: subject })).toBeVisible();
  await check();
});

test('a message out of scope shows an error and a link back to the list', async ({ signedIn: page, check }) => {
  for (const id of ['01a1fc2e-7c5e-77e9-8b47-7ed1e0f6aa07', 'garbage']) {
    await page.goto(`${url()}/messages?peek=${id}`);
    await expect(alertWith(page, 'There is no such message')).not.toContainText('UUID');
    await page.goto(`${url()}/messages/${id}`);
    await expect(alertWith(page, 'NOT_FOUND (404)')).toBeVisible();
  }
  await page.getByRole('link', { name: 'All messages' }).click();
  await expect(page.getByRole('heading', { name: 'Messages' })).toBeVisible();
  await check();
});
