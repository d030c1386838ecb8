import { expect, makeDomain, test, unique, url, useSession } from '../support/fixtures';

test('sorts alerts by severity or age, also at 360 px, where the selected ones are closed', async ({
  signedIn: page,
  api,
  sql,
  checkState,
}) => {
  const domain = await makeDomain(api);
  for (const [severity, local, hours] of [
    ['critical', 'oldest', 3],
    ['warning', 'middle', 2],
    ['critical', 'newest', 1],
  ] as const) {
    await sql(
      `INSERT INTO alert (id, kind, severity, subject, domain_id, count, expected, created_at, updated_at)
       VALUES (gen_random_uuid(), 'rate_limited', $1::alert_severity, $2, $3, 300, 200,
               now() - make_interval(hours => $4::int), now())`,
      [severity, `${local}@${domain.name}`, domain.id, hours],
    );
  }
  await page.goto(`${url()}/alerts?domain=${domain.id}`);
  const rows = page.getByRole('table', { name: 'Alerts' }).getByRole('row');
  const order = (...names: string[]) =>
    expect(rows.filter({ hasText: domain.name })).toHaveText(names.map((name) => new RegExp(name)));
  await order('newest', 'oldest', 'middle');
  await page.getByRole('columnheader', { name: 'Raised' }).getByRole('button').click();
  await expect(page).toHaveURL(/sort=created_at/);
  await order('oldest', 'middle', 'newest');
  await page.getByRole('columnheader', { name: 'Raised' }).getByRole('button').click();
  await order('newest', 'middle', 'oldest');
  await page.getByRole('columnheader', { name: 'Severity' }).getByRole('button').click();
  await order('middle', 'oldest', 'newest');
  await checkState();

  await page.setViewportSize({ width: 360, height: 740 });
  await page.getByRole('columnheader', { name: 'Raised' }).getByRole('button').click();
  await order('oldest', 'middle', 'newest');
  await page.getByRole('checkbox', { name: /^Select .*middle/ }).click();
  await page.getByRole('checkbox', { name: /^Select .*oldest/ }).click();
  const bar = page.getByRole('group', { name: 'Selected alerts' });
  await expect(bar).toContainText('2 selected');
  await checkState();
  await bar.getByRole('button', { name: 'Close' }).click();
  await expect(page.getByText('Closed 2 alerts')).toBeVisible();
  await order('newest');
  await page.getByRole('button', { name: /^More actions for .*newest/ }).click();
  await page.getByRole('menuitem', { name: 'Acknowledge' }).click();
  await expect(page.getByText(/^Acknowledged /)).toBeVisible();
});

test('filters alerts by kind and severity, and closes several at once', async ({
  signedIn: page,
  api,
  sql,
  check,
  checkState,
}) => {
  const domain = await makeDomain(api);
  for (const [kind, severity, local] of [
    ['rate_limited', 'warning', 'one'],
    ['rate_limited', 'warning', 'two'],
    ['mailbox_suspended', 'critical', 'three'],
  ]) {
    await sql(
      `INSERT INTO alert (id, kind, severity, subject, domain_id, count, expected, updated_at)
       VALUES (gen_random_uuid(), $1::alert_kind, $2::alert_severity, $3, $4, 300, 200, now())`,
      [kind, severity, `${local}@${domain.name}`, domain.id],
    );
  }
  await page.goto(`${url()}/alerts?domain=${domain.id}`);
  const rows = page.getByRole('table', { name: 'Alerts' }).getByRole('row');
  await expect(rows).toHaveCount(4);
  await page.getByRole('combobox', { name: 'Severity' }).click();
  await page.getByRole('option', { name: 'Critical' }).click();
  await expect(rows).toHaveCount(2);
  await expect(rows.last()).toContainText('three');
  await rows
    .last()
    .getByRole('button', { name: /^More actions for / })
    .click();
  await page.getByRole('menuitem', { name: 'Mute…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Mute alerts' });
  const subject = dialog.getByRole('combobox', { name: 'Subject (optional)' });
  await expect(subject).toHaveValue(`three@${domain.name}`);
  await expect(dialog.getByRole('combobox', { name: 'Domain', exact: true })).toHaveValue(domain.name);
  await subject.fill('three');
  await page.getByRole('option', { name: `three@${domain.name}` }).click();
  await dialog.getByLabel('Reason (optional)').fill('Known');
  await dialog.getByRole('button', { name: 'Mute alerts' }).click();
  await expect(rows.last()).toContainText('Muted');
  await page.getByRole('tab', { name: 'Notifications' }).click();
  const muted = page.getByRole('list', { name: 'Muted alerts' }).getByRole('listitem').filter({ hasText: domain.name });
  await expect(muted).toContainText(/Until .* by .*Known/);
  await checkState();
  await muted.getByRole('button', { name: /^Unmute / }).click();
  await expect(muted).toHaveCount(0);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(muted).toHaveCount(1);
  await muted.getByRole('button', { name: /^Unmute / }).click();
  await expect(muted).toHaveCount(0);
  await page.getByRole('tab', { name: 'Alerts' }).click();
  await expect(rows.last()).not.toContainText('Muted');
  await check();
  await page.goto(`${url()}/alerts?domain=${domain.id}&kind=rate_limited`);
  await expect(rows).toHaveCount(3);
  await page.getByRole('checkbox', { name: 'Select all on this page' }).click();
  const bar = page.getByRole('group', { name: 'Selected alerts' });
  await check();
  await bar.getByRole('button', { name: 'Close' }).click();
  await expect(page.getByText('Closed 2 alerts')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'No matching alerts' })).toBeVisible();
  await check();
});

test('alerts link to what they are about', async ({ signedIn: page, api, sql, check }) => {
  const domain = await makeDomain(api);
  const host = `${unique('hooks-')}.example`;
  const { id } = await api.call<{ id: string }>('POST', '/webhooks', {
    url: `https://${host}/mail`,
    events: ['mail.bounced'],
  });
  for (const [kind, subject, domainId] of [
    ['webhook_failing', `${host} (${id})`, null],
    ['dns_broken', domain.name, domain.id],
  ]) {
    await sql(
      `INSERT INTO alert (id, kind, severity, subject, domain_id, count, expected, updated_at)
       VALUES (gen_random_uuid(), $1::alert_kind, 'critical', $2, $3, 30, 0, now())`,
      [kind, subject, domainId],
    );
  }
  await page.goto(`${url()}/alerts`);
  const alerts = page.getByRole('table', { name: 'Alerts' });
  await expect(alerts.getByRole('link', { name: host, exact: true })).toHaveAttribute('href', `/webhooks/${id}`);
  const stepOf = (subject: string) =>
    alerts.getByRole('row', { name: subject }).getByRole('link', { name: /^(Review|Fix) / });
  await expect(stepOf(host)).toHaveText('Review deliveries');
  await expect(stepOf(host)).toHaveAttribute('href', `/webhooks/${id}`);
  await expect(stepOf(domain.name)).toHaveText('Fix the records');
  await check();
  await alerts.getByRole('link', { name: domain.name, exact: true }).click();
  await expect(page.getByRole('heading', { level: 1, name: domain.name })).toBeVisible();
});

test('a super admin chooses who gets alert emails, and tests a webhook for alerts', async ({
  page,
  api,
  domain,
  makeAdmin,
  check,
}) => {
  await useSession(page, (await makeAdmin('super_admin')).cookie);
  const name = unique('On-call chat ');
  await api.call('POST', '/webhooks', { url: 'https://127.0.0.1:9/alerts', events: ['system.alert'], name });
  await page.goto(`${url()}/alerts?tab=notifications`);
  const emails = page.getByRole('region', { name: 'Alert emails' });
  await emails.getByLabel('Send alerts to').fill('ops@far.example');
  await page.keyboard.press('Enter');
  await emails.getByRole('combobox', { name: 'Severity' }).click();
  await page.getByRole('option', { name: 'Critical only' }).click();
  await emails.getByLabel('Quiet hours').fill('22:00-07:00 Nowhere/Else');
  await emails.getByRole('button', { name: 'Save' }).click();
  await expect(emails.getByLabel('Quiet hours')).toHaveAccessibleDescription(/must be hours/i);
  await emails.getByLabel('Quiet hours').fill('22:00-07:00 Europe/Berlin');
  await check();
  await emails.getByRole('button', { name: 'Save' }).click();
  await expect(emails.getByRole('status')).toContainText('Saved');
  await emails.getByRole('button', { name: 'Send test email' }).click();
  await expect(page.getByText('Sent a test to ops@far.example')).toBeVisible();
  await emails.getByLabel('Domains').fill(domain.name.slice(0, -4));
  await expect(page.getByRole('option', { name: domain.name })).toBeVisible();
  await emails.getByLabel('Domains').fill('');
  const settings = await api.call<{ key: string; value: unknown }[]>('GET', '/config');
  const settingOf = (key: string) => settings.find((setting) => setting.key === key)?.value;
  expect(settingOf('ALERT_EMAILS')).toEqual(['ops@far.example']);
  expect(settingOf('ALERT_EMAIL_SEVERITY')).toBe('critical');
  expect(settingOf('ALERT_QUIET_HOURS')).toBe('22:00-07:00 Europe/Berlin');
  const values = { ALERT_EMAILS: null, ALERT_EMAIL_SEVERITY: null, ALERT_QUIET_HOURS: null };
  await api.call('PATCH', '/config', { values });

  const webhooks = page.getByRole('list', { name: 'Webhooks for alerts' });
  await webhooks.getByRole('button', { name: `Send test to ${name}` }).click();
  await expect(page.getByText(`The test alert to ${name} failed`)).toBeVisible();
  await check();
  await webhooks.getByRole('link', { name }).click();
  await expect(page).toHaveURL(/\/webhooks\/[0-9a-f-]{36}/);

  await page.goto(`${url()}/alerts?tab=notifications`);
  await page.getByRole('link', { name: 'Add webhook' }).click();
  const dialog = page.getByRole('dialog', { name: 'New webhook' });
  await expect(dialog.getByRole('radio', { name: 'Selected events' })).toBeChecked();
  await expect(dialog.getByRole('checkbox', { checked: true })).toHaveCount(1);
  await expect(dialog.getByRole('checkbox', { name: /^system\.alert/ })).toBeChecked();
  await check();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(page).toHaveURL(`${url()}/webhooks`);
  await page.goto(`${url()}/webhooks?new=true&event=other`);
  await expect(dialog.getByRole('checkbox', { name: /^system\.alert/ })).not.toBeChecked();
});
