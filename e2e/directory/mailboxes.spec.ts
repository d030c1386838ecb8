import type { Locator } from '@playwright/test';
import { failProcedure, REQUEST_ID } from '../support/faults';
import { type Api, alertWith, type Domain, expect, makeDomain, test, url, useSession } from '../support/fixtures';

type CreatedMailbox = { id: string; email: string };

const PASSWORD = 'paper boats on the canal';
const GIGABYTE = 1024 ** 3;

const makeMailbox = (api: Api, domain: Domain, local: string, over: object = {}) =>
  api.call<CreatedMailbox>('POST', '/mailboxes', {
    domain_id: domain.id,
    local_part: local,
    password: PASSWORD,
    ...over,
  });

const send = (api: Api, email: string) =>
  api.call('POST', '/send', {
    from: { email },
    to: [{ email: 'ann@far.example' }],
    subject: 'Hello',
    text_body: 'Hi.',
  });

test('creates a mailbox with a generated password that is shown once', async ({
  signedIn: page,
  api,
  context,
  check,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const domain = await makeDomain(api);
  await page.goto(`${url()}/mailboxes?domain=${domain.id}`);
  await expect(page.getByRole('heading', { name: `No mailboxes in ${domain.name} yet` })).toBeVisible();
  await check();
  await page.getByRole('main').getByRole('button', { name: 'New mailbox' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'New mailbox' });
  const create = dialog.getByRole('button', { name: 'Create mailbox' });
  await create.click();
  await expect(dialog.getByRole('textbox', { name: 'Address' })).toHaveAccessibleDescription(/before the @/);
  await expect(dialog.getByRole('textbox', { name: 'Password' })).toHaveAccessibleDescription(/12 to 256 characters/);
  await dialog.getByRole('textbox', { name: 'Address' }).fill('Ann');
  await dialog.getByRole('button', { name: 'Generate password' }).click();
  const password = await dialog.getByRole('textbox', { name: 'Password' }).inputValue();
  expect(password).toMatch(/^([a-z2-9]{4}-){4}[a-z2-9]{4}$/);
  await dialog.getByRole('textbox', { name: 'Display name' }).fill('Ann Field');
  await dialog.getByRole('textbox', { name: 'Quota (MB)' }).fill('2048');
  await check();
  await create.click();

  const once = page.getByRole('dialog', { name: `Copy the password for ann@${domain.name}` });
  await expect(once).toContainText(password);
  await expect(once).toContainText('IMAP, port 993 with SSL/TLS, or 143 with STARTTLS');
  await page.keyboard.press('Escape');
  await expect(once).toBeVisible();
  await once.getByRole('button', { name: 'Copy password' }).click();
  await expect(once.getByRole('status')).toHaveText('Copied');
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(password);
  await check();
  await once.getByRole('button', { name: 'I’ve saved it' }).click();
  await expect(page.getByRole('heading', { name: `ann@${domain.name}`, level: 1 })).toBeVisible();
  await expect(page.getByText('2 GB, 0% full')).toBeVisible();
  const settings = page.getByRole('region', { name: 'Mail program settings' });
  await expect(settings).toContainText('SMTP, port 465 with SSL/TLS, or 587 with STARTTLS');
  await settings.getByRole('button', { name: 'Copy all' }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(`User name: ann@${domain.name}`);
  expect(await page.content()).not.toContain(password);
  expect(await api.call('GET', `/mailboxes?domain_id=${domain.id}`)).toMatchObject([
    { email: `ann@${domain.name}`, display_name: 'Ann Field', quota_bytes: 2 * GIGABYTE, active: true },
  ]);
  await check();
});

test('shows an address in use as an error on its field and keeps the input', async ({ signedIn: page, api, check }) => {
  const domain = await makeDomain(api);
  await makeMailbox(api, domain, 'ann');
  await page.goto(`${url()}/mailboxes?domain=${domain.id}&new=true`);
  const dialog = page.getByRole('dialog', { name: 'New mailbox' });
  const local = dialog.getByRole('textbox', { name: 'Address' });
  await local.fill('ANN');
  await dialog.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
  await dialog.getByRole('button', { name: 'Create mailbox' }).click();
  await expect(local).toHaveAccessibleDescription(/The mailbox ann@.* already exists/);
  await expect(local).toHaveValue('ANN');
  await expect(dialog.getByRole('textbox', { name: 'Password' })).toHaveValue(PASSWORD);
  await check();
});

test('saves name, quota and status, guards unsaved changes, and sets a new password', async ({
  signedIn: page,
  api,
  sql,
  check,
}) => {
  const domain = await makeDomain(api);
  const { id, email } = await makeMailbox(api, domain, 'ann', { quota_bytes: GIGABYTE });
  await sql('UPDATE mailbox SET used_bytes = $2 WHERE id = $1', [id, Math.ceil(GIGABYTE * 0.95)]);
  await page.goto(`${url()}/mailboxes/${id}`);
  await expect(page.getByText('of 1 GB, 95% full')).toBeVisible();
  const quota = page.getByRole('textbox', { name: 'Quota (MB)' });
  for (const [pasted, shown] of [
    ['10.240', '10,240'],
    ['1.234.567', '1,234,567'],
    ['2,048', '2,048'],
  ] as const) {
    await quota.fill('');
    await paste(quota, pasted);
    await expect(quota).toHaveValue(shown);
  }
  await quota.fill('4096');
  await page.getByRole('link', { name: 'Domains', exact: true }).click();
  const leave = page.getByRole('dialog', { name: 'Leave this page?' });
  await expect(leave).toContainText(`You have unsaved changes to ${email}.`);
  await check();
  await leave.getByRole('button', { name: 'Cancel' }).click();

  await page.getByRole('textbox', { name: 'Display name' }).fill('Ann Field');
  await page.getByRole('switch', { name: 'Active' }).click();
  await page.getByRole('button', { name: 'Save changes' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'Saved' })).toBeVisible();
  await expect(page.getByText('of 4 GB, 23% full')).toBeVisible();
  expect(await api.call('GET', `/mailboxes/${id}`)).toMatchObject({
    display_name: 'Ann Field',
    quota_bytes: 4 * GIGABYTE,
    active: false,
  });

  const hash = async () =>
    (await sql<{ password_hash: string }>('SELECT password_hash FROM mailbox WHERE id = $1', [id]))[0];
  const before = await hash();
  await expect(page.locator('form:has(input[type="password"]) input[autocomplete="username"]')).toHaveValue(email);
  await page.getByRole('textbox', { name: 'New password' }).fill('short');
  await page.getByRole('button', { name: 'Set password' }).click();
  await expect(page.getByRole('textbox', { name: 'New password' })).toHaveAccessibleDescription(
    /at least 12 characters/,
  );
  await page.getByRole('textbox', { name: 'New password' }).fill('another long password');
  await page.getByRole('button', { name: 'Set password' }).click();
  await expect(page.getByText('Password changed')).toBeVisible();
  expect(await hash()).not.toEqual(before);
  await check();
});

test('suspends a mailbox with a reason and a date, blocks sending, unsuspends it, and deletes it once its address is typed', async ({
  signedIn: page,
  api,
  check,
}) => {
  const domain = await makeDomain(api);
  const { id, email } = await makeMailbox(api, domain, 'ann');
  await page.goto(`${url()}/mailboxes/${id}`);
  await page.getByRole('button', { name: 'Suspend mailbox' }).click();
  const suspend = page.getByRole('dialog', { name: `Suspend ${email}` });
  await suspend.getByRole('button', { name: 'Suspend mailbox' }).click();
  await expect(suspend.getByLabel('Reason')).toHaveAccessibleDescription(/Enter a reason/);
  await suspend.getByLabel('Reason').fill('Its password leaked');
  await check();
  await suspend.getByRole('button', { name: 'Suspend mailbox' }).click();
  const banner = page.getByRole('region', { name: 'Suspended' });
  await expect(banner).toContainText(/Suspended since .*Its password leaked\. It can still receive mail/);
  await expect(send(api, email)).rejects.toThrow('403 MAILBOX_SUSPENDED');
  await check();

  await page.goto(`${url()}/mailboxes?show=suspended&domain=${domain.id}`);
  await expect(page.getByRole('row', { name: email })).toContainText('Suspended');
  await check();
  await page.getByRole('link', { name: email }).click();

  await banner.getByRole('button', { name: 'Unsuspend' }).click();
  const unsuspend = page.getByRole('dialog', { name: `Unsuspend ${email}` });
  await unsuspend.getByLabel('Note').fill('New password, all devices');
  await check();
  await unsuspend.getByRole('button', { name: 'Unsuspend' }).click();
  await expect(banner).toBeHidden();
  await expect(page.getByRole('button', { name: 'Suspend mailbox' })).toBeVisible();
  await send(api, email);

  await page.getByRole('button', { name: 'Delete mailbox' }).click();
  const dialog = page.getByRole('dialog', { name: `Delete ${email}` });
  await expect(dialog.getByRole('button', { name: 'Delete mailbox' })).toBeDisabled();
  await dialog.getByLabel(`Type ${email} to confirm`).fill(email);
  await check();
  await dialog.getByRole('button', { name: 'Delete mailbox' }).click();
  await expect(page).toHaveURL(`${url()}/mailboxes`);
  await page.goto(`${url()}/mailboxes/${id}`);
  await expect(alertWith(page, 'NOT_FOUND (404)')).toBeVisible();
  await expect(page.getByRole('link', { name: 'All mailboxes' })).toBeVisible();
  await check();
});

test('lists the aliases that deliver to a mailbox, and links a domain to both lists', async ({
  signedIn: page,
  api,
  check,
  checkState,
}) => {
  const domain = await makeDomain(api);
  const { id, email } = await makeMailbox(api, domain, 'ann');
  const alias = { domain_id: domain.id, source_local_part: 'info', destination: `${email},bo@far.example` };
  await api.call('POST', '/aliases', alias);
  await api.call('POST', '/aliases', { ...alias, source_local_part: 'else', destination: `jo${email}` });
  await page.goto(`${url()}/domains?q=${domain.name}`);
  await page.getByRole('link', { name: '1 mailboxes' }).click();
  await page.getByRole('row', { name: email }).click();
  await expect(page).toHaveURL(`${url()}/mailboxes/${id}`);
  const delivering = page.getByRole('region', { name: 'Aliases that deliver here' });
  await expect(delivering.getByRole('listitem')).toHaveText([new RegExp(`info@${domain.name}`)]);
  await checkState();
  await delivering.getByRole('link', { name: 'Trace this address' }).click();
  await expect(page.getByText('A mailbox has this address.')).toBeVisible();
  await check();

  await page.goto(`${url()}/domains/${domain.id}`);
  await page.getByRole('link', { name: '2 aliases' }).click();
  await expect(page.getByRole('row')).toHaveCount(3);
});

test('keeps filters and order in the URL, and reports a list that fails to load', async ({
  signedIn: page,
  api,
  check,
}) => {
  const domain = await makeDomain(api);
  const { email } = await makeMailbox(api, domain, 'ann', { display_name: 'Ann Field' });
  await makeMailbox(api, domain, 'off', { active: false });
  await page.goto(`${url()}/mailboxes`);
  await page.getByLabel('Filter by address or name').fill(email);
  await page.getByRole('radio', { name: 'Active', exact: true }).click();
  await expect(page.getByRole('row')).toHaveCount(2);
  await expect(page).toHaveURL(/show=active/);
  await page.reload();
  await expect(page.getByRole('row', { name: email })).toContainText('Ann Field');
  await page.getByRole('radio', { name: /^Suspended/ }).click();
  await expect(page.getByRole('heading', { name: 'No matching mailboxes' })).toBeVisible();
  await check();
  const failure = { status: 500, code: 'INTERNAL_ERROR', message: 'Internal server error.' };
  const end = await failProcedure(page, 'mailboxes.list', failure);
  await page.getByRole('radio', { name: 'All', exact: true }).click();
  await expect(alertWith(page, 'Couldn’t load mailboxes')).toContainText(REQUEST_ID);
  await check();
  await end();
  await page.getByRole('button', { name: 'Retry', exact: true }).click();
  await expect(page.getByRole('table')).toBeVisible();
});

test('lets a domain admin edit mailboxes of assigned domains but not suspend them', async ({
  page,
  api,
  makeAdmin,
  check,
}) => {
  const [own, unassigned] = [await makeDomain(api), await makeDomain(api)];
  const mine = await makeMailbox(api, own, 'ann');
  const other = await makeMailbox(api, unassigned, 'bo');
  await useSession(page, (await makeAdmin('domain_admin', [own])).cookie);
  await page.goto(`${url()}/mailboxes`);
  await expect(page.getByRole('row')).toHaveCount(2);
  await page.getByRole('link', { name: mine.email }).click();
  await expect(page.getByRole('button', { name: 'Delete mailbox' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Suspend mailbox' })).toHaveCount(0);
  await check();
  await api.call('POST', `/mailboxes/${mine.id}/suspend`, { reason: 'It sent spam' });
  await page.reload();
  await expect(page.getByRole('region', { name: 'Suspended' })).toContainText('An admin can unsuspend it.');
  await expect(page.getByRole('button', { name: 'Unsuspend' })).toHaveCount(0);
  await check();
  await page.goto(`${url()}/mailboxes/${other.id}`);
  await expect(alertWith(page, 'NOT_FOUND (404)')).toBeVisible();
});

async function paste(field: Locator, text: string): Promise<void> {
  await field.evaluate((input, pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text', pasted);
    input.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }, text);
}
