import { readFile } from 'node:fs/promises';
import { type Api, type Domain, expect, makeDomain, test, url, useSession } from '../support/fixtures';
import { resize } from '../support/layout-shifts';

const PASSWORD = 'paper boats on the canal';

const makeMailbox = (api: Api, domain: Domain, local: string) =>
  api.call<{ id: string; email: string }>('POST', '/mailboxes', {
    domain_id: domain.id,
    local_part: local,
    password: PASSWORD,
  });

test('finds nearly full mailboxes, and sorts by storage used', async ({ signedIn: page, api, sql, check }) => {
  const domain = await makeDomain(api);
  for (const [local, used] of Object.entries({ roomy: 89, nearly: 90, full: 100 })) {
    const { id } = await makeMailbox(api, domain, local);
    await sql('UPDATE mailbox SET used_bytes = $2, quota_bytes = 100 WHERE id = $1', [id, used]);
  }
  await page.goto(`${url()}/mailboxes?domain=${domain.id}`);
  const rows = page.getByRole('table', { name: /^Mailboxes/ }).getByRole('row');
  await expect(rows).toHaveCount(4);
  await page.getByRole('radio', { name: 'Nearly full 2' }).click();
  await expect(rows).toHaveCount(3);
  await expect(rows.filter({ hasText: `roomy@${domain.name}` })).toHaveCount(0);
  await expect(rows.filter({ hasText: `full@${domain.name}` })).toContainText('100 B of 100 BFull');
  await expect(rows.filter({ hasText: `nearly@${domain.name}` })).toContainText('90 B of 100 B90%');
  await expect(page.getByRole('table', { name: 'Mailboxes, by storage used' })).toBeVisible();
  await expect(rows.nth(1)).toContainText(`full@${domain.name}`);
  await check();
  await page.getByRole('button', { name: 'Storage used' }).click();
  await expect(rows.nth(1)).toContainText(`nearly@${domain.name}`);
  await page.getByRole('button', { name: 'Address', exact: true }).click();
  await expect(page.getByRole('table', { name: 'Mailboxes, by address' })).toBeVisible();
  await expect(page.getByRole('columnheader', { name: 'Address by the part before @' })).toBeVisible();
  await expect(rows.nth(1)).toContainText(`full@${domain.name}`);
  await page.reload();
  await expect(page.getByRole('table', { name: 'Mailboxes, by address' })).toBeVisible();
  await expect(page.getByRole('radio', { name: 'Nearly full' })).toBeChecked();

  await page.goto(`${url()}/mailboxes?domain=${domain.id}`);
  await page.getByRole('button', { name: 'Storage used' }).click();
  await expect(rows.nth(1)).toContainText(`full@${domain.name}`);
  await expect(rows.nth(3)).toContainText(`roomy@${domain.name}`);
});

test('suspends, unsuspends, deactivates and deletes several mailboxes at once', async ({
  signedIn: page,
  api,
  check,
}) => {
  const domain = await makeDomain(api);
  const names = ['ann', 'bo', 'cy'];
  for (const name of names) await makeMailbox(api, domain, name);
  await page.goto(`${url()}/mailboxes?domain=${domain.id}`);
  const row = (name: string) => page.getByRole('row').filter({ hasText: `${name}@${domain.name}` });
  const select = (name: string) => page.getByRole('checkbox', { name: `Select ${name}@${domain.name}` }).click();
  const bar = page.getByRole('group', { name: 'Selected mailboxes' });

  await select('ann');
  await select('bo');
  await expect(bar).toContainText('2 selected');
  await check();
  await bar.getByRole('button', { name: 'Suspend', exact: true }).click();
  const suspend = page.getByRole('dialog', { name: 'Suspend 2 mailboxes' });
  await suspend.getByRole('button', { name: 'Suspend' }).click();
  await expect(suspend.getByLabel('Reason')).toHaveAccessibleDescription(/Enter a reason/);
  await suspend.getByLabel('Reason').fill('Passwords leaked');
  await check();
  await suspend.getByRole('button', { name: 'Suspend' }).click();
  await expect(page.getByText('Suspended 2 mailboxes')).toBeVisible();
  await expect(row('ann')).toContainText('Suspended');
  await expect(row('cy')).not.toContainText('Suspended');
  expect(await api.call('GET', `/mailboxes?domain_id=${domain.id}&suspended=true`)).toMatchObject([
    { suspension_note: 'Passwords leaked' },
    { suspension_note: 'Passwords leaked' },
  ]);

  await page.getByRole('checkbox', { name: 'Select all on this page' }).click();
  await bar.getByRole('button', { name: 'Unsuspend' }).click();
  await expect(page.getByText('Unsuspended 2 mailboxes')).toBeVisible();
  await expect(row('ann')).not.toContainText('Suspended');

  await select('ann');
  await bar.getByRole('button', { name: 'Deactivate' }).click();
  await expect(row('ann')).toContainText('Inactive');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(row('ann')).not.toContainText('Inactive');

  await select('ann');
  await select('bo');
  await bar.getByRole('button', { name: 'Delete' }).click();
  const remove = page.getByRole('dialog', { name: 'Delete 2 mailboxes' });
  await expect(remove.getByRole('button', { name: 'Delete mailboxes' })).toBeDisabled();
  await remove.getByLabel('Type 2 mailboxes to confirm').fill('2 mailboxes');
  await check();
  await remove.getByRole('button', { name: 'Delete mailboxes' }).click();
  await expect(page.getByText('Deleted 2 mailboxes')).toBeVisible();
  await expect(row('ann')).toHaveCount(0);
  await expect(row('cy')).toBeVisible();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByText('Restored 2 mailboxes')).toBeVisible();
  await expect(row('ann')).toBeVisible();

  await test.step('at 360 px', async () => {
    await resize(page, { width: 360, height: 740 });
    await select('ann');
    await expect(bar).toContainText('1 selected');
    await page.getByRole('checkbox', { name: 'Select all on this page' }).click();
    await expect(bar).toContainText('3 selected');
    await select('cy');
    await check();
    await bar.getByRole('button', { name: 'Deactivate' }).click();
    await expect(row('ann')).toContainText('Inactive');
    await expect(row('bo')).toContainText('Inactive');
    await expect(row('cy')).not.toContainText('Inactive');
    await expect(bar).toHaveCount(0);
  });
});

test('a domain admin can’t suspend the selected mailboxes', async ({ page, api, makeAdmin }) => {
  const domain = await makeDomain(api);
  const { email } = await makeMailbox(api, domain, 'ann');
  await useSession(page, (await makeAdmin('domain_admin', [domain])).cookie);
  await page.goto(`${url()}/mailboxes`);
  await page.getByRole('checkbox', { name: `Select ${email}` }).click();
  const bar = page.getByRole('group', { name: 'Selected mailboxes' });
  await expect(bar.getByRole('button', { name: 'Deactivate' })).toBeVisible();
  await expect(bar.getByRole('button', { name: 'Suspend' })).toHaveCount(0);
});

test('imports mailboxes after a preview, and offers the generated passwords once', async ({
  signedIn: page,
  api,
  check,
  checkState,
}) => {
  const domain = await makeDomain(api);
  await makeMailbox(api, domain, 'there');
  await page.goto(`${url()}/mailboxes?domain=${domain.id}`);
  await page.getByRole('button', { name: 'Import / export' }).click();
  await page.getByRole('menuitem', { name: 'Import CSV' }).click();
  const dialog = page.getByRole('dialog', { name: 'Import mailboxes' });
  const csv = ['local_part,display_name,password', 'ann,Ann Field,', `bo,,${PASSWORD}`, 'ann,,', 'there,Other,'];
  await dialog.getByRole('textbox', { name: 'Or paste CSV' }).fill(csv.join('\n'));
  await dialog.getByRole('button', { name: 'Preview import' }).click();
  await expect(dialog.getByRole('status')).toContainText('2 new mailboxes, 0 unchanged, 2 errors. Nothing has been');
  await expect(dialog).toContainText('Duplicate of line 2, which has the same address. Remove one of the lines.');
  await check();
  await dialog.getByRole('button', { name: 'Import 2 mailboxes' }).click();

  const once = page.getByRole('dialog', { name: 'Download 1 password' });
  await page.keyboard.press('Escape');
  await expect(once).toBeVisible();
  await checkState();
  const downloaded = page.waitForEvent('download');
  await once.getByRole('button', { name: 'Download passwords as CSV' }).click();
  const text = await readFile(await (await downloaded).path(), 'utf8');
  expect(text).toMatch(new RegExp(`^\ufeffemail,password\\r\\nann@${domain.name},[a-z2-9-]{24}\\r\\n$`));
  await once.getByRole('button', { name: 'I’ve saved them' }).click();
  await expect(once).toHaveCount(0);
  const failed = page.getByRole('dialog', { name: '2 lines not imported' });
  const failedDownload = page.waitForEvent('download');
  await failed.getByRole('button', { name: 'Download failed lines' }).click();
  expect((await readFile(await (await failedDownload).path(), 'utf8')).split('\r\n')[2]).toMatch(
    /^there,Other,,The mailbox there@/,
  );
  await failed.getByRole('button', { name: 'Close' }).last().click();
  await expect(page.getByRole('row').filter({ hasText: `bo@${domain.name}` })).toBeVisible();
  await check();
});

test('the settings for mail programs are a page to print, without the console around it', async ({
  signedIn: page,
  api,
  context,
  checkState,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const domain = await makeDomain(api);
  const { id, email } = await makeMailbox(api, domain, 'ann');
  await page.goto(`${url()}/mailboxes/${id}`);
  await page.getByRole('link', { name: 'Printable page' }).click();
  const sheet = page.getByRole('article', { name: `Settings for ${email}` });
  await expect(sheet).toContainText(/Incoming mail \(IMAP\).*993 with SSL\/TLS.*143 with STARTTLS/);
  await expect(sheet).toContainText(/Outgoing mail \(SMTP\).*465 with SSL\/TLS.*587 with STARTTLS/);
  await checkState();
  await page.getByRole('button', { name: 'Copy all' }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain(`User name: ${email}`);
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  await expect(sheet).toBeVisible();
  await expect(page.getByRole('navigation', { name: 'Sections' })).toBeHidden();
  await expect(page.getByRole('button', { name: 'Print' })).toBeHidden();
});
