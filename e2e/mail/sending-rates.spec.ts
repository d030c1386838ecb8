import { expect, makeDomain, sendMessage, test, url, useSession } from '../support/fixtures';

test('the figures of the overview lead to their messages, with the count of the day before', async ({
  page,
  api,
  sql,
  makeAdmin,
  check,
}) => {
  const domain = await makeDomain(api);
  await useSession(page, (await makeAdmin('domain_admin', [domain])).cookie);
  for (const subject of ['One', 'Two', 'Three', 'Yesterday']) await sendMessage(api, domain, { subject });
  await sql("UPDATE message SET status = 'delivered' WHERE domain_id = $1", [domain.id]);
  await sql("UPDATE message SET status = 'bounced' WHERE domain_id = $1 AND subject = 'Two'", [domain.id]);
  await page.goto(`${url()}/`);
  const figure = (name: string) => page.getByRole('term').filter({ hasText: name }).locator('+ dd');
  await expect(figure('Sent')).toHaveText(/^4/);
  await expect(figure('Bounced')).toHaveText(/^125\.0% of sentnone the day before/);
  await expect(figure('Deferred')).toHaveText(/^00% of sentnone the day before/);
  await check();
  await figure('Bounced').getByRole('link', { name: '1' }).click();
  await expect(page).toHaveURL(/\/messages\?direction=outbound&status=bounced&since=/);
  await expect(page.getByRole('row', { name: /Two/ })).toBeVisible();
  await expect(page.getByRole('row', { name: /One/ })).toHaveCount(0);
});

test('a domain and a mailbox show what they sent as a chart and a table, linked to the messages', async ({
  signedIn: page,
  api,
  check,
}) => {
  const domain = await makeDomain(api);
  await page.goto(`${url()}/domains/${domain.id}?tab=mailboxes`);
  await expect(page.getByRole('heading', { name: 'No messages sent in the last 7 days' })).toBeVisible();
  await check();
  const mailbox = await api.call<{ id: string; email: string }>('POST', '/mailboxes', {
    domain_id: domain.id,
    local_part: 'ann',
    password: 'paper boats on the canal',
  });
  await sendMessage(api, domain, { subject: 'Of ann', from: { email: mailbox.email } });
  await sendMessage(api, domain, { subject: 'Of another', from: { email: `bo@${domain.name}` } });

  await page.reload();
  const table = page.getByRole('region', { name: 'Sent messages by time' });
  await expect(table.getByRole('link', { name: '2', exact: true }).first()).toBeVisible();
  await check();
  await page.getByRole('radio', { name: '24 hours', exact: true }).click();
  await expect(page).toHaveURL(/period=24h/);
  await expect(table.getByRole('row', { name: /:00 2/ })).toBeVisible();

  await page.goto(`${url()}/mailboxes/${mailbox.id}`);
  await expect(table.getByRole('link', { name: '1', exact: true }).first()).toBeVisible();
  await check();
  await table.getByRole('link', { name: '1', exact: true }).first().click();
  await expect(page.getByRole('row', { name: /Of ann/ })).toBeVisible();
  await expect(page.getByRole('row', { name: /Of another/ })).toHaveCount(0);
});

test('says below the list how long messages are kept', async ({ signedIn: page, check }) => {
  await page.goto(`${url()}/messages`);
  await expect(page.getByText(/^Messages are kept 90 days\./)).toBeVisible();
  await check();
});
