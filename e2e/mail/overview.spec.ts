import { expect, makeDomain, sendMessage, test, unique, url, useSession } from '../support/fixtures';
import { countShifts, shifts, WIDTHS } from '../support/layout-shifts';

test('shows the setup checklist, which leads to the DNS records, until the first message is sent, then totals', async ({
  page,
  api,
  makeAdmin,
  check,
}) => {
  const domain = await makeDomain(api);
  const { cookie, email } = await makeAdmin('domain_admin', [domain]);
  await useSession(page, cookie);
  await api.call('POST', `/domains/${domain.id}/dns/check`);
  await page.goto(`${url()}/`);
  const steps = page.getByRole('region', { name: 'Get started' });
  await expect(steps.getByRole('listitem').filter({ hasText: 'Add a domain' })).toContainText('Done');
  await expect(steps.getByRole('listitem').filter({ hasText: 'Create an API key' })).toContainText('To do');
  await expect(steps.getByText('4 left')).toBeVisible();
  await expect(steps.getByRole('link', { name: 'Continue setup' })).toHaveCount(0);
  const dns = steps.getByRole('listitem').filter({ hasText: 'Publish the DNS records' });
  await expect(dns).toContainText(
    new RegExp(`^To do.*\\d records that mail of ${domain.name} needs are missing or wrong`),
  );
  await check();
  await dns.getByRole('link', { name: 'View records' }).click();
  await expect(page.getByRole('list', { name: 'Records to publish' })).toContainText('_dmarc');
  await page.goBack();

  await steps.getByRole('link', { name: 'Send test' }).click();
  await expect(page.getByRole('region', { name: 'Envelope' }).getByText(email, { exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Send message' }).click();
  await expect(page.getByRole('status', { name: 'Result' })).toContainText('accepted the message');

  await page.getByRole('link', { name: 'Overview', exact: true }).click();
  await expect(page.getByRole('definition').first()).toHaveText(/^1/);
  await expect(steps).toHaveCount(0);
  const latest = page.getByRole('region', { name: 'Latest messages' });
  await expect(latest.getByRole('row', { name: /Test from Postroom/ })).toBeVisible();
  await check();

  await latest.getByRole('link', { name: 'Test from Postroom' }).click();
  await expect(page.getByRole('complementary', { name: 'Message: Test from Postroom' })).toBeVisible();
});

test('lists failed messages and a domain whose DNS is broken under Needs attention, linked to the failures and the records', async ({
  page,
  api,
  sql,
  makeAdmin,
  check,
}) => {
  const domain = await makeDomain(api);
  const { cookie } = await makeAdmin('domain_admin', [domain]);
  await sendMessage(api, domain, { subject: 'Never left' });
  await sql("UPDATE message SET status = 'failed' WHERE domain_id = $1", [domain.id]);
  await sql(
    `UPDATE message_recipient SET status = 'failed', cause = 'expired'
      WHERE message_id IN (SELECT id FROM message WHERE domain_id = $1)`,
    [domain.id],
  );
  // On its first day, a domain is being set up.
  await sql("UPDATE domain SET created_at = now() - interval '2 days' WHERE id = $1", [domain.id]);
  await api.call('POST', `/domains/${domain.id}/dns/check`);
  await useSession(page, cookie);
  await page.goto(`${url()}/`);
  await expect(
    page.getByRole('row', { name: /1 message not sent Expired in the queue\. (.* ago|just now)/ }),
  ).toBeVisible();
  await expect(page.getByRole('main').getByRole('heading', { level: 2 })).toHaveText([
    'Needs attention',
    'Messages by hour',
    'Latest messages',
  ]);
  const problem = page.getByRole('row', { name: new RegExp(`^Missing Domain ${domain.name} There is no MX record`) });
  await expect(problem).toContainText(/\d more records? needs? a fix\./);
  await check();
  await page.getByRole('link', { name: 'Review failures' }).click();
  await expect(page).toHaveURL(/\/messages\?direction=outbound&status=failed&since=/);
  await expect(page.getByRole('row', { name: /Never left/ })).toBeVisible();
  await page.goBack();
  await problem.getByRole('link', { name: 'Fix the records' }).click();
  await expect(page).toHaveURL(`${url()}/domains/${domain.id}`);
  await expect(page.getByRole('tab', { name: /^DNS \d+ problems/ })).toHaveAttribute('aria-selected', 'true');
});

test('every figure leads to exactly the messages that it counts', async ({ page, api, sql, makeAdmin }) => {
  const domain = await makeDomain(api);
  for (const to of ['ann@far.example', 'bo@far.example', 'ann@bounce.test', 'ann@defer.test', 'ann@failed.example']) {
    await sendMessage(api, domain, { to: [{ email: to }] });
  }
  await sql("UPDATE message SET status = 'failed' WHERE domain_id = $1 AND to_addresses = '{ann@failed.example}'", [
    domain.id,
  ]);
  const insert = `INSERT INTO message (id, message_id, domain_id, direction, from_address, to_addresses, copy_addresses,
                                       subject, size_bytes, status, created_at, updated_at)
                  SELECT gen_random_uuid(), gen_random_uuid()::text, $1::uuid, `;
  // Messages of the days before are in no figure.
  await sql(
    `${insert} 'outbound', 'shop@post.example', '{}', '{}', 'Older', 100, status, now() - age, now()
       FROM unnest(ARRAY['delivered', 'deferred', 'bounced', 'failed']::message_status[]) AS status,
            unnest(ARRAY[interval '25 hours', interval '9 days']) AS age`,
    [domain.id],
  );
  await sql(`${insert} 'inbound', 'kim@far.example', '{}', '{}', 'Arrived', 100, 'received', now(), now()`, [
    domain.id,
  ]);
  await useSession(page, (await makeAdmin('domain_admin', [domain])).cookie);
  const rows = page.getByRole('table').getByRole('row');
  await page.goto(`${url()}/?domain=${domain.id}`);
  const figure = (name: string) =>
    page
      .getByRole('definition')
      .filter({ has: page.getByRole('link') })
      .nth(order(name));
  for (const [name, count] of Object.entries({ Sent: 5, Delivered: 2, Deferred: 1, Bounced: 1, Failed: 1 })) {
    const link = figure(name).getByRole('link').first();
    await expect(link).toHaveText(String(count));
    await link.click();
    await expect(page.getByRole('heading', { level: 1, name: 'Messages' })).toBeVisible();
    await expect(rows).toHaveCount(count + 1);
    await page.goBack();
  }
  await page.getByRole('link', { name: '1 received' }).click();
  await expect(rows).toHaveCount(2);
  const arrived = page.getByRole('row', { name: /Arrived/ });
  await page.setViewportSize(WIDTHS[1]);
  await expect(arrived.getByText('kim@far.example').filter({ visible: true }).first()).toBeVisible();
  await page.setViewportSize(WIDTHS[0]);
  const messages = page.getByRole('link', { name: 'Messages', exact: true });
  await messages.click();
  const status = page.getByRole('group', { name: 'Status, last 24 hours' });
  await expect(status.getByRole('button', { name: /^All/ })).toHaveAccessibleName('All last 24 hours 6');
  await expect(rows).toHaveCount(7);
  await page.getByRole('button', { name: 'Period last 24 hours' }).click();
  await page.getByRole('menuitem', { name: 'Any' }).click();
  await expect(status.getByRole('button', { name: /^All/ })).toHaveCount(0);
  await expect(rows).toHaveCount(15);
  await messages.click();
  for (const [name, count] of Object.entries({ Delivered: 2, Deferred: 1, Bounced: 1, Failed: 1 })) {
    await status.getByRole('button', { name: `${name} ${count}` }).click();
    await expect(rows).toHaveCount(count + 1);
    await expect(page).toHaveURL(/since=24h/);
    await status.getByRole('button', { name: /^All/ }).click();
  }
});

const order = (name: string) => ['Sent', 'Delivered', 'Deferred', 'Bounced', 'Failed'].indexOf(name);

test('keeps the selected domain on the way to a test message', async ({ page, api, makeAdmin }) => {
  const domains = [await makeDomain(api), await makeDomain(api)] as const;
  await useSession(page, (await makeAdmin('domain_admin', [...domains])).cookie);
  await page.goto(`${url()}/?domain=${domains[1].id}`);
  await page.getByRole('link', { name: 'Send test' }).first().click();
  await expect(page).toHaveURL(new RegExp(`/send\\?.*domain=${domains[1].id}`));
});

test('leads from more mailboxes than are listed to the suspended and the nearly full ones', async ({
  page,
  api,
  sql,
  makeAdmin,
  check,
}) => {
  const domain = await makeDomain(api);
  for (let index = 0; index < 8; index += 1) {
    const fields = { domain_id: domain.id, local_part: `shop${index}`, password: 'paper boats on the canal' };
    const { id } = await api.call<{ id: string }>('POST', '/mailboxes', fields);
    if (index < 6) await api.call('POST', `/mailboxes/${id}/suspend`, { reason: 'Password leaked' });
    else await sql('UPDATE mailbox SET used_bytes = 95, quota_bytes = 100 WHERE id = $1', [id]);
  }
  await sendMessage(api, domain);
  await useSession(page, (await makeAdmin('domain_admin', [domain])).cookie);
  await page.goto(`${url()}/?domain=${domain.id}`);
  const more = (text: string) => page.getByRole('row').getByRole('link', { name: text });
  await expect(more('2 more nearly full')).toHaveAttribute('href', `/mailboxes?domain=${domain.id}&show=full`);
  await check();
  await more('1 more suspended').click();
  await expect(page).toHaveURL(`${url()}/mailboxes?domain=${domain.id}&show=suspended`);
  await expect(page.getByRole('radio', { name: 'Suspended' })).toBeChecked();
});

test('names each object that needs attention and counts them in the navigation', async ({
  page,
  api,
  sql,
  makeAdmin,
  check,
}) => {
  const domain = await makeDomain(api);
  const local = unique('shop');
  const fields = { domain_id: domain.id, local_part: local, password: 'paper boats on the canal' };
  const { id } = await api.call<{ id: string }>('POST', '/mailboxes', fields);
  await api.call('POST', `/mailboxes/${id}/suspend`, { reason: 'Password leaked' });
  await sendMessage(api, domain);
  await useSession(page, (await makeAdmin('domain_admin', [domain])).cookie);
  await page.goto(`${url()}/`);
  const sections = page.getByRole('navigation', { name: 'Sections' });
  const mailboxes = sections.getByRole('listitem').filter({ hasText: 'Mailboxes' });
  await expect(mailboxes).toHaveText(/^Mailboxes\s*1 needs attention$/);
  await expect(sections.getByRole('listitem').filter({ hasText: 'Aliases' })).toHaveText('Aliases');
  await check();
  const row = page.getByRole('row', { name: /^Suspended Mailbox .* Password leaked/ });
  await expect(row).toContainText(`${local}@${domain.name}`);
  await row.getByRole('link', { name: 'Review mailbox' }).click();
  await expect(page).toHaveURL(`${url()}/mailboxes/${id}`);

  await api.call('POST', `/mailboxes/${id}/unsuspend`);
  await api.call('POST', `/domains/${domain.id}/dns/check`);
  await sql("UPDATE domain SET dns_status = 'ok', next_dns_check_at = now() + interval '1 day' WHERE id = $1", [
    domain.id,
  ]);
  await sql("UPDATE message SET status = 'delivered' WHERE domain_id = $1", [domain.id]);
  await page.goto(`${url()}/`);
  await expect(page.getByText('Mail is flowing')).toBeVisible();
  await expect(page.getByText(/Last delivered message: just now/)).toBeVisible();
  await expect(mailboxes).toHaveText('Mailboxes');
  await check();
});

test('shows the last 24 hours by hour, as a chart and as a table that leads to the messages', async ({
  signedIn: page,
  api,
  check,
}) => {
  const domain = await makeDomain(api);
  await page.goto(`${url()}/?domain=${domain.id}`);
  const hours = page.getByRole('region', { name: 'Messages by hour', exact: true });
  await expect(hours).toContainText('No messages in the last 24 hours.');
  await check();
  await sendMessage(api, domain);
  const subject = unique('Bounced ');
  await sendMessage(api, domain, { subject, to: [{ email: 'nobody@bounce.test' }] });
  await countShifts(page);
  await page.reload();
  for (const size of WIDTHS) {
    await page.setViewportSize(size);
    await expect(hours.getByText('No result yet')).toBeVisible();
    await check();
  }
  expect(await shifts(page)).toEqual([]);
  // The last hour is at the right.
  await page.setViewportSize(WIDTHS[0]);
  const chart = hours.locator('.recharts-wrapper');
  const { width = 0 } = (await chart.boundingBox()) ?? {};
  const lastHour = { position: { x: width - 24, y: 120 } };
  await chart.hover(lastHour);
  await expect(chart.locator('.recharts-tooltip-wrapper')).toBeVisible();
  await chart.click(lastHour);
  await expect(page).toHaveURL(/messages\?.*since=.*&until=/);
  await expect(page.getByRole('row', { name: subject })).toBeVisible();
  await page.goBack();
  await page.setViewportSize(WIDTHS[1]);
  await page.getByRole('radio', { name: 'Table' }).click();
  await check();
  await expect(hours.getByRole('columnheader')).toHaveText([
    /UTC/,
    'Sent',
    'Delivered',
    'Deferred',
    'Bounced',
    'Failed',
  ]);
  const newest = hours
    .getByRole('row')
    .filter({ has: page.getByRole('link') })
    .first();
  await expect(newest.getByRole('link').last()).toHaveText('1');
  await newest.getByRole('link').last().click();
  await expect(page).toHaveURL(/status=bounced&since=.*&until=/);
  await expect(page.getByRole('row', { name: subject })).toBeVisible();
  // With the header.
  await expect(page.getByRole('row')).toHaveCount(2);
});
