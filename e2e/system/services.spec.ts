import type { Page } from '@playwright/test';
import { checkView } from '../support/check-view';
import { answerProcedure, failProcedure } from '../support/faults';
import { alertWith, expect, type Sql, test, url } from '../support/fixtures';
import { countShifts } from '../support/layout-shifts';
import { startMailAgent } from '../support/mail-agent';
import { attachMailHost } from '../support/operating-agent';

// One operation at a time, over all mail servers.
test.describe.configure({ mode: 'serial' });

let detach: (() => Promise<void>) | null = null;
test.afterEach(async () => {
  await detach?.();
  detach = null;
});

async function attach(sql: Sql, changes: Parameters<typeof attachMailHost>[1] = []) {
  const mailHost = await attachMailHost(sql, changes);
  detach = mailHost.detach;
  return mailHost;
}

const hostSection = (page: Page, host: string) => page.getByRole('region', { name: host });
const operationPanel = (page: Page) => page.getByRole('region', { name: 'Operation', exact: true });
const operations = (page: Page) => page.getByRole('table', { name: /^Operations/ });

test('without a mail server the page explains how to attach one', async ({ signedIn: page, check }) => {
  const nothing = { services: [], relays: [], instances: [], running: null };
  const answering = await answerProcedure(page, 'services.get', { mail_server: 'none', ...nothing });
  await page.goto(`${url()}/system/services`);
  await expect(page.getByRole('heading', { name: 'No mail server is attached' })).toBeVisible();
  const chapter = page.getByRole('main').getByRole('link', { name: 'Your own mail server' });
  await expect(chapter).toHaveAttribute('href', '/docs/mail-server');
  await check();
  await answering();
  await answerProcedure(page, 'services.get', { mail_server: 'silent', ...nothing });
  await page.reload();
  await expect(alertWith(page, 'The mail agent is not responding')).toContainText('systemctl status');
  await check();
});

test('shows each service, what is wrong with it, and files that differ from the settings', async ({
  signedIn: page,
  sql,
  check,
  checkState,
}) => {
  const { host } = await attach(sql, [
    { service: 'dovecot', state: 'not_responding', message: 'It answered: * BYE' },
    { service: 'rspamd', state: 'stopped' },
  ]);
  await page.goto(`${url()}/system/services`);
  const table = page.getByRole('table', { name: `Services of ${host}` });
  await expect(table.getByRole('row', { name: 'Redis' })).toContainText('Running');
  await expect(table.getByRole('row', { name: 'Redis' })).toContainText('As Postroom wrote it');
  await expect(table.getByRole('row', { name: 'Dovecot' }).first()).toContainText('Not responding');
  await expect(table.getByRole('row', { name: 'Dovecot' }).first()).toContainText('Plus custom/dovecot');
  await expect(table).toContainText('It answered: * BYE. Restart it.');
  await expect(table).toContainText('Rspamd is not running.');
  // Where a restart interrupts mail, it is in the menu.
  await expect(table.getByRole('button', { name: /^Restart/ })).toHaveCount(2);
  await check();
  await table.getByRole('button', { name: 'main.cf was changed. Review: Postfix' }).click();
  await expect(table).toContainText('postfix/main.cf differs from what the settings generate');
  await expect(table).toContainText('what was edited by hand is lost');
  await checkState();
  await table.getByRole('button', { name: 'Show the difference' }).click();
  await expect(operationPanel(page)).toContainText('Waiting for the mail agent');
});

test('restarts a service after confirmation, with its output as it comes, also after leaving the page', async ({
  signedIn: page,
  sql,
  check,
}) => {
  const mailHost = await attach(sql);
  await page.goto(`${url()}/system/services`);
  await hostSection(page, mailHost.host).getByRole('button', { name: 'Actions: Postfix' }).click();
  await page.getByRole('menuitem', { name: 'Restart…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Restart Postfix' });
  await expect(dialog).toContainText('may arrive twice');
  await check();
  await dialog.getByRole('button', { name: 'Restart Postfix' }).click();
  await expect(operationPanel(page)).toContainText('Waiting for the mail agent');
  await expect(page.getByRole('button', { name: 'More actions' }).first()).toBeDisabled();
  const id = await mailHost.claim();
  await mailHost.say(id, 'step', 'Stopping Postfix');
  await expect(page.getByRole('log')).toContainText('Stopping Postfix');
  await check();

  await page.getByRole('link', { name: 'Queue', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Queue', level: 1 })).toBeVisible();
  await mailHost.say(id, 'error', 'Postfix didn’t stop within 10 seconds and was killed.');
  await page.getByRole('link', { name: 'Services', exact: true }).click();
  await expect(page.getByRole('log')).toContainText('Error: Postfix didn’t stop within 10 seconds');
  await mailHost.finish(id, 'succeeded', 'Restarted Postfix.');
  await expect(operationPanel(page).getByRole('status')).toHaveText('Restarted Postfix.');
  await expect(operations(page).getByRole('row', { name: 'Restart Postfix' }).first()).toContainText('Succeeded');
  await expect(hostSection(page, mailHost.host).getByRole('button', { name: 'Apply configuration' })).toBeEnabled();
  await check();
  await operationPanel(page).getByRole('button', { name: 'Close' }).click();
  await expect(operationPanel(page)).toHaveCount(0);
  await operations(page).getByRole('button', { name: 'Restart Postfix' }).first().click();
  await expect(page).toHaveURL(new RegExp(`operation=${id}`));
  await expect(page.getByRole('log')).toContainText('Stopping Postfix');
});

test('previews the configuration as a diff, and shows an operation that was rolled back', async ({
  signedIn: page,
  sql,
  check,
  checkState,
}) => {
  const mailHost = await attach(sql);
  await page.goto(`${url()}/system/services`);
  const section = hostSection(page, mailHost.host);
  await section.getByRole('button', { name: 'Preview configuration' }).click();
  const preview = await mailHost.claim();
  for (const line of ['Changes: postfix/main.cf', '@@ -1 +1 @@', '-biff = yes', '+biff = no'])
    await mailHost.say(preview, 'diff', line);
  await mailHost.finish(preview, 'succeeded', 'Would change 1 file and reload Postfix. Nothing was changed.');
  await expect(page.getByRole('log')).toContainText('+biff = no');
  await expect(operationPanel(page)).toContainText('Nothing was changed.');
  await checkState();

  await section.getByRole('button', { name: 'Apply configuration' }).click();
  const dialog = page.getByRole('dialog', { name: 'Apply configuration' });
  await expect(dialog).toContainText('the former files are restored');
  await dialog.getByRole('button', { name: 'Apply configuration' }).press('Enter');
  const id = await mailHost.claim();
  const message = 'Postfix didn’t respond with the new configuration. The former configuration is in place again.';
  await mailHost.finish(id, 'rolled_back', message);
  await expect(operationPanel(page)).toContainText(message);
  await expect(operations(page).getByRole('row', { name: 'Apply configuration' }).first()).toContainText('Rolled back');
  await check();
});

test('shows the operation that is running if another one can’t start', async ({ signedIn: page, sql, api, check }) => {
  const mailHost = await attach(sql);
  await page.goto(`${url()}/system/services`);
  await hostSection(page, mailHost.host).getByRole('button', { name: 'Actions: Dovecot' }).click();
  await page.getByRole('menuitem', { name: 'Restart…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Restart Dovecot' });
  await expect(dialog).toBeVisible();
  const { id } = await api.call<{ id: string }>('POST', '/orchestrator/operations', {
    action: 'rebuild_maps',
    host: mailHost.host,
  });
  await mailHost.claim();
  await dialog.getByRole('button', { name: 'Restart Dovecot' }).click();
  await expect(alertWith(page, 'Another operation is running')).toBeVisible();
  await expect(page).toHaveURL(new RegExp(`operation=${id}`));
  await expect(page.getByRole('heading', { name: 'Rebuild maps' })).toBeVisible();
  await check();
  await mailHost.finish(id, 'interrupted', 'The mail agent stopped while it ran.');
  await expect(operationPanel(page)).toContainText('Interrupted');
});

test('shows whether a relay is used, and tests it', async ({ signedIn: page, sql, check, checkState }) => {
  const mailHost = await attach(sql);
  await page.goto(`${url()}/system/services`);
  const relay = hostSection(page, mailHost.host).getByRole('region', { name: 'Relay' });
  await expect(relay).toContainText('Not used');
  await expect(relay).toContainText('Mail would go to its recipients’ servers directly, but the sandbox keeps it.');
  const used = { destination: '[smtp.relay.example]:587', user: 'key-7', tls: 'encrypt', isTlsFromStart: false };
  await sql('UPDATE mail_agent SET relay = $2 WHERE host = $1', [mailHost.host, JSON.stringify(used)]);
  await expect(relay).toContainText('[smtp.relay.example]:587');
  await expect(relay).toContainText('RELAY_SPF');
  await check();

  const asked: object[] = [];
  const stop = await startMailAgent({
    'relay.test': (mail) => {
      asked.push(mail);
      const lines = [
        { kind: 'sent', text: 'AUTH PLAIN ••••••••' },
        { kind: 'received', text: '535 5.7.8 Authentication failed' },
      ] as const;
      const message = 'smtp.relay.example rejects the user or the password.';
      return { host: mailHost.host, result: { outcome: 'credentials', message, lines: [...lines] } };
    },
  });
  try {
    await relay.getByLabel('To').fill('bo@far.example');
    await relay.getByRole('button', { name: 'Test relay' }).click();
    await expect(relay).toContainText('Enter a sender, too.');
    await relay.getByLabel('From').fill('ann@here.example');
    await relay.getByRole('button', { name: 'Test relay' }).click();
    await expect(relay.getByRole('status')).toContainText('rejects the user or the password');
    await expect(relay.getByRole('log')).toContainText('> AUTH PLAIN ••••••••');
    await expect(relay.getByRole('log')).toContainText('< 535 5.7.8');
    expect(asked).toEqual([{ from: 'ann@here.example', to: 'bo@far.example' }]);
    await checkState();
  } finally {
    await stop();
  }
});

test('says what failed if the services can’t be loaded', async ({ signedIn: page, check }) => {
  const fault = { status: 500, code: 'INTERNAL_ERROR', message: 'x' };
  const end = await failProcedure(page, 'services.get', fault);
  await page.goto(`${url()}/system/services`);
  await expect(alertWith(page, 'Couldn’t load the services')).toBeVisible();
  await check();
  await end();
  await page.getByRole('button', { name: 'Retry' }).click();
  await expect(alertWith(page, 'Couldn’t load the services')).toHaveCount(0);
});

test('loads without layout shifts, in both themes and all widths', async ({ signedIn: page, sql, watched }) => {
  const mailHost = await attach(sql);
  await countShifts(page);
  await checkView(page, `${url()}/system/services`, watched);
  await expect(hostSection(page, mailHost.host)).toBeVisible();
});
