import type { Page } from '@playwright/test';
import { ROUTES } from '../../src/lib/routes';
import { checkedDomain, domainWithKeys, recordDetails, reportedDomain } from '../support/checked-domain';
import { cutDocuments } from '../support/cut-documents';
import { withoutMailServer } from '../support/faults';
import {
  type Api,
  type Domain,
  expect,
  makeDomain,
  type Sql,
  sendMessage,
  test,
  unique,
  url,
} from '../support/fixtures';
import { countShifts, settled, shifts, WIDTHS } from '../support/layout-shifts';

type Made = { api: Api; domain: Domain; sql: Sql };
type View = { name: string; path: (made: Made) => string | Promise<string>; open?: (page: Page) => Promise<void> };

const VIEWS: View[] = [
  ...ROUTES.map(({ label, href }) => ({ name: label, path: () => href })),
  { name: 'Sign in', path: () => '/login' },
  { name: 'A domain', path: async ({ api }) => checkedDomain(api) },
  { name: 'The records to publish', path: async ({ api }) => `${await checkedDomain(api)}?view=publish` },
  { name: 'The details of a record', path: recordDetails },
  { name: 'The reports of a domain', path: reportedDomain },
  { name: 'The settings of a domain', path: ({ domain }) => `/domains/${domain.id}?tab=settings` },
  { name: 'The mailboxes of a domain', path: ({ domain }) => `/domains/${domain.id}?tab=mailboxes` },
  { name: 'The aliases of a domain', path: ({ domain }) => `/domains/${domain.id}?tab=aliases` },
  { name: 'A domain with a pending and a retired key', path: domainWithKeys },
  { name: 'A message', path: async ({ api, domain }) => `/messages/${(await sendMessage(api, domain)).id}` },
  { name: 'A peek', path: async ({ api, domain }) => `/messages?peek=${(await sendMessage(api, domain)).id}` },
  { name: 'An admin', path: async ({ api }) => `/admins/${(await api.call<{ id: string }>('GET', '/auth/me')).id}` },
  { name: 'A mailbox', path: async ({ api, domain }) => `/mailboxes/${(await makeMailbox(api, domain)).id}` },
  {
    name: 'A suspended mailbox',
    path: async ({ api, domain }) => {
      const { id } = await makeMailbox(api, domain);
      await api.call('POST', `/mailboxes/${id}/suspend`, { reason: 'Its password leaked' });
      return `/mailboxes/${id}`;
    },
  },
  {
    name: 'Mailboxes of a domain without any',
    path: async ({ api }) => `/mailboxes?domain=${(await makeDomain(api)).id}`,
  },
  { name: 'Aliases of a domain without any', path: async ({ api }) => `/aliases?domain=${(await makeDomain(api)).id}` },
  {
    name: 'Aliases with warnings',
    path: async ({ api, domain }) => `/aliases?domain=${(await makeAliases(api, domain)).domain_id}`,
  },
  {
    name: 'The dialog to change an alias',
    path: async ({ api, domain }) => `/aliases?edit=${(await makeAliases(api, domain)).id}`,
  },
  {
    name: 'The way of mail for an address',
    path: async ({ api, domain }) => `/aliases?trace=${(await makeAliases(api, domain)).address}`,
  },
  { name: 'The dialog for a new alias', path: () => '/aliases?new=true' },
  { name: 'The dialog for a new mailbox', path: () => '/mailboxes?new=true' },
  { name: 'The dialog to import aliases', path: () => '/aliases?import=true' },
  { name: 'The dialog to add a domain', path: () => '/domains?new=true' },
  { name: 'The dialog to add an admin', path: () => '/admins?new=true' },
  { name: 'A failed delivery', path: failedDelivery },
  { name: 'The settings of a webhook', path: webhookWithTwoSecrets },
  { name: 'How to verify a signature', path: async (made) => `${await webhookPath(made)}?tab=verify` },
  { name: 'A webhook without deliveries', path: webhookPath },
  {
    name: 'Webhooks of a domain without any',
    path: async ({ api }) => `/webhooks?domain=${(await makeDomain(api)).id}`,
  },
  { name: 'The dialog for a new webhook', path: () => '/webhooks?new=true' },
  { name: 'A new filter', path: () => '/sieve-filters/new' },
  { name: 'A filter', path: async (made) => `/sieve-filters/${(await makeFilters(made)).id}` },
  {
    name: 'Filters in their order',
    path: async (made) => `/sieve-filters?domain=${(await makeFilters(made)).domain_id}`,
  },
  {
    name: 'Filters of a domain without any',
    path: async ({ api }) => `/sieve-filters?domain=${(await makeDomain(api)).id}`,
  },
  { name: 'The dialog for a new key', path: () => '/api-keys?new=true' },
];

/** Opened once and checked four times, because they do not survive a reload. */
const DIALOGS: View[] = [
  {
    name: 'The dialog that shows a secret',
    path: () => '/api-keys?new=true',
    open: async (page) => {
      await page.getByLabel('Name', { exact: true }).fill(unique('Looks '));
      await page.getByRole('button', { name: 'Create key' }).click();
      await expect(page.getByRole('dialog', { name: /^Copy the key/ })).toBeVisible();
    },
  },
  {
    name: 'The dialog to delete a domain',
    path: async ({ api }) => `/domains/${(await makeDomain(api)).id}?tab=settings`,
    open: async (page) => {
      await page.getByRole('button', { name: 'Delete domain' }).click();
      await expect(page.getByRole('dialog', { name: /^Delete / })).toBeVisible();
    },
  },
  {
    name: 'The dialog to rotate a key',
    path: ({ domain }) => `/domains/${domain.id}?tab=dkim`,
    open: async (page) => {
      await page.getByRole('button', { name: 'Rotate key' }).click();
      await expect(page.getByRole('dialog', { name: /^Rotate the DKIM key of / })).toBeVisible();
    },
  },
  {
    name: 'The dialog to activate a key',
    path: domainWithKeys,
    open: async (page) => {
      await page.getByRole('button', { name: 'Activate looks2', exact: true }).click();
      await expect(page.getByRole('dialog', { name: 'Activate looks2' })).toBeVisible();
    },
  },
  {
    name: 'Selected aliases and what was just done',
    path: async ({ api, domain }) => `/aliases?domain=${(await makeAliases(api, domain)).domain_id}`,
    open: async (page) => {
      await page.getByRole('switch').first().press(' ');
      await expect(page.getByRole('button', { name: 'Undo' })).toBeVisible();
      await page
        .getByRole('button', { name: /^Show 1 more/ })
        .first()
        .click();
      await page
        .getByRole('checkbox', { name: /^Select looks/ })
        .first()
        .check();
    },
  },
  {
    name: 'The checked lines of an import',
    path: ({ domain }) => `/aliases?import=true&domain=${domain.id}`,
    open: async (page) => {
      const lines = `source_local_part,destination\n${unique()},ann@far.example\nx,nobody`;
      await page.getByLabel('Or paste CSV').fill(lines);
      await page.getByRole('button', { name: 'Preview import' }).click();
      await expect(page.getByRole('row', { name: /Error/ })).toBeVisible();
    },
  },
  {
    name: 'The dialog that shows a mailbox’s password',
    path: ({ domain }) => `/mailboxes?new=true&domain=${domain.id}`,
    open: async (page) => {
      await page.getByRole('textbox', { name: 'Address', exact: true }).fill(unique('looks'));
      await page.getByRole('button', { name: 'Generate password' }).click();
      await page.getByRole('button', { name: 'Create mailbox' }).click();
      await expect(page.getByRole('dialog', { name: /^Copy the password/ })).toBeVisible();
    },
  },
  {
    name: 'The dialog that shows a webhook’s secret',
    path: () => '/webhooks?new=true',
    open: async (page) => {
      await page.getByRole('radio', { name: 'Selected events' }).click();
      await page.getByRole('checkbox', { name: /^mail\.spam/ }).check();
      await page.getByRole('textbox', { name: 'Endpoint URL' }).fill(NOWHERE);
      await page.getByRole('button', { name: 'Create webhook' }).click();
      await expect(page.getByRole('dialog', { name: /^Copy the secret/ })).toBeVisible();
    },
  },
  {
    name: 'What is wrong in the dialog for a new webhook',
    path: () => '/webhooks?new=true',
    open: async (page) => {
      await page.getByRole('radio', { name: 'Selected events' }).click();
      await page.getByRole('button', { name: 'Create webhook' }).click();
      await expect(page.getByText('Select at least one event.')).toBeVisible();
    },
  },
  {
    name: 'The kinds of test events',
    path: webhookPath,
    open: async (page) => {
      await page.getByRole('button', { name: 'Send test event' }).click();
      await expect(page.getByRole('menuitem').first()).toBeVisible();
    },
  },
  {
    name: 'The palette',
    path: () => '/',
    open: async (page) => {
      await page.keyboard.press('Control+k');
      await expect(page.getByRole('option').first()).toBeVisible();
    },
  },
];

test.beforeEach(({ page }) => withoutMailServer(page));

for (const { name, path } of VIEWS) {
  test(`${name}: loads without layout shift and passes checks in both themes and widths`, async ({
    signedIn: page,
    api,
    domain,
    sql,
    check,
  }) => {
    await countShifts(page);
    const address = `${url()}${await path({ api, domain, sql })}`;
    for (const size of WIDTHS) {
      await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme: 'light' });
      await page.goto(address);
      await settled(page);
      expect(await shifts(page), `what shifted at ${size.width} px`).toEqual([]);
      await check();
      await page.emulateMedia({ colorScheme: 'dark' });
      await check();
    }
  });
}

test('a document that arrives in two parts is painted at once', async ({ signedIn: page }) => {
  const network = await cutDocuments('New alias');
  await countShifts(page);
  await page.setViewportSize(WIDTHS[1]);
  await page.goto(`${network.url}/aliases`);
  await settled(page);
  expect(await shifts(page)).toEqual([]);
  expect(network.cuts()).toBe(1);
  network.stop();
});

for (const { name, path, open } of DIALOGS) {
  test(`${name} passes checks in both themes and widths`, async ({ signedIn: page, api, domain, sql, check }) => {
    await page.emulateMedia({ colorScheme: 'light' });
    await page.goto(`${url()}${await path({ api, domain, sql })}`);
    await settled(page);
    await open?.(page);
    for (const size of WIDTHS) {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.setViewportSize(size);
        await page.emulateMedia({ colorScheme });
        await check();
      }
    }
  });
}

function makeMailbox(api: Api, domain: { id: string }): Promise<{ id: string }> {
  const over = { local_part: unique('looks'), password: 'paper boats on the canal', quota_bytes: 1_000_000_000 };
  return api.call('POST', '/mailboxes', { domain_id: domain.id, ...over });
}

async function makeAliases(api: Api, domain: Domain): Promise<{ id: string; domain_id: string; address: string }> {
  const destination = `ann@far.example,${unique('nobody')}@${domain.name}`;
  return api.call('POST', '/aliases', { domain_id: domain.id, source_local_part: unique('looks'), destination });
}

const NOWHERE = 'https://localhost:1/hook';

async function webhookPath({ api, domain }: Made): Promise<string> {
  const over = { url: NOWHERE, events: ['mail.sent', 'mail.spam'], domain_id: domain.id, name: 'Looks' };
  return `/webhooks/${(await api.call<{ id: string }>('POST', '/webhooks', over)).id}`;
}

async function webhookWithTwoSecrets(made: Made): Promise<string> {
  const path = await webhookPath(made);
  await made.api.call('POST', `${path}/rotate-secret`, {});
  return `${path}?tab=settings`;
}

async function failedDelivery(made: Made): Promise<string> {
  const path = await webhookPath(made);
  return `${path}?delivery=${(await made.api.call<{ id: string }>('POST', `${path}/test`, {})).id}`;
}

/** Written by SQL, because the API compiles every script on a mail server. */
async function makeFilters({ api, sql }: Made): Promise<{ id: string; domain_id: string }> {
  const { id: domain_id } = await makeDomain(api);
  const mailbox = await makeMailbox(api, { id: domain_id });
  const script = 'require ["fileinto"];\n\nif header :is "X-Spam" "Yes" { fileinto "Junk"; }\n';
  const make = (owner: { domain_id?: string; mailbox_id?: string }, name: string, position: number, active = true) =>
    sql<{ id: string }>(
      `INSERT INTO sieve_filter (id, scope, domain_id, mailbox_id, name, script, active, position, updated_at)
       VALUES (gen_random_uuid(), $1, $2, $3, $4, $5, $6, $7, now())
       RETURNING id`,
      [owner.mailbox_id ? 'mailbox' : 'domain', owner.domain_id, owner.mailbox_id, name, script, active, position],
    );
  await make({ mailbox_id: mailbox.id }, 'Spam to Junk', 0);
  await make({ domain_id }, unique('A rather long name of a filter '), 0, false);
  const [filter] = await make({ domain_id }, 'Newsletters', 1);
  return { id: `${filter?.id}`, domain_id };
}
