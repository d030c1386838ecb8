import type { Page } from '@playwright/test';
import { eachCase, inGroups, namesOf } from '../support/cases';
import { holdRequests } from '../support/faults';
import { alertWith, type Domain, expect, makeDomain, test, unique, url } from '../support/fixtures';

type Wrong = {
  name: string;
  open: (page: Page, domain: Domain) => Promise<void>;
  fill: Record<string, string>;
  submit: string;
  post: string;
  body: (domain: Domain) => object;
};

/** A wrong input in a form and in the API call that the form makes. Specs of domains, aliases and admins show it in theirs. */
const WRONG: Wrong[] = [
  {
    name: 'a mailbox',
    open: (page, domain) => openDialog(page, `/mailboxes?new=true&domain=${domain.id}`),
    fill: { Address: 'a b', Password: 'short', 'Quota (MB)': '9000000000000' },
    submit: 'Create mailbox',
    post: '/mailboxes',
    body: ({ id }) => ({
      domain_id: id,
      local_part: 'a b',
      password: 'short',
      quota_bytes: 9_000_000_000_000 * 1024 * 1024,
    }),
  },
  {
    name: 'a webhook',
    open: (page) => openDialog(page, '/webhooks?new=true'),
    fill: { 'Endpoint URL': 'http://hooks.example.com' },
    submit: 'Create webhook',
    post: '/webhooks',
    body: () => ({ url: 'http://hooks.example.com', events: ['*'] }),
  },
  {
    name: 'an API key',
    open: (page) => openDialog(page, '/api-keys?new=true'),
    fill: { 'Requests per minute': '1000001' },
    submit: 'Create key',
    post: '/api-keys',
    body: () => ({ name: '', rate_limit: 1_000_001 }),
  },
];

for (const group of inGroups(WRONG, 3)) {
  test(`shows the API’s own messages before a form is sent, and focuses the first wrong field: ${namesOf(group)}`, async ({
    signedIn: page,
    api,
    domain,
    watched,
    check,
  }) => {
    await eachCase(group, watched, async (wrong) => {
      const response = await page.request.post(`${url()}/api/v1${wrong.post}`, {
        headers: { authorization: `Bearer ${api.key}` },
        data: wrong.body(domain),
      });
      const { fields } = (await response.json()).error.details as { fields: { message: string }[] };
      expect(fields.length).toBeGreaterThan(0);

      await wrong.open(page, domain);
      const dialog = page.getByRole('dialog');
      for (const [label, text] of Object.entries(wrong.fill)) {
        await dialog
          .locator('input')
          .and(dialog.getByLabel(label, { exact: true }))
          .fill(text);
      }
      const calls = countCalls(page);
      await dialog.getByRole('button', { name: wrong.submit }).click();
      for (const { message } of fields) await expect(dialog.getByText(message, { exact: true })).toBeVisible();
      const [first] = await dialog.locator('[aria-invalid="true"]').all();
      await expect(first as NonNullable<typeof first>).toBeFocused();
      expect(calls()).toBe(0);
      await check();
    });
  });
}

test('a dialog starts over each time, and returns the focus to its button', async ({ signedIn: page, check }) => {
  await page.goto(`${url()}/domains`);
  const open = page.getByRole('main').getByRole('button', { name: 'Add domain' }).first();
  const dialog = page.getByRole('dialog', { name: 'Add domain' });
  for (const _ of ['first', 'second']) {
    await open.click();
    const name = dialog.getByRole('textbox', { name: 'Domain' });
    await expect(name).toBeFocused();
    await expect(name).toHaveValue('');
    await name.fill('not a domain');
    await page.keyboard.press('Enter');
    await expect(name).toHaveAccessibleDescription(/Enter a domain name/);
    await page.keyboard.press('Escape');
    await expect(dialog.getByRole('alert')).toHaveText('Discard what you entered?');
    await check();
    await page.keyboard.press('Escape');
    await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeVisible();
    await expect(name).toHaveValue('not a domain');
    await page.keyboard.press('Escape');
    await dialog.getByRole('button', { name: 'Discard' }).click();
    await expect(dialog).toBeHidden();
    await expect(open).toBeFocused();
  }
  await open.click();
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await check();
});

test('settings send only changed fields, so a quota that isn’t whole MB stays exact', async ({
  signedIn: page,
  api,
}) => {
  const domain = await makeDomain(api);
  await api.call('PATCH', `/domains/${domain.id}`, { default_quota_bytes: 1_500_000 });
  await page.goto(`${url()}/domains/${domain.id}?tab=settings`);
  await expect(page.getByRole('textbox', { name: 'Mailbox quota (MB)' })).toHaveValue('1');
  await page.getByRole('textbox', { name: 'Mailbox quota (MB)' }).focus();
  await page.getByLabel('Description').fill(` ${unique('For ')} `);
  const sent = page.waitForRequest((request) => request.url().includes('domains.update'));
  await page.getByRole('button', { name: 'Save changes' }).click();
  expect(Object.keys((await sent).postDataJSON()[0])).toEqual(['id', 'description']);
  await expect(page.getByText('Saved', { exact: true })).toBeVisible();
  await expect(page.getByLabel('Description')).toHaveValue(/^For \S+$/);
  await expect(alertWith(page, 'description')).toHaveCount(0);
  expect(await api.call('GET', `/domains/${domain.id}`)).toMatchObject({ default_quota_bytes: 1_500_000 });
});

test('what is typed while a form is saved stays, and can be saved', async ({ signedIn: page, api }) => {
  const domain = await makeDomain(api);
  const fields = { domain_id: domain.id, local_part: 'ann', password: unique('paper boats ') };
  const { id } = await api.call<{ id: string }>('POST', '/mailboxes', fields);
  await page.goto(`${url()}/mailboxes/${id}`);
  const name = page.getByRole('textbox', { name: 'Display name' });
  const quota = page.getByRole('textbox', { name: 'Quota (MB)' });
  const saved = page.getByRole('status').filter({ hasText: /^Saved$/ });
  const save = page.getByRole('button', { name: 'Save changes' });
  const release = await holdRequests(page, '**/api/trpc/mailboxes.update?*');
  await name.fill(' Ann Field ');
  await quota.fill('20');
  await save.click();
  await name.press('End');
  await name.pressSequentially('and Bo');
  release();
  await expect(save).toBeEnabled();
  await expect(name).toHaveValue(' Ann Field and Bo');
  await expect(quota).toHaveValue('20');
  await expect(saved).toHaveCount(0);
  expect(await api.call('GET', `/mailboxes/${id}`)).toMatchObject({
    display_name: 'Ann Field',
    quota_bytes: 20 * 2 ** 20,
  });
  await save.click();
  await expect(saved).toBeVisible();
  await expect(name).toHaveValue('Ann Field and Bo');
  await name.fill('Cy');
  await page.getByRole('button', { name: 'Discard changes' }).click();
  await expect(page.getByText('No changes')).toBeVisible();
  await expect(saved).toHaveCount(0);
});

test('leaving a form without saving sends nothing', async ({ signedIn: page, api }) => {
  const domain = await makeDomain(api);
  const fields = { domain_id: domain.id, local_part: 'ann', password: 'paper boats on the canal' };
  const { id } = await api.call<{ id: string }>('POST', '/mailboxes', fields);
  await page.goto(`${url()}/mailboxes/${id}`);
  await page.getByRole('textbox', { name: 'Display name' }).fill('Ann Field');
  await page.getByRole('link', { name: 'Domains', exact: true }).click();
  const calls = countCalls(page);
  await page.getByRole('dialog').getByRole('button', { name: 'Leave without saving' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Domains' })).toBeVisible();
  expect(calls()).toBe(0);
});

async function openDialog(page: Page, path: string): Promise<void> {
  await page.goto(`${url()}${path}`);
  await expect(page.getByRole('dialog')).toBeVisible();
}

/** Counts the mutations that the page sends from now on. */
function countCalls(page: Page): () => number {
  let calls = 0;
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().includes('/api/trpc/')) calls += 1;
  });
  return () => calls;
}
