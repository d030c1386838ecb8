import type { Page } from '@playwright/test';
import { expect, makeDomain, test, unique, url, useSession } from '../support/fixtures';

const finderOf = (page: Page) => page.getByRole('combobox', { name: /^Search pages/ });

async function find(page: Page, words: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await finderOf(page).fill(words);
}

/** Opens the best result, which must have this name. */
async function openBest(page: Page, words: string, name: string): Promise<void> {
  await find(page, words);
  const first = page.getByRole('option').first();
  await expect(first).toHaveAccessibleName(new RegExp(`^${name}`));
  await expect(first).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('Enter');
  await expect(finderOf(page)).toHaveCount(0);
}

test('the palette has the actions of a mailbox, each of which leads to where it is confirmed', async ({
  signedIn: page,
  api,
  makeAdmin,
  check,
}) => {
  const domain = await makeDomain(api);
  const local_part = unique('ann');
  const address = `${local_part}@${domain.name}`;
  const fields = { domain_id: domain.id, local_part, password: 'paper boats on the canal' };
  const { id } = await api.call<{ id: string }>('POST', '/mailboxes', fields);
  await page.goto(`${url()}/domains`);

  await find(page, address.slice(2, -4));
  await expect(page.getByRole('option', { name: address })).toContainText('Mailbox');
  await page.keyboard.press('Escape');

  await find(page, address);
  const best = page.getByRole('group', { name: 'Best match' }).getByRole('option');
  const names = [`${address}Mailbox`, `Suspend ${address}`, `Set a new password for ${address}`];
  const others = [`Check ${address} for misuse`, `Messages of ${address}`, `History of ${address}`];
  await expect(best).toHaveText([...names, ...others].map((name) => new RegExp(`^${name}`)));
  await check();
  await page.keyboard.press('Escape');

  await openBest(page, `suspend ${local_part}`, `Suspend ${address}`);
  const suspend = page.getByRole('dialog', { name: `Suspend ${address}` });
  await suspend.getByRole('textbox', { name: 'Reason' }).fill('Password on a forum');
  await suspend.getByRole('button', { name: 'Suspend mailbox' }).click();
  await expect(page.getByRole('region', { name: 'Suspended' })).toBeVisible();
  await expect(page).toHaveURL(`${url()}/mailboxes/${id}`);
  await openBest(page, `unsuspend ${address}`, `Unsuspend ${address}`);
  await expect(page.getByRole('dialog', { name: `Unsuspend ${address}` })).toBeVisible();
  await page.goBack();
  await expect(page.getByRole('dialog', { name: `Unsuspend ${address}` })).toHaveCount(0);
  await openBest(page, `check ${local_part} for misuse`, `Check ${address} for misuse`);
  await expect(page.getByRole('heading', { name: 'Check for misuse' })).toBeVisible();
  await openBest(page, `history of ${local_part}`, `History of ${address}`);
  await expect(page.getByRole('tab', { name: 'History', selected: true })).toBeVisible();

  await useSession(page, (await makeAdmin('domain_admin', [domain])).cookie);
  await page.goto(`${url()}/domains`);
  await openBest(page, `check ${address}`, `Check ${address} for misuse`);
  await find(page, `unsuspend ${address}`);
  await expect(page.getByRole('option', { name: `${address} Mailbox, suspended` })).toBeVisible();
  await expect(page.getByRole('option', { name: /^Unsuspend/ })).toHaveCount(0);
});

test('the palette replays deliveries of a webhook, and restores what was deleted', async ({ signedIn: page, api }) => {
  const domain = await makeDomain(api);
  const host = `${unique('hooks')}.example`;
  const webhook = { events: ['*'], domain_id: domain.id, url: `https://${host}/mail` };
  await api.call('POST', '/webhooks', webhook);
  const source_local_part = unique('gone');
  const address = `${source_local_part}@${domain.name}`;
  const alias = { domain_id: domain.id, source_local_part, destination: 'a@far.example' };
  const { id } = await api.call<{ id: string }>('POST', '/aliases', alias);
  await api.call('DELETE', `/aliases/${id}`);
  await page.goto(`${url()}/domains`);

  await openBest(page, `replay ${host}`, `Replay abandoned deliveries of ${host}/mail`);
  await expect(page.getByRole('dialog', { name: 'Replay abandoned deliveries' })).toBeVisible();
  await page.keyboard.press('Escape');
  await openBest(page, `restore ${source_local_part}`, `Restore ${address}`);
  const dialog = page.getByRole('dialog', { name: `Restore ${address}` });
  await dialog.getByRole('button', { name: 'Restore' }).click();
  await expect(page.getByText(`Restored ${address}`)).toBeVisible();
  await openBest(page, `history ${address}`, `History of ${address}`);
  await expect(page.getByRole('dialog', { name: /^History/ })).toBeVisible();
});

test('the palette finds keys, filters, templates and suppressed addresses, and leads to secrets and lists of problems', async ({
  signedIn: page,
  api,
}) => {
  const domain = await makeDomain(api);
  const name = unique('Needle');
  const { api_key: key } = await api.call<{ api_key: { id: string } }>('POST', '/api-keys', { name });
  const email = `${name.toLowerCase()}@far.example`;
  await api.call('POST', '/suppressions', { domain_id: domain.id, email });
  await api.call('POST', '/templates', {
    domain_id: domain.id,
    name: `${name.toLowerCase()}-text`,
    subject: 'Hi',
    text_body: 'Hi',
  });
  const host = `${name.toLowerCase()}.example`;
  const webhook = { events: ['*'], domain_id: domain.id, url: `https://${host}/mail` };
  const { id } = await api.call<{ id: string }>('POST', '/webhooks', webhook);
  await page.goto(`${url()}/domains`);
  await find(page, name);
  for (const label of [`${name} API key`, `${name.toLowerCase()}-text Template`, `${email} Suppressed`]) {
    await expect(page.getByRole('option', { name: label })).toBeVisible();
  }
  await page.keyboard.press('Escape');
  await openBest(page, `rotate secret of ${host}`, `Rotate the secret of ${host}/mail`);
  await expect(page).toHaveURL(`${url()}/webhooks/${id}?tab=settings#secret`);
  await expect(page.getByRole('button', { name: 'Rotate secret' })).toBeInViewport();
  await openBest(page, 'suspended mailboxes', 'Suspended mailboxes');
  await expect(page).toHaveURL(`${url()}/mailboxes?show=suspended`);
  await openBest(page, `revoke ${name}`, `Revoke ${name}`);
  const revoke = page.getByRole('dialog', { name: `Revoke ${name}` });
  await expect(revoke).toContainText('never used');
  await expect(page).toHaveURL(new RegExp(`revoke=${key.id}`));
});

test('the palette filters messages by status and period, and keeps the domain', async ({ signedIn: page, api }) => {
  const domain = await makeDomain(api);
  await page.goto(`${url()}/?domain=${domain.id}`);
  await openBest(page, 'bounced last week', 'Bounced messages, last week');
  await expect(page).toHaveURL(/\/messages\?/);
  const query = Object.fromEntries(new URL(page.url()).searchParams);
  expect(query).toEqual({ domain: domain.id, status: 'bounced', since: expect.any(String), until: expect.any(String) });
  const [since = 0, until = 0] = [query.since, query.until].map((time) => Date.parse(time ?? ''));
  expect(until - since).toBe(7 * 86_400_000);
  expect(new Date(until).getUTCDay()).toBe(1);
  await expect(page.getByRole('button', { name: 'Remove filter: Since' })).toBeVisible();
  await expect(page.getByText('No matching messages')).toBeVisible();

  await openBest(page, 'scheduled', 'Scheduled messages');
  await expect(page).toHaveURL(`${url()}/messages?status=scheduled&domain=${domain.id}`);
  await find(page, 'deferred ann@far.example');
  await page.getByRole('option', { name: 'Deferred messages matching “ann@far.example”' }).click();
  await expect(page.getByRole('main').getByRole('textbox').first()).toHaveValue('ann@far.example');
});

test('the palette finds sections of the documentation and operations of the API', async ({ signedIn: page }) => {
  await page.goto(`${url()}/domains`);
  await find(page, 'hourly limits');
  const chapters = page.getByRole('group', { name: 'Documentation' }).getByRole('option');
  await chapters.filter({ hasText: 'Hourly limits' }).first().click();
  await expect(page).toHaveURL(`${url()}/docs/access#hourly-limits`);
  await expect(page.getByRole('heading', { name: 'Hourly limits' })).toBeInViewport();

  await find(page, 'post /send');
  const operations = page.getByRole('group', { name: 'API reference' }).getByRole('option');
  await operations.filter({ hasText: 'Send a message' }).click();
  await expect(page).toHaveURL(`${url()}/reference/sending#sending-send`);
});
