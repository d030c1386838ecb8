import { createDomain, expect, test, unique, url, useSession } from '../support/fixtures';

const PASSWORD = 'paper boats on the canal';

test('what was deleted is listed with who deleted it, and a domain, a mailbox and an alias come back', async ({
  signedIn: page,
  api,
  check,
}) => {
  const domain = await createDomain(api);
  const mailbox = await api.call<{ id: string; email: string }>('POST', '/mailboxes', {
    ...{ domain_id: domain.id, local_part: 'ann', password: PASSWORD, display_name: 'Ann' },
  });
  await page.goto(`${url()}/mailboxes/${mailbox.id}`);
  await page.getByRole('button', { name: 'Delete mailbox' }).click();
  const remove = page.getByRole('dialog', { name: `Delete ${mailbox.email}` });
  await expect(remove).toContainText('can be restored for 30 days');
  await remove.getByRole('textbox').fill(mailbox.email);
  await remove.getByRole('button', { name: 'Delete mailbox' }).click();
  await expect(page).toHaveURL(/\/mailboxes$/);
  const link = page.getByRole('status').getByRole('link', { name: 'Recently deleted' });
  await expect(link).toHaveAttribute('href', '/deleted');
  await check();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByText(`Restored ${mailbox.email}`)).toBeVisible();
  await api.call('DELETE', `/mailboxes/${mailbox.id}`);
  await api.call('DELETE', `/domains/${domain.id}`);

  await page.goto(`${url()}/deleted?q=${domain.name}`);
  await expect(page.getByRole('row')).toHaveCount(3);
  const [ofDomain, ofMailbox] = ['Domain', 'Mailbox'].map((kind) => page.getByRole('row').filter({ hasText: kind }));
  await check();
  const dialog = page.getByRole('dialog', { name: /^Restore / });
  const confirm = dialog.getByRole('button', { name: 'Restore', exact: true });
  await page.getByRole('button', { name: `Restore ${mailbox.email}` }).click();
  await confirm.click();
  await expect(dialog.getByRole('alert')).toContainText('Restore the domain first.');
  await check();
  await dialog.getByRole('button', { name: 'Cancel' }).click();

  // Several at once: each fails or comes back by itself, and the domain first.
  await page.getByRole('checkbox', { name: `Select ${mailbox.email}` }).check();
  const selected = page.getByRole('group', { name: 'Selected records' });
  await selected.getByRole('button', { name: 'Restore' }).click();
  const result = page.getByRole('region', { name: 'Result' });
  await expect(result).toContainText(`${mailbox.email}: The domain of ${mailbox.email} was deleted.`);
  await check();
  await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
  await selected.getByRole('button', { name: 'Restore' }).click();
  await expect(page.getByText('Restored 2 records')).toBeVisible();
  await expect(result).toHaveCount(0);
  for (const path of [`/mailboxes/${mailbox.id}`, `/domains/${domain.id}`]) await api.call('DELETE', path);

  await page.reload();
  await page
    .getByTitle(/^Filter by /)
    .first()
    .click();
  await expect(page).toHaveURL(/[?&]by=/);
  await page.getByRole('button', { name: `Restore ${domain.name}` }).click();
  await dialog.getByRole('checkbox', { name: 'Restore its 1 mailbox, too' }).check();
  await check();
  await confirm.click();
  await expect(ofDomain as NonNullable<typeof ofDomain>).toHaveCount(0);
  await expect(ofMailbox as NonNullable<typeof ofMailbox>).toHaveCount(0);
  await page.goto(`${url()}/mailboxes/${mailbox.id}?tab=history`);
  const entries = page.getByRole('list', { name: 'History' }).getByRole('listitem');
  await expect(entries.first()).toContainText('restored this mailbox');
  await check();
});

test('a domain admin sees what was deleted in their domains only, and nothing if nothing was', async ({
  page,
  api,
  makeAdmin,
  check,
}) => {
  const [own, foreign] = [await createDomain(api), await createDomain(api)];
  await useSession(page, (await makeAdmin('domain_admin', [own])).cookie);
  await page.goto(`${url()}/deleted`);
  await expect(page.getByRole('heading', { name: 'Nothing deleted' })).toBeVisible();
  await check();
  for (const { id } of [own, foreign]) {
    const input = { domain_id: id, source_local_part: unique('info'), destination: 'ann@far.example' };
    const alias = await api.call<{ id: string }>('POST', '/aliases', input);
    await api.call('DELETE', `/aliases/${alias.id}`);
  }
  await page.setViewportSize({ width: 360, height: 740 });
  await page.reload();
  await expect(page.getByRole('row', { name: own.name })).toBeVisible();
  await expect(page.getByText(foreign.name)).toHaveCount(0);
  await check();
});
