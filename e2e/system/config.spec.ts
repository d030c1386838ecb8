import { expect, test, url } from '../support/fixtures';

type Setting = { key: string; value: unknown; source: string; updated_at: string | null };

test('changes settings after a review of the difference, and keeps their history', async ({
  signedIn: page,
  api,
  domain,
  sql,
  check,
  checkState,
}) => {
  await sql(
    `INSERT INTO tls_report (id, domain_id, fingerprint, organisation, contact, report_id, begin_at, end_at, day, sessions,
                             failed_sessions, policies, row_count, is_truncated, source, received_at)
     SELECT gen_random_uuid(), $1, '\\x00', '', '', '', at, at, at, 1, 0, '[]', 0, false, 'upload', at
       FROM (SELECT now() - interval '200 days' AS at) old`,
    [domain.id],
  );
  await page.goto(`${url()}/system/config`);
  await expect(page.getByRole('button', { name: 'History: REPORT_RETENTION_DAYS' })).toHaveCount(0);
  const groups = page.getByRole('navigation', { name: 'Groups' });
  await groups.getByRole('link', { name: 'Server' }).click();
  await expect(groups).toBeInViewport({ ratio: 1 });
  await page.getByRole('textbox', { name: 'REPORT_RETENTION_DAYS' }).fill('90');
  await page.getByRole('textbox', { name: 'SANDBOX_MAX_SIZE_MB' }).fill('512');
  const bar = page.getByRole('region', { name: 'Unsaved changes' });
  await expect(bar).toContainText('2 unsaved changes');
  await check();
  await bar.getByRole('button', { name: 'Review changes' }).click();
  const dialog = page.getByRole('dialog', { name: 'Review changes' });
  const change = dialog.getByRole('listitem').filter({ hasText: 'REPORT_RETENTION_DAYS' });
  await expect(change.getByRole('deletion')).toHaveText('400 days');
  await expect(change.getByRole('insertion')).toHaveText('90 days');
  await expect(change).toContainText(/^.*Older than that: [\d,]+ reports/);
  await checkState();
  await dialog.getByRole('button', { name: 'Save 2 changes' }).click();
  await expect(page.getByText('Saved 2 changes.')).toBeVisible();
  await expect(bar).toHaveCount(0);
  const saved = await api.call<Setting[]>('GET', '/config');
  const values = Object.fromEntries(saved.map(({ key, value, source }) => [key, [value, source]]));
  expect(values).toMatchObject({
    REPORT_RETENTION_DAYS: [90, 'database'],
    SANDBOX_MAX_SIZE_MB: [512, 'database'],
  });

  await page.getByRole('button', { name: 'History: REPORT_RETENTION_DAYS' }).click();
  const history = page.getByRole('dialog', { name: 'History of Report retention' });
  await expect(history.getByRole('listitem').first()).toContainText('90 days');
  await check();
  await page.goBack();
  await expect(history).toHaveCount(0);
  await page.goForward();
  await history.getByRole('listitem').first().getByRole('button', { name: 'Restore the default' }).click();
  await page.getByRole('button', { name: 'Use default: SANDBOX_MAX_SIZE_MB' }).click();
  await bar.getByRole('button', { name: 'Review changes' }).click();
  await expect(dialog.getByRole('insertion').first()).toContainText('(default)');
  await dialog.getByRole('button', { name: 'Save 2 changes' }).click();
  await expect(page.getByRole('button', { name: 'Use default: REPORT_RETENTION_DAYS' })).toHaveCount(0);
});

test('says which value is not valid, and who changed a setting in the meantime', async ({
  signedIn: page,
  api,
  checkState,
}) => {
  await page.goto(`${url()}/system/config?q=AUDIT_RETENTION`);
  const days = page.getByRole('textbox', { name: 'AUDIT_RETENTION_DAYS', exact: true });
  const choice = page.getByRole('combobox', { name: 'AUDIT_RETENTION_DAYS: none or a number' });
  await expect(choice).toHaveValue('Entries stay in the database');
  await expect(days).toHaveCount(0);
  await choice.click();
  await page.getByRole('option', { name: 'Kept for' }).click();
  await expect(days).toHaveValue('');
  await days.fill('30');
  await days.fill('');
  await expect(days).toBeFocused();
  await days.fill('5000');
  const alert = page.getByRole('region', { name: 'Unsaved changes' }).getByRole('alert');
  const review = page.getByRole('button', { name: 'Review changes' });
  await review.click();
  await expect(alert).toContainText('from 0 to 3650');
  await expect(days).toHaveAttribute('aria-invalid', 'true');
  await checkState();
  await api.call('PATCH', '/config', { values: { AUDIT_RETENTION_DAYS: 100 } });
  await days.fill('200');
  await review.click();
  await expect(alert).toContainText('AUDIT_RETENTION_DAYS (by ');
  await review.click();
  const dialog = page.getByRole('dialog', { name: 'Review changes' });
  await expect(dialog.getByRole('deletion')).toHaveText('100 days');
  await api.call('PATCH', '/config', { values: { AUDIT_RETENTION_DAYS: 150 } });
  await dialog.getByRole('button', { name: 'Save 1 change' }).click();
  await expect(dialog.getByRole('alert')).toContainText('AUDIT_RETENTION_DAYS (by ');
  await expect(dialog.getByRole('deletion')).toHaveText('150 days');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Discard changes' }).click();
  await expect(days).toHaveValue('150 days');
  await api.call('PATCH', '/config', { values: { AUDIT_RETENTION_DAYS: null } });
});

test('finds settings by name, description and value, and shows what only the environment sets', async ({
  signedIn: page,
  check,
}) => {
  await page.goto(`${url()}/system/config`);
  await page.getByRole('textbox', { name: 'Search settings' }).fill('cookies');
  const rows = page.getByRole('listitem').filter({ has: page.getByRole('heading', { level: 3 }) });
  await expect(rows).toHaveCount(1);
  await expect(rows).toContainText('SECRET_KEY');
  await expect(rows).toContainText('••••••••');
  await expect(rows).toContainText('Set in the environment');
  await expect(rows.getByRole('textbox')).toHaveCount(0);
  await page.getByRole('textbox', { name: 'Search settings' }).fill('ALERT_EMAILS');
  await expect(rows.getByRole('heading')).toHaveText(['Alert recipients']);
  await expect(rows.getByPlaceholder('Nobody')).toBeVisible();
  await page.getByRole('textbox', { name: 'Search settings' }).fill('BACKUP_TARGET');
  await expect(rows.first()).toContainText('Only here');
  await page.getByRole('textbox', { name: 'Search settings' }).fill('no such thing');
  await expect(page.getByText('No setting matches.')).toBeVisible();
  await check();
});
