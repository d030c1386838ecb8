import { readFile } from 'node:fs/promises';
import {
  type Api,
  type Domain,
  expect,
  makeDomain,
  openSend,
  sendMessage,
  test,
  unique,
  url,
  useSession,
} from '../support/fixtures';

type Suppression = { id: string; email: string };

const suppress = (api: Api, domain: Domain | null, email: string, over: object = {}) =>
  api.call<Suppression>('POST', '/suppressions', { domain_id: domain?.id ?? null, email, ...over });

test('suppresses an address, finds it, and deletes it with a warning', async ({ signedIn: page, api, check }) => {
  const domain = await makeDomain(api);
  await page.goto(`${url()}/suppressions?domain=${domain.id}`);
  await expect(page.getByText(`No suppressions for ${domain.name} yet`)).toBeVisible();
  await check();
  await page.getByRole('button', { name: 'Suppress address' }).first().click();
  const form = page.getByRole('dialog', { name: 'Suppress address' });
  await form.getByLabel('Address').fill('ann');
  await form.getByRole('button', { name: 'Suppress address' }).click();
  await expect(form.getByLabel('Address')).toHaveAccessibleDescription(/Enter an email address/);
  await form.getByLabel('Address').fill('Ann+News@far.example');
  await form.getByLabel('Note (optional)').fill('Asked by phone');
  await form.getByLabel('Mailing list (optional)').fill('News');
  await form.getByRole('button', { name: 'Suppress address' }).click();
  await expect(form.getByLabel('Mailing list (optional)')).toHaveAccessibleDescription(/lower-case letters/);
  await form.getByLabel('Mailing list (optional)').fill('');
  await check();
  await form.getByRole('button', { name: 'Suppress address' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'Suppressed ann@far.example' })).toBeVisible();
  const row = page.getByRole('row').filter({ hasText: 'ann@far.example' });
  await expect(row).toContainText('Added by hand');
  await expect(row).toContainText('Asked by phone');
  await expect(row).toContainText(domain.name);

  await suppress(api, domain, 'bo@far.example', { reason: 'unsubscribe' });
  await page.getByRole('radio', { name: 'Unsubscribed' }).click();
  await expect(page.getByRole('row').filter({ hasText: 'bo@far.example' })).toBeVisible();
  await expect(row).toHaveCount(0);
  await page.getByRole('radio', { name: 'All' }).click();
  await page.getByRole('textbox', { name: 'Filter by address' }).fill('ANN@far');
  await expect(page.getByRole('row')).toHaveCount(2);
  await check();
  await row.getByRole('button', { name: 'Actions for ann@far.example, Added by hand' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  const confirm = page.getByRole('dialog', { name: 'Send to ann@far.example again' });
  await expect(confirm).toContainText('Added by hand on');
  await expect(confirm).toContainText(`Takes effect with the next message of ${domain.name}.`);
  await check();
  await confirm.getByRole('button', { name: 'Delete suppression' }).click();
  await expect(
    page.getByRole('status').filter({ hasText: 'Deleted the suppression of ann@far.example' }),
  ).toBeVisible();
  await expect(row).toHaveCount(0);
});

test('deletes several suppressions at once, with what to consider, and says what came back and changed nothing', async ({
  signedIn: page,
  api,
  check,
}) => {
  const domain = await makeDomain(api);
  const detail = (email: string) => `550 5.1.1 <${email}>: Recipient address rejected: User unknown`;
  for (const email of ['ann@far.example', 'bo@far.example', 'cem@far.example']) {
    await suppress(api, domain, email, { reason: 'bounce', detail: detail(email) });
  }
  await api.sql(
    `INSERT INTO dropped_bounce (id, domain_id, reason, count, last_at)
     VALUES (gen_random_uuid(), $1, 'unreadable', 1, now()), (gen_random_uuid(), $1, 'forged', 4, now()),
            (gen_random_uuid(), $1, 'answer', 7, now()), (gen_random_uuid(), $1, 'no_message', 3, now() - interval '8 days')`,
    [domain.id],
  );
  await api.sql(
    `INSERT INTO unread_bounce (id, domain_id, address, size_bytes, raw, received_at)
     VALUES (gen_random_uuid(), $1, 'x', 1, '\\x00', now())`,
    [domain.id],
  );
  await page.goto(`${url()}/suppressions?domain=${domain.id}`);
  const row = (email: string) => page.getByRole('row').filter({ hasText: email });
  await expect(row('ann@far.example').getByText('5.1.1 User unknown', { exact: true })).toBeVisible();
  await row('ann@far.example').getByRole('checkbox').check();
  await row('bo@far.example').getByRole('checkbox').check();
  const bar = page.getByRole('group', { name: 'Selected suppressions' });
  await expect(bar).toContainText('2 selected');
  await check();
  await bar.getByRole('button', { name: 'Delete' }).click();
  const dialog = page.getByRole('dialog', { name: 'Send to 2 addresses again' });
  await expect(dialog).toContainText('Bounced: 2.');
  await check();
  await dialog.getByRole('button', { name: 'Delete suppressions' }).click();
  const done = page.getByRole('status').filter({ hasText: 'Deleted the suppression of 2 addresses' });
  await expect(done).toBeVisible();
  await expect(row('far.example')).toHaveCount(1);
  await expect(bar).toHaveCount(0);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(row('far.example')).toHaveCount(3);

  await api.sql(
    `INSERT INTO suppression (id, domain_id, email, reason)
     SELECT gen_random_uuid(), $1, n || '@incident.example', 'bounce' FROM generate_series(1, 60) AS n`,
    [domain.id],
  );
  await page.getByRole('textbox', { name: 'Filter by address' }).fill('incident.example');
  await expect(row('incident.example')).toHaveCount(50);
  await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
  await bar.getByRole('button', { name: 'Delete all that match…' }).click();
  const all = page.getByRole('dialog', { name: 'Delete 60 suppressions' });
  await check();
  await all.getByRole('button', { name: 'Delete suppressions' }).click();
  await expect(page.getByText('Deleted 60 suppressions')).toBeVisible();
  await expect(row('incident.example')).toHaveCount(0);
  await page.getByRole('textbox', { name: 'Filter by address' }).fill('');
  await expect(row('far.example')).toHaveCount(3);

  await expect(page.getByText('5 bounces and complaints couldn’t be matched to a message')).toBeVisible();
  await expect(page.getByText(`4 for ${domain.name}: the signature of the bounce address is invalid.`)).toBeVisible();
  await expect(page.getByText('Kept for a day:').getByRole('link')).toHaveAttribute(
    'href',
    /\/unread-bounces\/.*\/raw$/,
  );
});

test('a bounce suppresses the address; the trace of the next message says so, and leads there', async ({
  signedIn: page,
  api,
  check,
}) => {
  const domain = await makeDomain(api);
  const email = `${unique('nobody')}@bounce.test`;
  await sendMessage(api, domain, { to: [{ email }] });
  await expect
    .poll(() => api.call<Suppression[]>('GET', `/suppressions?domain_id=${domain.id}`))
    .toMatchObject([{ email, reason: 'bounce' }]);
  const subject = unique('Again ');
  const { id } = await sendMessage(api, domain, { subject, to: [{ email }, { email: 'ann@far.example' }] });
  await page.goto(`${url()}/messages/${id}`);
  const trace = page.getByRole('main');
  await expect(trace).toContainText('Left out: recipient suppressed');
  await check();
  await trace.getByRole('link', { name: 'show suppression' }).click();
  await expect(page).toHaveURL(/\/suppressions\?q=/);
  const row = page.getByRole('row').filter({ hasText: email });
  await expect(row).toContainText('Bounced');
  await row.getByRole('button', { name: `Actions for ${email}, Bounced` }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  const confirm = page.getByRole('dialog', { name: `Send to ${email} again` });
  await expect(confirm).toContainText('the receiving server answered that this address doesn’t exist');
  await expect(confirm).toContainText('550 5.1.1');
  await check();
  await confirm.getByRole('button', { name: 'Cancel' }).click();
  await row.getByRole('button', { name: `Actions for ${email}, Bounced` }).click();
  await page.getByRole('menuitem', { name: 'Show message' }).click();
  await expect(page).toHaveURL(/\/messages\/[0-9a-f-]+$/);
});

test('the result of a send says who was left out, and an error that nobody was left', async ({
  signedIn: page,
  api,
  check,
}) => {
  const domain = await makeDomain(api);
  await suppress(api, domain, 'ann@far.example');
  const compose = async (to: string[]) => {
    const fields = new URLSearchParams([
      ['from', `shop@${domain.name}`],
      ['subject', unique('Hello ')],
      ...to.map((each) => ['to', each]),
    ]);
    await openSend(page, `/send?${fields}`);
    await page.getByLabel('Text body').fill('Hi');
    await page.getByRole('button', { name: 'Send message' }).click();
  };
  await compose(['ann@far.example', 'bo@far.example']);
  const result = page.getByRole('status', { name: 'Result' });
  await expect(result).toContainText('The mail server accepted the message for bo@far.example.');
  await expect(result).toContainText('Not sent to ann@far.example: this address is suppressed.');
  await check();
  await compose(['ann@far.example']);
  await expect(page.getByText('ann@far.example is suppressed (manual). The message was not sent.')).toBeVisible();
});

test('imports addresses for all domains, and exports what is shown', async ({ signedIn: page, api, sql, check }) => {
  const name = unique('import');
  await suppress(api, null, `same-${name}@far.example`);
  await page.goto(`${url()}/suppressions?import=true`);
  const dialog = page.getByRole('dialog', { name: 'Import suppressions' });
  const searched = page.waitForResponse((response) => response.url().includes('domains.list'));
  await dialog.getByRole('combobox', { name: 'Domain' }).fill('All');
  await searched;
  await page.getByRole('option', { name: 'All domains' }).click();
  await dialog
    .getByLabel('Or paste CSV')
    .fill(`email,reason\nnew-${name}@far.example,complaint\nsame-${name}@far.example,\nnonsense,`);
  await dialog.getByRole('button', { name: 'Preview import' }).click();
  await expect(dialog.getByRole('status')).toHaveText(
    '1 new suppression, 1 unchanged, 1 error. Nothing has been imported yet.',
  );
  await check();
  await dialog.getByRole('button', { name: 'Import 1 suppression' }).click();
  await page.getByRole('dialog', { name: '1 line not imported' }).getByRole('button', { name: 'Close' }).last().click();
  await page.getByRole('textbox', { name: 'Filter by address' }).fill(name);
  await expect(page.getByRole('row')).toHaveCount(3);
  await page.getByRole('button', { name: 'Import / export' }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: 'Export shown' }).click(),
  ]);
  const csv = await readFile((await download.path()) as string, 'utf8');
  expect(csv.trim().split(/\r?\n/)).toHaveLength(3);
  expect(csv).toContain(`new-${name}@far.example,,complaint`);
  await sql('DELETE FROM suppression WHERE domain_id IS NULL');
});

test('imports the bounces of another service, with one reason for all', async ({ signedIn: page, api, check }) => {
  const domain = await makeDomain(api);
  await page.goto(`${url()}/suppressions?import=true&domain=${domain.id}`);
  const dialog = page.getByRole('dialog', { name: 'Import suppressions' });
  await expect(dialog.getByRole('combobox', { name: 'Domain' })).toHaveValue(domain.name);
  await dialog
    .getByLabel('Or paste CSV')
    .fill('status,reason,email,created\n5.1.1,550 No such user,ed@far.example,1693526400');
  await dialog.getByRole('button', { name: 'Preview import' }).click();
  await expect(dialog.getByRole('status')).toContainText('1 error');
  await dialog.getByRole('combobox', { name: 'Reason of addresses without one' }).click();
  await page.getByRole('option', { name: 'Bounced' }).click();
  await dialog.getByRole('button', { name: 'Preview import' }).click();
  await dialog.getByRole('button', { name: 'Import 1 suppression' }).click();
  await expect(page.getByRole('row').filter({ hasText: 'ed@far.example' })).toContainText('Bounced');
  await check();
});

test('a domain admin suppresses addresses for an assigned domain only', async ({ page, api, makeAdmin, check }) => {
  const domain = await makeDomain(api);
  await suppress(api, null, 'global@far.example');
  const { cookie } = await makeAdmin('domain_admin', [domain]);
  await useSession(page, cookie);
  await page.goto(`${url()}/suppressions?new=true`);
  const form = page.getByRole('dialog', { name: 'Suppress address' });
  await form.getByLabel('Address').fill('ann@far.example');
  await form.getByRole('combobox', { name: 'Applies to' }).click();
  await expect(page.getByRole('option', { name: 'All domains' })).toHaveCount(0);
  await page.getByRole('option', { name: domain.name }).click();
  await form.getByRole('button', { name: 'Suppress address' }).click();
  await expect(page.getByRole('row').filter({ hasText: 'ann@far.example' })).toContainText(domain.name);
  await expect(page.getByRole('row').filter({ hasText: 'global@far.example' })).toHaveCount(0);
  await check();
});

test('the link of a message unsubscribes without a script or a session, and is counted', async ({
  signedIn: page,
  api,
  browser,
  check,
}) => {
  const domain = await makeDomain(api);
  const { id } = await sendMessage(api, domain, { unsubscribe: { list: 'newsletter' } });
  type Content = { headers: { name: string; value: string }[] };
  const content = () => api.call<Content>('GET', `/messages/${id}/content`).catch(() => null);
  await expect.poll(content).not.toBeNull();
  const field = (await content())?.headers.find(({ name }) => name === 'List-Unsubscribe')?.value ?? '';
  const [path = ''] = /\/unsubscribe\/[\w-]+/.exec(field) ?? [];
  const context = await browser.newContext({ javaScriptEnabled: false, locale: 'de-DE' });
  const other = await context.newPage();
  await other.goto(`${url()}${path}`);
  await expect(other.getByRole('heading', { name: 'Abmelden' })).toBeVisible();
  await other.getByRole('button', { name: 'Abmelden' }).click();
  await expect(other.getByRole('button', { name: 'Wieder anmelden' })).toBeVisible();
  await context.close();
  await page.goto(`${url()}/suppressions?domain=${domain.id}`);
  await expect(page.getByRole('row').filter({ hasText: 'Unsubscribed: newsletter' })).toBeVisible();
  await check();
  await page.goto(`${url()}/analytics?domain=${domain.id}`);
  const figure = page.getByRole('term').filter({ hasText: 'Unsubscribed' });
  await expect(figure.locator('..').getByRole('link')).toHaveText('1');
  await page.goto(`${url()}/messages/${id}`);
  await expect(page.getByText('The recipient unsubscribed')).toBeVisible();
  await check();
});
