import type { Page } from '@playwright/test';
import { eachCase, inGroups, namesOf } from '../../support/cases';
import { checkAccessibility, checkPage, checkThemes } from '../../support/check-page';
import { domainWithKeys } from '../../support/checked-domain';
import { withoutMailServer } from '../../support/faults';
import { expect, makeDomain, test, unique, url } from '../../support/fixtures';
import { resize, settled, WIDTHS } from '../../support/layout-shifts';
import { type Made, makeAliases, NOWHERE, webhookPath } from './data';

type Opened = { name: string; path: (made: Made) => string | Promise<string>; open: (page: Page) => Promise<void> };

/** Dialogs and drawers that a scenario opens step by step, and that a reload closes. */
const DIALOGS: Opened[] = [
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
    name: 'The dialog to mute alerts',
    path: () => '/alerts?tab=notifications',
    open: async (page) => {
      await page.getByRole('button', { name: 'Mute alerts' }).click();
      await expect(page.getByRole('dialog', { name: 'Mute alerts' })).toBeVisible();
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
      await page.getByRole('textbox', { name: 'Endpoint URL' }).fill(NOWHERE);
      await page.getByRole('button', { name: 'Create webhook' }).click();
      await expect(page.getByRole('dialog', { name: /^Copy the secret/ })).toBeVisible();
    },
  },
  {
    name: 'What is wrong in the dialog for a new webhook',
    path: () => '/webhooks?new=true',
    open: async (page) => {
      const selected = page.getByRole('checkbox', { checked: true });
      while ((await selected.count()) > 0) await selected.first().uncheck();
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

for (const group of inGroups(DIALOGS, 4)) {
  test(`are accessible in both themes and widths: ${namesOf(group)}`, async ({
    signedIn: page,
    api,
    domain,
    sql,
    watched,
  }) => {
    await withoutMailServer(page);
    const [wide, narrow] = WIDTHS;
    await eachCase(group, watched, async ({ path, open }) => {
      await page.setViewportSize(wide);
      await page.goto(`${url()}${await path({ api, domain, sql })}`);
      await settled(page);
      await open(page);
      await checkThemes(page);
      await checkPage(page, watched);
      await resize(page, narrow);
      await checkAccessibility(page);
      await checkPage(page, watched);
    });
  });
}
