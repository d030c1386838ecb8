import { failProcedure, REQUEST_ID } from '../support/faults';
import { alertWith, expect, makeDomain, sendMessage, test, unique, url, useSession } from '../support/fixtures';

test('search and filters find a message, are in the URL, survive a reload and can be cleared', async ({
  signedIn: page,
  api,
  domain,
  check,
}) => {
  const [one, two] = [unique('Parcel '), unique('Letter ')];
  const to = `${unique('ann')}@far.example`;
  await sendMessage(api, domain, { subject: one, to: [{ email: to }] });
  await sendMessage(api, domain, { subject: two });
  await page.goto(`${url()}/messages?domain=${domain.id}`);
  await expect(page.getByRole('row', { name: one })).toBeVisible();
  await page.getByLabel('Search messages').fill(to);
  await expect(page.getByRole('row')).toHaveCount(2);
  await expect(page.getByRole('row', { name: one })).toBeVisible();

  await page.getByRole('button', { name: 'Filters', exact: true }).click();
  const filters = page.getByRole('dialog', { name: 'Filters' });
  await filters.getByRole('combobox', { name: 'Status' }).click();
  await page.getByRole('option', { name: 'Delivered' }).click();
  await filters.getByLabel('From (exact address)').fill(`orders@${domain.name}`);
  await check();
  await filters.getByRole('button', { name: 'Show messages' }).click();
  await page.getByRole('button', { name: 'Since any time' }).click();
  await page.getByRole('menuitem', { name: 'Last 24 hours' }).click();
  await expect(page).toHaveURL(/status=delivered/);
  await expect(page).toHaveURL(/since=\d{4}-/);

  await page.reload();
  await expect(page.getByLabel('Search messages')).toHaveValue(to);
  await expect(page.getByRole('button', { name: /^Delivered/ })).toHaveAttribute('aria-pressed', 'true');
  await expect(page.getByRole('button', { name: 'Remove filter: Since' })).toBeVisible();
  await expect(page.getByRole('row', { name: one })).toBeVisible();
  await expect(page.getByRole('row', { name: two })).toHaveCount(0);
  await check();

  await page.getByRole('button', { name: /^Failed/ }).click();
  await expect(page.getByRole('heading', { name: 'No matching messages' })).toBeVisible();
  await check();
  await page.getByRole('button', { name: 'Clear filters' }).last().click();
  await expect(page).toHaveURL(`${url()}/messages`);
  await expect(page.getByRole('row', { name: two })).toBeVisible();
});

test('the peek opens next to the list, steps through the messages and restores focus when closed', async ({
  signedIn: page,
  api,
  check,
}) => {
  const domain = await makeDomain(api);
  const subjects = [unique('First '), unique('Second '), unique('Third ')];
  for (const subject of subjects) await sendMessage(api, domain, { subject });
  const [first, second, third] = subjects as [string, string, string];
  await page.goto(`${url()}/messages?domain=${domain.id}`);
  const peek = page.getByRole('complementary', { name: /^Message/ });
  await page.getByRole('link', { name: third }).click();
  await expect(peek.getByRole('heading', { name: third })).toBeVisible();
  await expect(page).toHaveURL(/peek=/);
  await expect(peek.getByText('1 of 3')).toBeVisible();
  await expect(peek.getByRole('button', { name: 'Previous message' })).toBeDisabled();
  await check();

  await peek.getByRole('button', { name: 'Next message' }).click();
  await expect(peek.getByRole('heading', { name: second })).toBeVisible();
  await peek.getByRole('button', { name: 'Next message' }).click();
  await expect(peek.getByRole('heading', { name: first })).toBeVisible();
  await expect(peek.getByRole('button', { name: 'Next message' })).toBeDisabled();
  await peek.getByRole('button', { name: 'Previous message' }).click();
  await expect(peek.getByRole('heading', { name: second })).toBeVisible();

  await page.reload();
  await expect(peek.getByRole('heading', { name: second })).toBeVisible();
  await peek.getByRole('button', { name: 'Close' }).click();
  await expect(peek).toHaveCount(0);
  await expect(page.getByRole('link', { name: second })).toBeFocused();
  await expect(page).not.toHaveURL(/peek=/);

  await page.keyboard.press('Enter');
  await expect(peek).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('link', { name: second })).toBeFocused();

  await page.keyboard.press('Enter');
  await peek.getByRole('link', { name: 'Open full page' }).click();
  await expect(page.getByRole('main').getByRole('heading', { name: second, level: 1 })).toBeVisible();
});

test('the trace of a message shows every hop, with recipients and ids', async ({
  signedIn: page,
  api,
  domain,
  check,
}) => {
  const subject = unique('Traced ');
  const { id } = await sendMessage(api, domain, { subject, bcc: [{ email: 'di@defer.test' }] });
  await page.goto(`${url()}/messages/${id}`);
  await expect(page.getByRole('heading', { name: subject })).toBeVisible();
  // Webhooks of other tests can add hops.
  const trace = page.getByRole('list', { name: 'Trace of this message' }).getByRole('listitem');
  const hops = trace.filter({ hasNotText: /webhook/i });
  await expect(hops).toHaveCount(5);
  await expect(hops.nth(0)).toContainText('Accepted by Postroom');
  await expect(hops.nth(0)).toContainText('With an API key of');
  await expect(hops.nth(1)).toContainText('Queued by your mail server');
  await expect(hops.nth(1)).toContainText(/\+\d+/);
  await expect(hops.filter({ hasText: 'Delivered' })).toContainText('ann@far.example');
  await expect(hops.filter({ hasText: 'Deferred by the receiving server' })).toContainText('di@defer.test');
  await expect(hops.nth(4)).toContainText('Your mail server will retry');
  await expect(page.getByRole('listitem').filter({ hasText: 'Bcc' })).toContainText('di@defer.test');
  await check();
});

test('a bounced message shows the raw reply, an explanation and the next step', async ({
  signedIn: page,
  api,
  domain,
  check,
}) => {
  const subject = unique('Bounced ');
  const { id } = await sendMessage(api, domain, { subject, to: [{ email: 'nobody@bounce.test' }] });
  await page.goto(`${url()}/messages?status=bounced&domain=${domain.id}`);
  await page.getByRole('link', { name: subject }).click();
  await expect(page).toHaveURL(new RegExp(`peek=${id}`));
  const peek = page.getByRole('complementary', { name: `Message: ${subject}` });
  await expect(peek.getByRole('region', { name: 'Explanation' })).toContainText('bounce.test has no such mailbox');
  await expect(peek.getByText('550 5.1.1 <nobody@bounce.test>: No such user here')).toBeVisible();
  await check();
  await peek.getByRole('link', { name: 'Send to another address' }).click();
  await expect(page.getByLabel('Subject')).toHaveValue(subject);
  await expect(page.getByText('0 recipients')).toBeVisible();
});

test('inbound mail rejected by a mailbox shows the reason and no resend action', async ({
  signedIn: page,
  api,
  domain,
  sql,
  check,
}) => {
  const [subject, response] = [unique('Parcel '), '552 5.2.2 The mailbox is full'];
  const [alias, mailbox] = [`info@${domain.name}`, `ann@${domain.name}`];
  const { id } = await sendMessage(api, domain, { subject });
  await expect.poll(() => sql('SELECT FROM message WHERE id = $1 AND status = $2', [id, 'delivered'])).toHaveLength(1);
  await sql(
    `UPDATE message SET direction = 'inbound', status = 'bounced', from_address = 'bo@far.example', to_addresses = $2
      WHERE id = $1`,
    [id, [alias]],
  );
  await sql(
    `UPDATE message_recipient
        SET address = $2, status = 'bounced', cause = 'remote_reply', route = 'mailbox', smtp_code = 552,
            enhanced_code = '5.2.2', response = $3
      WHERE message_id = $1`,
    [id, alias, response],
  );
  await sql('DELETE FROM message_event WHERE message_id = $1', [id]);
  const refused = 'connect to mail.example.com: Connection refused';
  const later = { route: 'mailbox', cause: 'no_reply', enhanced_code: '4.4.1', response: refused };
  const full = { route: 'mailbox', cause: 'remote_reply', smtp_code: 552, enhanced_code: '5.2.2', response };
  await sql(
    `INSERT INTO message_event (id, message_id, type, at, recipient, detail)
     SELECT gen_random_uuid(), $1, hop->>'type', now() + ordinality * interval '1 minute', $2, hop->'detail'
       FROM jsonb_array_elements($3::jsonb) WITH ORDINALITY AS hops(hop, ordinality)`,
    [
      id,
      mailbox,
      JSON.stringify([
        { type: 'deferred', detail: { addressed_to: alias, ...later } },
        { type: 'bounced', detail: { addressed_to: alias, ...full } },
      ]),
    ],
  );
  await page.goto(`${url()}/messages?status=bounced&domain=${domain.id}`);
  await page.getByRole('link', { name: subject }).click();
  const peek = page.getByRole('complementary', { name: `Message: ${subject}` });
  const explanation = peek.getByRole('region', { name: 'Explanation' });
  await expect(explanation).toContainText('The mailbox is full');
  await expect(explanation).toContainText('the sender was notified');
  await expect(explanation.getByRole('link')).toHaveCount(0);
  const hops = peek.getByRole('list', { name: 'Trace of this message' }).getByRole('listitem');
  await expect(hops.filter({ hasText: 'Deferred by the mailbox' })).toContainText(`via ${alias}`);
  await expect(hops.filter({ hasText: 'Rejected by the mailbox' })).toContainText(response);
  await check();
});

test('a message rejected by your mail server shows the raw reply and the next step', async ({
  signedIn: page,
  api,
  domain,
  sql,
  check,
}) => {
  const subject = unique('Refused ');
  const { id } = await sendMessage(api, domain, { subject });
  const response = '552 5.3.4 Message size exceeds fixed limit';
  await sql("UPDATE message SET status = 'failed', queue_id = NULL WHERE id = $1", [id]);
  await sql(
    `UPDATE message_recipient
        SET status = 'failed', cause = 'rejected', smtp_code = 552, enhanced_code = '5.3.4', response = $2
      WHERE message_id = $1`,
    [id, response],
  );
  await sql("DELETE FROM message_event WHERE message_id = $1 AND type = 'delivered'", [id]);
  await sql("UPDATE message_event SET type = 'refused', detail = $2 WHERE message_id = $1 AND type = 'queued'", [
    id,
    { cause: 'rejected', smtp_code: 552, enhanced_code: '5.3.4', response },
  ]);
  await page.goto(`${url()}/messages?peek=${id}`);
  const peek = page.getByRole('complementary', { name: `Message: ${subject}` });
  await expect(peek.getByRole('region', { name: 'Explanation' })).toContainText(
    'Your mail server rejected the message',
  );
  await expect(peek.getByText(response)).toBeVisible();
  await check();

  await peek.getByRole('link', { name: 'Resend message' }).click();
  await expect(page.getByLabel('Subject')).toHaveValue(subject);
  await expect(page.getByLabel('From')).toHaveValue('orders');
  await expect(page.getByText('ann@far.example', { exact: true })).toBeVisible();
});

test('an empty list explains what appears here and links to a test message', async ({
  page,
  api,
  makeAdmin,
  check,
}) => {
  const { cookie } = await makeAdmin('domain_admin', [await makeDomain(api)]);
  await useSession(page, cookie);
  await page.goto(`${url()}/messages`);
  await expect(page.getByRole('heading', { name: 'No messages yet' })).toBeVisible();
  await check();
  await page.getByRole('link', { name: 'Send test message' }).click();
  await expect(page.getByLabel('Subject')).toHaveValue('Test from Postroom');
});

test('a list that fails to load shows the error code and request id, and can be retried', async ({
  signedIn: page,
  api,
  domain,
  check,
}) => {
  const subject = unique('Here again ');
  await sendMessage(api, domain, { subject });
  const restore = await failProcedure(page, 'messages.list', {
    status: 500,
    code: 'INTERNAL_ERROR',
    message: 'Something went wrong.',
  });
  await page.goto(`${url()}/messages`);
  const alert = page.getByRole('alert').filter({ hasText: 'Couldn’t load messages' });
  await expect(alert).toContainText('INTERNAL_ERROR (500)');
  await expect(alert).toContainText(REQUEST_ID);
  await check();

  await restore();
  await alert.getByRole('button', { name: 'Retry', exact: true }).click();
  await expect(page.getByRole('row', { name: subject })).toBeVisible();
  await check();
});

test('a message out of scope shows an error and a link back to the list', async ({ signedIn: page, check }) => {
  await page.goto(`${url()}/messages/01a1fc2e-7c5e-77e9-8b47-7ed1e0f6aa07`);
  await expect(alertWith(page, 'NOT_FOUND (404)')).toBeVisible();
  await page.getByRole('link', { name: 'All messages' }).click();
  await expect(page.getByRole('heading', { name: 'Messages' })).toBeVisible();
  await check();
});

test('inbound mail shows whether it was delivered to a mailbox, via an alias, or only forwarded', async ({
  signedIn: page,
  api,
  sql,
  check,
}) => {
  const domain = await makeDomain(api);
  const mailbox = `INSERT INTO mailbox (id, domain_id, local_part, password_hash, updated_at)
    VALUES (gen_random_uuid(), $1, 'ann', 'x', now())`;
  await sql(mailbox, [domain.id]);
  const alias = `INSERT INTO alias (id, domain_id, source_local_part, destination, updated_at)
    VALUES (gen_random_uuid(), $1, $2, $3, now())`;
  await sql(alias, [domain.id, 'team', `ann@${domain.name}`]);
  await sql(alias, [domain.id, 'out', 'bo@far.example']);
  const open = async (local: string) => {
    const { id } = await sendMessage(api, domain, { to: [{ email: `${local}@${domain.name}` }] });
    const [row] = await sql<{ id: string }>(
      `SELECT i.id FROM message i JOIN message o USING (message_id) WHERE $1 IN (o.id, i.id) AND i.direction = 'inbound'`,
      [id],
    );
    await page.goto(`${url()}/messages/${row?.id}`);
    return page.getByRole('main');
  };
  await expect(await open('ann')).toContainText('Delivered to the mailbox');
  const team = await open('team');
  await expect(team).toContainText('Delivered to the mailbox');
  await expect(team).toContainText(`ann@${domain.name} via team@${domain.name}`);
  const out = await open('out');
  await expect(out).toContainText('Forwarded by an alias');
  await expect(out).toContainText('forwarded to bo@far.example');
  await expect(out).not.toContainText('mailbox');
  await check();
});
