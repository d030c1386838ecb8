import { expect, follow, makeDomain, sendMessage, test, unique, url } from '../../support/fixtures';

test('the trace of a message shows every hop, with recipients and ids', async ({
  signedIn: page,
  api,
  domain,
  checkState,
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
  await checkState();
});

test('the trace of a message to many recipients is folded', async ({
  signedIn: page,
  api,
  domain,
  check,
  checkState,
}) => {
  const to = Array.from({ length: 30 }, (_, index) => ({ email: `r${index}@far.example` }));
  const { id } = await sendMessage(api, domain, { to });
  const outcomes = async () => (await api.call<{ outcomes: object[] }>('GET', `/messages/${id}`)).outcomes;
  await expect.poll(outcomes, { timeout: 30_000 }).toEqual([{ status: 'delivered', recipients: 30 }]);
  await page.goto(`${url()}/messages/${id}`);
  const trace = page.getByRole('list', { name: 'Trace of this message' });
  const delivered = trace.getByRole('listitem').filter({ has: page.getByText('Delivered', { exact: true }) });
  await expect(delivered).toHaveCount(1);
  await check();
  const unfold = delivered.getByRole('button', { name: '30 recipients' });
  await expect(unfold).toHaveAttribute('aria-expanded', 'false');
  await unfold.press('Enter');
  const unfolded = trace.getByRole('list', { name: '30 recipients' });
  await expect(unfolded.getByRole('listitem')).toHaveCount(30);
  await expect(delivered.first().locator('pre')).toHaveCount(1);
  await expect(unfolded).toContainText('r29@far.example');
  await checkState();
  await unfold.press('Enter');
  await expect(unfolded).toHaveCount(0);
  await expect(unfold).toBeFocused();
});

test('a bounced message shows the raw reply, an explanation and the next step', async ({
  signedIn: page,
  api,
  domain,
  check,
}) => {
  const subject = unique('Bounced ');
  const email = `${unique('nobody')}@bounce.test`;
  const { id } = await sendMessage(api, domain, { subject, to: [{ email }] });
  await page.goto(`${url()}/messages?domain=${domain.id}`);
  const row = page.getByRole('row').filter({ hasText: subject });
  await expect(row.getByText('No such mailbox', { exact: true }).filter({ visible: true })).toHaveCount(1);
  await page.getByRole('link', { name: subject }).click();
  await expect(page).toHaveURL(new RegExp(`peek=${id}`));
  const peek = page.getByRole('complementary', { name: `Message: ${subject}` });
  await expect(peek.getByRole('region', { name: 'Explanation' })).toContainText('bounce.test has no such mailbox');
  await expect(peek.getByText(`550 5.1.1 <${email}>: No such user here`)).toBeVisible();
  await check();
  await peek.getByRole('link', { name: 'Send to another address' }).click();
  await expect(page.getByLabel('Subject')).toHaveValue(subject);
  await expect(page.getByText('0 recipients')).toBeVisible();
});

test('mail to an address of your own that doesn’t exist offers to create the mailbox', async ({
  signedIn: page,
  api,
  domain,
  check,
}) => {
  const sender = await makeDomain(api);
  const { id } = await sendMessage(api, sender, { to: [{ email: `cara@${domain.name}` }] });
  await page.goto(`${url()}/messages/${id}`);
  const explanation = page.getByRole('region', { name: 'Explanation' });
  await expect(explanation).toContainText(`You have no mailbox or alias for cara@${domain.name}`);
  await check();
  await explanation.getByRole('link', { name: 'Create mailbox' }).click();
  const dialog = page.getByRole('dialog', { name: 'New mailbox' });
  await expect(dialog.getByRole('textbox', { name: 'Address', exact: true })).toHaveValue('cara');
  await dialog.getByRole('button', { name: 'Generate password' }).click();
  await dialog.getByRole('button', { name: 'Create mailbox' }).click();
  await expect(page.getByRole('dialog', { name: /^Copy the password/ })).toContainText(`cara@${domain.name}`);
});

test('a message whose recipients have different outcomes shows each of them', async ({
  signedIn: page,
  api,
  domain,
  check,
}) => {
  const subject = unique('Mixed ');
  const email = `${unique('nobody')}@bounce.test`;
  const to = [{ email: 'ann@far.example' }, { email }];
  const { id } = await sendMessage(api, domain, { subject, to });
  await expect
    .poll(async () => (await api.call<{ outcomes: object[] }>('GET', `/messages/${id}`)).outcomes)
    .toEqual([
      { status: 'delivered', recipients: 1 },
      { status: 'bounced', recipients: 1 },
    ]);
  await page.goto(`${url()}/messages?domain=${domain.id}`);
  await expect(page.getByRole('row', { name: subject })).toContainText('1 delivered1 bounced');
  await check();
  await page.getByRole('link', { name: subject }).click();
  const explanation = page.getByRole('region', { name: 'Explanation' });
  await expect(explanation).toContainText(`For ${email}, of 2 recipients`);
  await check();
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

  await peek.getByRole('button', { name: 'Resend message' }).click();
  await expect(page.getByRole('dialog', { name: 'Resend message' })).toContainText('ann@far.example');
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
    await (local === 'ann' ? page.goto(`${url()}/messages/${row?.id}`) : follow(page, `/messages/${row?.id}`));
    await expect(page).toHaveURL(`${url()}/messages/${row?.id}`);
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
