import { randomUUID } from 'node:crypto';
import { answerProcedure, withoutMailServer } from '../support/faults';
import { alertWith, expect, makeDomain, test, unique, url } from '../support/fixtures';

test.beforeEach(({ page }) => withoutMailServer(page));

test('adds a pasted list of domains and keeps those that are refused with the reasons, and adds one, with server errors on its field', async ({
  signedIn: page,
  api,
  domain,
  check,
}) => {
  const [one, two] = [`${unique('one')}.example`, `${unique('two')}.example`];
  await page.goto(`${url()}/domains`);
  await page.getByRole('button', { name: 'Add several' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add several domains' });
  const field = dialog.getByRole('textbox', { name: 'Domains' });
  await field.fill(`${one}\n${domain.name}, ${two.toUpperCase()};not_a_domain\n${one}\n`);
  await dialog.getByRole('button', { name: 'Add 4 domains' }).click();
  await expect(page.getByText('Added 2 domains')).toBeVisible();
  const refused = dialog.getByRole('status', { name: 'Not added' });
  await expect(refused).toContainText('2 domains not added');
  await expect(refused).toContainText('This domain already exists.');
  await expect(refused).toContainText('Enter a domain name');
  await expect(field).toHaveValue(`${domain.name}\nnot_a_domain`);
  await check();

  const three = `${unique('three')}.example`;
  await field.fill(three);
  await dialog.getByRole('button', { name: 'Add 1 domain' }).click();
  await expect(dialog).toHaveCount(0);
  for (const name of [one, two, three])
    expect(await api.call<unknown[]>('GET', `/domains?q=${name.toLowerCase()}`)).toHaveLength(1);

  await page.getByRole('button', { name: 'Add domain' }).click();
  const single = page.getByRole('dialog', { name: 'Add domain' });
  const name = single.getByRole('textbox', { name: 'Domain' });
  const add = single.getByRole('button', { name: 'Add domain' });
  await add.click();
  await expect(name).toHaveAccessibleDescription(/Enter a domain/);

  await name.fill(domain.name.toUpperCase());
  await add.click();
  await expect(name).toHaveAccessibleDescription(/already/);
  await expect(name).toHaveValue(domain.name.toUpperCase());
  await check();

  await name.fill('not a domain');
  await add.click();
  await expect(name).toHaveAccessibleDescription(/Enter a domain name/);

  const added = `${unique('Added')}.example`;
  await name.fill(added);
  await single.getByLabel('Description').fill('For the newsletter');
  await add.click();
  await expect(page.getByRole('heading', { name: added.toLowerCase() })).toBeVisible();
  await page.getByRole('tab', { name: 'Settings' }).click();
  await expect(page.getByLabel('Description')).toHaveValue('For the newsletter');
  await check();
});

test('shows the state of DNS, and lists the domains whose records need a fix', async ({
  signedIn: page,
  api,
  sql,
  check,
}) => {
  const [broken, complete] = [await makeDomain(api), await makeDomain(api)];
  const set = (id: string, status: string) =>
    sql("UPDATE domain SET dns_status = $2::dns_status, next_dns_check_at = '2100-01-01' WHERE id = $1", [id, status]);
  await set(broken.id, 'error');
  await set(complete.id, 'ok');
  await answerProcedure(page, 'overview.attention', {
    items: [],
    counts: { domains: 2 },
    critical_counts: {},
    open_alerts: 0,
    notifies_nobody: false,
    suspended_mailboxes: 0,
  });
  await page.goto(`${url()}/domains?sort=created_at&order=desc`);
  await expect(page.getByRole('radio', { name: 'DNS problems 2' })).toBeAttached();
  await expect(page.getByRole('row', { name: broken.name })).toContainText('Problems');
  await expect(page.getByRole('row', { name: complete.name })).toContainText('Complete');
  await page.getByRole('checkbox', { name: `Select ${broken.name}` }).check();
  const selected = page.getByRole('group', { name: 'Selected domains' });
  await expect(selected.getByRole('button', { name: 'Check DNS' })).toBeVisible();
  await selected.getByRole('button', { name: 'Clear' }).click();
  await page.getByRole('radio', { name: 'DNS problems' }).click();
  await expect(page).toHaveURL(/show=broken/);
  await expect(page.getByRole('row', { name: complete.name })).toHaveCount(0);
  await expect(page.getByRole('row', { name: broken.name })).toBeVisible();
  await check();

  await sql(
    `INSERT INTO dns_record (domain_id, purpose, type, name, position, found, status, severity, required, message, changed_at, checked_at)
     VALUES ($1, 'spf', 'TXT', 'a', 0, '{}', 'missing', 'error', true, '', now(), now())`,
    [broken.id],
  );
  await page.getByRole('link', { name: 'DNS and reports' }).click();
  await expect(page.getByRole('heading', { name: /DNS and reports$/ })).toBeVisible();
  await page.getByLabel('Filter by name').fill(broken.name);
  await expect(page.getByRole('row', { name: broken.name })).toContainText(/Problems.*Missing/);
  await page.getByRole('combobox', { name: 'Problem' }).click();
  await page.getByRole('option', { name: 'Problem with MX' }).click();
  await expect(page.getByRole('heading', { name: 'No matching domains' })).toBeVisible();
  await page.goto(`${url()}/domains/dns?q=${broken.name}&problem=spf`);
  await page.setViewportSize({ width: 360, height: 740 });
  await expect(page.getByRole('row', { name: broken.name })).toContainText('SPF: Missing');
  await check();
});

test('keeps filters and order in the URL across a reload', async ({ signedIn: page, api, check }) => {
  const inactive = await makeDomain(api);
  await api.call('PATCH', `/domains/${inactive.id}`, { active: false });
  await page.goto(`${url()}/domains`);
  await page.getByLabel('Filter by name').fill(inactive.name.slice(0, -8));
  await page.getByRole('radio', { name: 'Inactive', exact: true }).click();
  await page.getByRole('button', { name: 'Added' }).click();
  await expect(page).toHaveURL(/q=d[0-9a-f]+/);
  await expect(page).toHaveURL(/show=inactive/);
  await expect(page).toHaveURL(/sort=created_at/);
  await expect(page.getByRole('row', { name: inactive.name })).toBeVisible();

  await page.reload();
  await expect(page.getByLabel('Filter by name')).toHaveValue(inactive.name.slice(0, -8));
  await expect(page.getByRole('radio', { name: 'Inactive', exact: true })).toBeChecked();
  // The time by which the rows are sorted has no column here.
  await page.setViewportSize({ width: 360, height: 740 });
  await expect(page.getByRole('row', { name: inactive.name }).locator('time')).toBeVisible();
  await page.setViewportSize({ width: 1280, height: 800 });
  await expect(page.getByRole('columnheader', { name: 'Added' })).toHaveAttribute('aria-sort', 'ascending');
  await expect(page.getByRole('row')).toHaveCount(2);
  await check();

  await page.getByRole('radio', { name: 'Active', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'No matching domains' })).toBeVisible();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await page.getByLabel('Filter by name').fill(inactive.name);
  await page.getByRole('link', { name: inactive.name }).click();
  await expect(page.getByRole('heading', { name: inactive.name })).toBeVisible();
  await page.getByRole('tab', { name: 'Settings' }).click();
  await expect(page.getByRole('switch', { name: 'Active' })).not.toBeChecked();
});

test('saves settings, shows server errors on their field, explains the MTA-STS mode and keeps it with the report mailbox', async ({
  signedIn: page,
  api,
  check,
  checkState,
}) => {
  const domain = await makeDomain(api);
  const body = { domain_id: domain.id, local_part: 'reports', password: 'paper boats on the canal' };
  const mailbox = await api.call<{ id: string; email: string }>('POST', '/mailboxes', body);
  await page.goto(`${url()}/domains/${domain.id}?tab=settings`);
  const save = page.getByRole('button', { name: 'Save changes' });
  await expect(save).toBeDisabled();
  await page.getByRole('textbox', { name: 'Mailboxes' }).fill('2000000000');
  await save.click();
  await expect(page.getByRole('textbox', { name: 'Mailboxes' })).toHaveAccessibleDescription(
    /^Enter a whole number of mailboxes from 0 to 1,000,000,000\.$/,
  );
  await check();

  await page.getByRole('textbox', { name: 'Mailboxes' }).fill('40');
  await page.getByRole('textbox', { name: 'Mailbox quota (MB)' }).fill('2048');
  await page.getByRole('switch', { name: 'Active' }).click();
  await save.click();
  await expect(page.getByText('Saved', { exact: true })).toBeVisible();
  expect(await api.call('GET', `/domains/${domain.id}`)).toMatchObject({
    active: false,
    max_mailboxes: 40,
    max_aliases: null,
    default_quota_bytes: 2048 * 1024 * 1024,
  });
  await expect(page.getByRole('textbox', { name: 'Mailboxes' })).toHaveValue('40');
  await check();

  const mode = page.getByRole('combobox', { name: 'MTA-STS mode' });
  await expect(mode).toHaveAccessibleDescription(/deliver without it otherwise/);
  await mode.click();
  await page.getByRole('option', { name: 'Enforce' }).click();
  await expect(page.getByText('A certificate that can’t be verified stops inbound mail')).toBeVisible();
  await page.getByRole('combobox', { name: 'Report mailbox' }).click();
  await page.getByRole('option', { name: mailbox.email }).click();
  const hosts = page.getByRole('combobox', { name: 'Other MX hosts' });
  await hosts.fill('mx.backup.example');
  await hosts.press('Enter');
  await checkState();
  await save.click();
  await expect(save).toBeDisabled();
  await expect(page.getByText('Saved', { exact: true })).toBeVisible();
  const saved = { mta_sts_mode: 'enforce', report_mailbox_id: mailbox.id, other_mx_hosts: ['mx.backup.example'] };
  await expect.poll(() => api.call('GET', `/domains/${domain.id}`)).toMatchObject(saved);
  await expect(page.getByRole('combobox', { name: 'Report mailbox' })).toHaveValue(mailbox.email);
});

test('asks before a link, the palette, Back or closing the tab discards unsaved settings', async ({
  signedIn: page,
  api,
  check,
}) => {
  const domain = await makeDomain(api);
  await page.goto(`${url()}/domains?q=${domain.name}`);
  await page.getByRole('link', { name: domain.name }).click();
  await page.getByRole('tab', { name: 'Settings' }).click();
  const description = page.getByLabel('Description');
  await description.fill('Not saved yet');
  const dialog = page.getByRole('dialog', { name: 'Leave this page?' });
  const stay = async () => {
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await expect(dialog).toBeHidden();
    await expect(description).toHaveValue('Not saved yet');
  };

  const sidebar = page.getByRole('navigation', { name: 'Sections' });
  await sidebar.getByRole('link', { name: 'Messages', exact: true }).click();
  await expect(dialog).toBeVisible();
  await check();
  await stay();

  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: /^Search pages/ }).fill('messages log');
  await page.keyboard.press('Enter');
  await stay();

  await page.evaluate(() => window.history.back());
  await stay();
  await expect(page).toHaveURL(`${url()}/domains/${domain.id}?tab=settings`);
  await page.getByRole('tab', { name: 'DKIM' }).click();
  await stay();
  await expect(page.getByRole('tab', { name: 'Settings' })).toHaveAttribute('aria-selected', 'true');

  const dialogEvent = page.waitForEvent('dialog');
  await page.close({ runBeforeUnload: true });
  const prompt = await dialogEvent;
  expect(prompt.type()).toBe('beforeunload');
  await prompt.dismiss();
  await expect(description).toHaveValue('Not saved yet');

  await page.evaluate(() => window.history.back());
  await dialog.getByRole('button', { name: 'Leave without saving' }).click();
  await expect(page).toHaveURL(`${url()}/domains/${domain.id}`);
  await page.goBack();
  await expect(page).toHaveURL(`${url()}/domains?q=${domain.name}`);
  expect(await api.call('GET', `/domains/${domain.id}`)).toMatchObject({ description: '' });
});

test('shows the domain’s mailboxes and aliases on their tabs', async ({ signedIn: page, api, check }) => {
  const domain = await makeDomain(api);
  await page.goto(`${url()}/domains/${domain.id}?tab=aliases`);
  await expect(page.getByRole('heading', { name: `No aliases in ${domain.name} yet` })).toBeVisible();
  await check();
  const alias = { domain_id: domain.id, source_local_part: 'sales', destination: 'ann@far.example,bo@far.example' };
  await api.call('POST', '/aliases', alias);
  await api.call('POST', '/mailboxes', {
    domain_id: domain.id,
    local_part: 'ann',
    password: 'paper boats on the canal',
    quota_bytes: 2 * 1024 ** 3,
  });
  await page.reload();
  const row = page.getByRole('row', { name: /sales@/ });
  await expect(row).toContainText('ann@far.example');
  await expect(row).not.toContainText('bo@far.example');
  await row.getByRole('button', { name: `Show 1 more for sales@${domain.name}` }).click();
  await expect(row.getByRole('listitem').filter({ hasText: 'bo@far.example' })).toBeVisible();
  await check();
  await page.getByRole('tab', { name: 'Mailboxes' }).click();
  await expect(page).toHaveURL(/tab=mailboxes$/);
  await expect(page.getByRole('row', { name: /ann@/ })).toContainText(/^.*ann@.*0 B of 2 GB/);
  await check();
  await page.getByRole('link', { name: 'New mailbox' }).click();
  await expect(page.getByRole('dialog', { name: 'New mailbox' })).toBeVisible();
  await expect(page).toHaveURL(`${url()}/mailboxes?domain=${domain.id}&new=true`);
});

test('deletes a domain after its name is typed', async ({ signedIn: page, api, check }) => {
  const domain = await makeDomain(api);
  await page.goto(`${url()}/domains/${domain.id}?tab=settings`);
  await page.getByRole('button', { name: 'Delete domain' }).click();
  const dialog = page.getByRole('dialog', { name: `Delete ${domain.name}` });
  const confirm = dialog.getByRole('button', { name: 'Delete domain' });
  await expect(confirm).toBeDisabled();
  await dialog.getByLabel(/^Type /).fill(domain.name.slice(1));
  await expect(confirm).toBeDisabled();
  await dialog.getByLabel(/^Type /).fill(domain.name);
  await confirm.click();
  await expect(page).toHaveURL(`${url()}/domains`);
  await check();

  await page.goto(`${url()}/domains/${domain.id}`);
  await expect(alertWith(page, 'NOT_FOUND')).toBeVisible();
  await expect(page.getByRole('link', { name: 'All domains' })).toBeVisible();
  await check();
});

test('explains why a domain with a mailbox or an alias can’t be deleted', async ({
  signedIn: page,
  api,
  sql,
  check,
}) => {
  const domain = await makeDomain(api);
  await page.goto(`${url()}/domains/${domain.id}?tab=settings`);
  await page.getByRole('button', { name: 'Delete domain' }).click();
  await sql(
    'INSERT INTO alias (id, domain_id, source_local_part, destination, updated_at) VALUES ($1, $2, $3, $4, now())',
    [randomUUID(), domain.id, 'sales', 'ann@far.example'],
  );
  const dialog = page.getByRole('dialog', { name: `Delete ${domain.name}` });
  await dialog.getByLabel(/^Type /).fill(domain.name);
  await dialog.getByRole('button', { name: 'Delete domain' }).click();
  await expect(dialog.getByRole('alert')).toContainText('CONFLICT');
  await check();

  await page.reload();
  const dependent = page.getByText('This domain still has').getByRole('link', { name: '1 alias' });
  await expect(dependent).toHaveAttribute('href', `/aliases?domain=${domain.id}`);
  await expect(page.getByRole('button', { name: 'Delete domain' })).toBeDisabled();
  await check();
});
