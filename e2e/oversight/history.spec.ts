import { failProcedure } from '../support/faults';
import { createDomain, expect, test, unique, url, useSession } from '../support/fixtures';
import { makeFilters, makeMailbox, NOWHERE } from '../whole/accessibility/data';

type Alias = { id: string; address: string; destination: string };

const input = (domain_id: string) => ({ domain_id, source_local_part: unique('info'), destination: 'ann@far.example' });

test('the history of an alias shows who changed a destination, and puts it back', async ({
  page,
  api,
  makeAdmin,
  check,
  checkState,
}) => {
  const domain = await createDomain(api);
  const alias = await api.call<Alias>('POST', '/aliases', input(domain.id));
  await api.call('PATCH', `/aliases/${alias.id}`, { destination: 'ann@far.example,a.long-name+tag@far.example' });
  await api.call('PATCH', `/aliases/${alias.id}`, { destination: 'bo@far.example', active: false });
  const admin = await makeAdmin('domain_admin', [domain]);
  await useSession(page, admin.cookie);
  await page.goto(`${url()}/aliases?domain=${domain.id}`);
  await page.getByRole('button', { name: `Actions for ${alias.address}` }).click();
  await page.getByRole('menuitem', { name: 'History' }).click();
  const dialog = page.getByRole('dialog', { name: 'History of this alias' });
  const entries = dialog.getByRole('list', { name: 'History' }).getByRole('listitem');
  await expect(entries).toHaveCount(3);
  await expect(dialog.getByText(alias.address, { exact: true }).first()).toBeVisible();
  const added = entries.nth(1);
  await expect(added).toContainText('changed the destinations of this alias');
  await expect(added.getByRole('insertion')).toHaveText('a.long-name+tag@far.example');
  await expect(added.getByRole('deletion')).toHaveCount(0);
  await expect(entries.last()).toContainText('created this alias');
  await expect(entries.last().getByRole('button')).toHaveCount(0);
  await check();

  await entries.first().getByRole('button', { name: 'Restore this value' }).click();
  const restore = page.getByRole('dialog', { name: 'Restore this value' });
  const changes = restore.getByLabel('What would change');
  await expect(changes.getByRole('term')).toHaveText(['State', 'Destinations']);
  await expect(changes.getByRole('deletion')).toHaveText(['Inactive', 'bo@far.example']);
  await checkState();
  await restore.getByRole('button', { name: 'Restore', exact: true }).click();
  await expect(page.getByText(`Restored ${alias.address}`)).toBeVisible();
  await expect(entries).toHaveCount(4);
  await expect(entries.first()).toContainText(admin.email);
  expect(await api.call('GET', `/aliases/${alias.id}`)).toMatchObject({
    destination: 'ann@far.example,a.long-name+tag@far.example',
    active: true,
  });

  // The value is there already.
  await entries.nth(1).getByRole('button', { name: 'Restore this value' }).click();
  await expect(restore).toContainText('Nothing would change');
  await expect(restore.getByRole('button', { name: 'Restore', exact: true })).toBeDisabled();
  await restore.getByRole('button', { name: 'Cancel' }).click();
  await page.goBack();
  await expect(dialog).toHaveCount(0);
});

test('a value that can’t be saved any more is refused with the reason, and one that changed meanwhile is shown again', async ({
  signedIn: page,
  api,
  check,
}) => {
  const domain = await createDomain(api);
  const alias = await api.call<Alias>('POST', '/aliases', input(domain.id));
  await api.call('PATCH', `/aliases/${alias.id}`, { destination: 'bo@far.example' });
  await api.call('PATCH', `/aliases/${alias.id}`, { destination: 'cy@far.example' });
  const other = await api.call<Alias>('POST', '/aliases', { ...input(domain.id), destination: `later@${domain.name}` });
  await api.call('PATCH', `/aliases/${other.id}`, { destination: 'dee@far.example' });
  await api.call('POST', '/aliases', { ...input(domain.id), source_local_part: 'later' });
  const restore = page.getByRole('dialog', { name: 'Restore this value' });
  const confirm = restore.getByRole('button', { name: 'Restore', exact: true });
  const buttons = page.getByRole('button', { name: 'Restore this value' });

  await page.goto(`${url()}/aliases?history=${other.id}`);
  await buttons.first().click();
  await confirm.click();
  await expect(restore.getByRole('alert')).toContainText(`later@${domain.name}`);
  await check();

  await page.goto(`${url()}/aliases?history=${alias.id}`);
  await buttons.last().click();
  await expect(restore.getByRole('deletion')).toHaveText('cy@far.example');
  await api.call('PATCH', `/aliases/${alias.id}`, { destination: 'eve@far.example' });
  await confirm.click();
  await expect(restore.getByRole('alert')).toContainText('changed after you loaded it');
  await expect(restore.getByRole('deletion')).toHaveText('eve@far.example');
  await confirm.click();
  await expect(page.getByText(`Restored ${alias.address}`)).toBeVisible();
});

test('a page of a record has its history as a tab, with what can’t be restored and why', async ({
  signedIn: page,
  api,
  check,
}) => {
  const domain = await createDomain(api);
  const mailbox = await makeMailbox(api, domain);
  await api.call('PATCH', `/mailboxes/${mailbox.id}`, { quota_bytes: null });
  await api.call('PATCH', `/mailboxes/${mailbox.id}`, { password: 'another boat on the canal' });
  await page.goto(`${url()}/mailboxes/${mailbox.id}`);
  await page.getByRole('tab', { name: 'History' }).click();
  const entries = page.getByRole('list', { name: 'History' }).getByRole('listitem');
  await expect(entries).toHaveCount(3);
  await expect(entries.first()).toContainText('A password can’t be restored');
  await expect(entries.first().getByRole('button')).toHaveCount(0);
  await entries.nth(1).getByRole('button', { name: 'Restore this value' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Restore', exact: true }).click();
  await expect(entries).toHaveCount(4);
  await page.getByRole('tab', { name: 'Details' }).click();
  await expect(page.getByText('of 954 MB')).toBeVisible();

  const webhook = await api.call<{ id: string }>('POST', '/webhooks', { url: NOWHERE, events: ['mail.sent'] });
  await api.call('PATCH', `/webhooks/${webhook.id}`, { url: `${NOWHERE}/2`, events: ['mail.spam'] });
  await page.goto(`${url()}/webhooks/${webhook.id}?tab=history`);
  await expect(entries.first()).toContainText('The URL can’t be restored');
  await entries.first().getByRole('button', { name: 'Restore this value' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Restore', exact: true }).click();
  await expect(entries).toHaveCount(3);
  expect(await api.call('GET', `/webhooks/${webhook.id}`)).toMatchObject({
    url: `${NOWHERE}/2`,
    events: ['mail.sent'],
  });
  await check();
});

test('a long history is loaded page by page, an empty one says so, and a failed one can be loaded again', async ({
  signedIn: page,
  api,
  sql,
  domain,
  check,
}) => {
  const filter = await makeFilters({ api, sql, domain });
  await page.goto(`${url()}/sieve-filters/${filter.id}?tab=history`);
  await expect(page.getByRole('heading', { name: 'No changes yet' })).toBeVisible();
  await check();

  const { id } = await createDomain(api);
  for (let count = 1; count <= 21; count += 1) await api.call('PATCH', `/domains/${id}`, { max_aliases: count });
  const succeed = await failProcedure(page, 'audit.list', { status: 500, code: 'INTERNAL_ERROR', message: 'Failed' });
  await page.goto(`${url()}/domains/${id}?tab=history`);
  await expect(page.getByText('Couldn’t load the history')).toBeVisible();
  await succeed();
  await page.getByRole('button', { name: 'Retry' }).click();
  const entries = page.getByRole('list', { name: 'History' }).getByRole('listitem');
  await expect(entries).toHaveCount(20);
  await page.getByRole('button', { name: 'Show older changes' }).click();
  await expect(entries).toHaveCount(22);
  await expect(page.getByRole('button', { name: 'Show older changes' })).toHaveCount(0);
});

test('a domain admin sees the history of a domain, and can’t restore what only an admin changes', async ({
  page,
  api,
  makeAdmin,
  check,
}) => {
  const domain = await createDomain(api);
  await api.call('PATCH', `/domains/${domain.id}`, { description: 'For the shop' });
  await useSession(page, (await makeAdmin('domain_admin', [domain])).cookie);
  await page.goto(`${url()}/domains/${domain.id}?tab=history`);
  await expect(page.getByRole('insertion').first()).toHaveText('For the shop');
  await expect(page.getByRole('button', { name: 'Restore this value' })).toHaveCount(0);
  await check();
});
