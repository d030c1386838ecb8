import type { Page } from '@playwright/test';
import { answerProcedure, failProcedure } from '../support/faults';
import { alertWith, expect, makeDomain, test, url } from '../support/fixtures';

// One operation at a time, over the whole server.
test.describe.configure({ mode: 'serial' });

const archives = (page: Page) => page.getByRole('table', { name: /^Backups/ });
const newest = (page: Page) => archives(page).getByRole('row').nth(1);
const panel = (page: Page) => page.getByRole('region', { name: 'Operation', exact: true });

async function act(page: Page, item: string) {
  await newest(page)
    .getByRole('button', { name: /^Actions/ })
    .click();
  await page.getByRole('menuitem', { name: item }).click();
}

async function backUp(page: Page) {
  await page.goto(`${url()}/system/backups`);
  await page.getByRole('button', { name: 'Back up database now' }).click();
  await expect(panel(page)).toContainText(/Stored [\d,]+ rows/);
  await expect(newest(page)).toContainText('Completed');
}

test('makes a backup, verifies it, and proves that it restores', async ({ signedIn: page, check }) => {
  await backUp(page);
  await expect(newest(page)).toContainText('Not proven');
  await check();
  await act(page, 'Verify the archive');
  await expect(panel(page)).toContainText('Verify');
  await expect(panel(page)).toContainText('Done');
  await act(page, 'Prove that it restores');
  await expect(newest(page)).toContainText('Proven', { timeout: 60_000 });
  await expect(panel(page)).toContainText('Restored and compared');
  const download = page.waitForEvent('download');
  await act(page, 'Download');
  expect((await download).suggestedFilename()).toMatch(/^postroom-.*\.age$/);
  await check();
});

test('restores one domain after a preview, and only once its name is typed', async ({
  signedIn: page,
  api,
  checkState,
}) => {
  const domain = await makeDomain(api);
  const { name } = domain;
  const alias = { domain_id: domain.id, source_local_part: 'hello', destination: 'ann@far.example' };
  const { id } = await api.call<{ id: string }>('POST', '/aliases', alias);
  await backUp(page);
  await api.call('DELETE', `/aliases/${id}`);
  await act(page, 'Restore…');
  const dialog = page.getByRole('dialog');
  await checkState();
  await dialog.getByRole('radio', { name: 'One domain' }).check({ force: true });
  await dialog.getByRole('combobox', { name: 'Domain' }).fill(name);
  await page.getByRole('option', { name }).click();
  await dialog.getByRole('button', { name: 'Preview' }).click();
  await expect(dialog).toContainText('1 added: hello', { timeout: 30_000 });
  await checkState();
  await dialog.getByRole('button', { name: 'Continue' }).click();
  const confirm = dialog.getByRole('button', { name: `Restore ${name}` });
  await expect(confirm).toBeDisabled();
  await dialog.getByLabel(`Type ${name} to confirm`).fill(name);
  await checkState();
  await confirm.click();
  await expect(panel(page)).toContainText(/Restored [\d,]+ rows/, { timeout: 30_000 });
  expect(await api.call('GET', `/aliases/${id}`)).toMatchObject({ source_local_part: 'hello' });
});

test('deletes an archive once that is confirmed', async ({ signedIn: page, checkState }) => {
  await backUp(page);
  const made = await newest(page)
    .getByRole('button', { name: /^Actions/ })
    .getAttribute('aria-label');
  await act(page, 'Delete…');
  await checkState();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByRole('button', { name: String(made), exact: true })).toHaveCount(0);
});

test('says why a backup failed, and that another operation is running', async ({ signedIn: page, check }) => {
  await page.goto(`${url()}/system/backups`);
  await failProcedure(page, 'backups.create', { code: 'CONFLICT', status: 409, message: 'A restore is running.' });
  await page.getByRole('button', { name: 'Back up database now' }).click();
  await expect(alertWith(page, 'Couldn’t start the backup.')).toContainText('A restore is running.');
  await check();
});

const SNAPSHOT = {
  id: 'a'.repeat(64),
  host: 'mx1.example',
  taken_at: '2026-11-21T03:00:00.000Z',
  added_bytes: 1_000_000,
  size_bytes: 80_000_000,
  files: 1200,
};
const SERVER = {
  host: 'mx1.example',
  repository: '/srv/mail/backups/mail',
  last_success_at: '2026-11-21T03:00:00.000Z',
  last_failure_at: '2026-11-22T03:00:00.000Z',
  failure: 'The disk has no room.',
  last_check_at: null,
  check_failure: '',
  next_run_at: '2026-11-23T03:00:00.000Z',
};

test('lists the snapshots of mail, and restores a mailbox in place only once its address is typed', async ({
  signedIn: page,
  check,
  checkState,
}) => {
  await answerProcedure(page, 'mailBackups.get', {
    mail_servers: [SERVER],
    snapshots: [SNAPSHOT],
    running_operation_id: null,
  });
  await answerProcedure(page, 'mailboxes.list', {
    items: [{ id: crypto.randomUUID(), email: 'ann@a.example' }],
    pagination: { has_more: false, next_cursor: '', total: 1 },
  });
  await page.goto(`${url()}/system/backups`);
  const mail = page.getByRole('region', { name: 'Mail snapshots' });
  await expect(mail).toContainText('The disk has no room.');
  await check();
  await mail.getByRole('button', { name: /^Actions: snapshot of/ }).click();
  await page.getByRole('menuitem', { name: 'Restore a mailbox…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('combobox', { name: 'Mailbox' }).click();
  await page.getByRole('option', { name: 'ann@a.example' }).click();
  const restore = dialog.getByRole('button', { name: 'Restore', exact: true });
  await expect(restore).toBeEnabled();
  await dialog.getByRole('radio', { name: 'In place' }).check({ force: true });
  await expect(restore).toBeDisabled();
  await dialog.getByLabel('Type ann@a.example to confirm').fill('ann@a.example');
  await expect(restore).toBeEnabled();
  await checkState();
});

const FAILED_BACKUP = {
  id: crypto.randomUUID(),
  trigger: 'request',
  status: 'failed',
  name: 'postroom-20261121.age',
  location: 's3://offsite/production',
  size_bytes: null,
  checksum: null,
  version: null,
  rows: null,
  due_at: null,
  attempts: 1,
  next_attempt_at: null,
  started_at: '2026-11-21T03:00:00.000Z',
  finished_at: '2026-11-21T03:00:31.000Z',
  error: 'Backup storage didn’t respond. Check BACKUP_TARGET.',
  proof: { state: 'none', at: null, message: null },
};

test('says when the first backup of mail begins, and where a failed backup was to go', async ({
  signedIn: page,
  check,
}) => {
  await answerProcedure(page, 'mailBackups.get', {
    mail_servers: [{ ...SERVER, next_run_at: null }],
    snapshots: [SNAPSHOT],
    running_operation_id: null,
  });
  await answerProcedure(page, 'backups.list', {
    items: [FAILED_BACKUP],
    pagination: { has_more: false, next_cursor: '', total: 1 },
  });
  await page.goto(`${url()}/system/backups`);
  const mail = page.getByRole('region', { name: 'Mail snapshots' });
  await expect(mail.getByRole('definition').filter({ hasText: 'After the database backup' })).toContainText(/^in \d/);
  await page.setViewportSize({ width: 360, height: 740 });
  const widths = await mail
    .getByText(/^(Last mail check|Next mail backup)$/)
    .evaluateAll((terms) => terms.map((term) => Math.round(Number(term.parentElement?.getBoundingClientRect().width))));
  expect(widths[0], 'both halves are as wide').toBe(widths[1]);
  expect(widths).toHaveLength(2);
  await expect(archives(page)).toContainText('BACKUP_TARGET was s3://offsite/production then.');
  await expect(archives(page)).toContainText('No action needed: a later backup completed.');
  await check();
});
