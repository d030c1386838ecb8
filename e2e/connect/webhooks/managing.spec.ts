import { createHmac } from 'node:crypto';
import { failProcedure } from '../../support/faults';
import { alertWith, expect, FIRST_ADMIN, makeDomain, test, unique, url, useSession } from '../../support/fixtures';
import { makeWebhook, openerOf, startEndpoint } from './webhook';

test('adds a webhook, shows its secret once, and delivers a signed test event', async ({
  signedIn: page,
  context,
  check,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const endpoint = await startEndpoint();
  const name = unique('Shop ');
  await page.goto(`${url()}/webhooks`);
  await page.getByRole('button', { name: 'New webhook' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'New webhook' });
  const address = dialog.getByRole('textbox', { name: 'Endpoint URL' });
  const create = dialog.getByRole('button', { name: 'Create webhook' });
  await create.click();
  await expect(address).toHaveAccessibleDescription(/Enter the endpoint URL/);
  await address.fill(endpoint.url.replace('https:', 'http:'));
  const checked = dialog.getByRole('checkbox', { checked: true });
  const outcomes = ['delivered', 'bounced', 'failed', 'suppressed', 'complained', 'unsubscribed'];
  await expect(checked).toHaveCount(outcomes.length);
  for (const outcome of outcomes)
    await dialog.getByRole('checkbox', { name: new RegExp(`^mail\\.${outcome}`) }).uncheck();
  await create.click();
  await expect(dialog.getByRole('group', { name: 'Events', exact: true })).toHaveAccessibleDescription(
    'Select at least one event.',
  );
  await check();
  await dialog.getByRole('checkbox', { name: /^mail\.bounced/ }).check();
  await create.click();
  await expect(address).toHaveAccessibleDescription(/must start with https/);
  await expect(dialog.getByRole('checkbox', { name: /^mail\.bounced/ })).toBeChecked();
  await check();
  await address.fill(endpoint.url);
  await dialog.getByRole('textbox', { name: /^Name/ }).fill(name);
  await create.click();

  const host = new URL(endpoint.url).host;
  const once = page.getByRole('dialog', { name: `Copy the secret for ${host}` });
  await page.keyboard.press('Escape');
  const copy = once.getByRole('button', { name: 'Copy secret' });
  await page.evaluate(() => {
    navigator.clipboard.writeText = () => Promise.reject(new Error('refused'));
  });
  await copy.click();
  await expect(alertWith(page, 'Couldn’t copy. The text is selected: press Ctrl+C.')).toBeVisible();
  await expect(once.getByRole('status')).toHaveText('Not copied yet');
  const selected = await page.evaluate(() => String(window.getSelection()));
  await check();
  await page.evaluate(() => Reflect.deleteProperty(navigator.clipboard, 'writeText'));
  await copy.click();
  await expect(once.getByRole('status')).toHaveText('Copied');
  const secret = await page.evaluate(() => navigator.clipboard.readText());
  expect(selected).toBe(secret);
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  await expect(once.getByText(secret, { exact: true })).toBeVisible();
  await check();
  await once.getByRole('button', { name: 'I’ve saved it' }).click();

  await expect(page.getByRole('heading', { name: `${host}/hook`, level: 1 })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'No deliveries yet' })).toBeVisible();
  expect(await page.content()).not.toContain(secret);
  await check();
  await page.getByRole('button', { name: 'Send test event' }).click();
  await page.getByRole('menuitem', { name: 'mail.bounced' }).click();
  await expect(page.getByText('Test delivered: 200 OK')).toBeVisible();
  const row = page.getByRole('row', { name: /^Select .* Delivered mail\.bounced.* Test/ });
  await expect(openerOf(row)).toHaveAttribute('aria-expanded', 'true');
  const [request] = endpoint.requests;
  expect(request?.headers['x-service-signature']).toBe(
    createHmac('sha256', secret)
      .update(request?.body ?? '')
      .digest('hex'),
  );
  const shown = JSON.stringify(JSON.parse(request?.body.toString() ?? ''), null, 2);
  await expect(page.getByRole('figure', { name: /^Request/ })).toContainText(shown, { useInnerText: true });
  await expect(page.getByText('Response of the endpoint')).toBeVisible();
  await expect(page.getByText('The endpoint accepted the delivery. No action needed.')).toBeVisible();
  await check();

  await page.getByRole('link', { name: 'Webhooks', exact: true }).first().click();
  await expect(page.getByRole('row', { name })).toContainText('mail.bounced');
  await endpoint.close();
});

test('deactivates and activates a webhook from the list and its page, each with undo', async ({
  signedIn: page,
  api,
  check,
  checkState,
}) => {
  const domain = await makeDomain(api);
  const { id } = await makeWebhook(api, { domain_id: domain.id, url: 'https://hooks.example.com/a' });
  const isActive = async () => (await api.call<{ active: boolean }>('GET', `/webhooks/${id}`)).active;
  await page.goto(`${url()}/webhooks?domain=${domain.id}`);
  await expect(page.getByRole('row')).toHaveCount(2);
  const row = page.getByRole('row', { name: /hooks\.example\.com/ });
  await expect(row).toContainText(domain.name);
  await row.getByRole('switch', { name: 'hooks.example.com is active' }).press(' ');
  await expect(page.getByText('Deactivated hooks.example.com')).toBeVisible();
  await expect(row).toContainText('Inactive');
  expect(await isActive()).toBe(false);
  await check();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByText('Activated hooks.example.com', { exact: true })).toBeVisible();
  expect(await isActive()).toBe(true);
  await page.getByRole('radio', { name: 'Inactive', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'No matching webhooks' })).toBeVisible();
  await check();

  await page.getByRole('button', { name: 'Clear filters' }).click();
  await row.click();
  await expect(page).toHaveURL(`${url()}/webhooks/${id}`);
  await page.getByRole('switch', { name: 'hooks.example.com is active' }).press(' ');
  await expect(page.getByText('Inactive', { exact: true }).first()).toBeVisible();
  await failProcedure(page, 'webhooks.update', { status: 500, code: 'INTERNAL_ERROR', message: 'Broken' });
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(alertWith(page, 'Couldn’t activate hooks.example.com')).toBeVisible();
  await expect(page.getByRole('switch', { name: 'hooks.example.com is active' })).not.toBeChecked();
  await checkState();
});

test('lists failing webhooks first, since when they fail, and names below whole URLs', async ({
  signedIn: page,
  api,
  sql,
  check,
}) => {
  const domain = await makeDomain(api);
  const failing = await makeWebhook(api, {
    domain_id: domain.id,
    name: 'Store events',
    url: 'https://hooks.example.com/orders/mail',
  });
  await makeWebhook(api, { domain_id: domain.id, url: 'https://hooks.example.com/newer' });
  await sql(`UPDATE webhook SET failures_in_row = 1093, failing_since = now() - interval '3 days' WHERE id = $1`, [
    failing.id,
  ]);
  await page.goto(`${url()}/webhooks?domain=${domain.id}`);
  const row = page.getByRole('row', { name: /Store events/ });
  await expect(page.getByRole('row').nth(1)).toHaveAccessibleName(/^Failing since \d+ \w{3}/);
  await expect(row.getByRole('cell', { name: /^0% ?of 1,093 attempts$/ })).toBeVisible();
  const [endpoint, name] = await Promise.all(
    [row.getByRole('link'), row.getByText('Store events').first()].map((part) => part.boundingBox()),
  );
  expect(name?.y).toBeGreaterThanOrEqual((endpoint?.y ?? 0) + (endpoint?.height ?? 0));
  const shown = row.getByText('hooks.example.com/orders/mail');
  expect(await shown.evaluate(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)).toBe(true);
  await check();
});

test('saves settings, warns about unsaved changes, rotates the secret and deletes the webhook', async ({
  signedIn: page,
  api,
  check,
}) => {
  const endpoint = await startEndpoint();
  const { id, secret: old } = await makeWebhook(api, { url: 'https://hooks.example.com/a' });
  await page.goto(`${url()}/webhooks/${id}?tab=settings`);
  const address = page.getByRole('textbox', { name: 'Endpoint URL' });
  await address.fill('ftp://hooks.example.com');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await expect(address).toHaveAccessibleDescription(/must start with https/);
  await address.fill(endpoint.url);
  await page.getByRole('tab', { name: 'Deliveries' }).click();
  const leave = page.getByRole('dialog', { name: 'Leave this page?' });
  await expect(leave).toContainText('You have unsaved changes to hooks.example.com.');
  await check();
  await leave.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('radio', { name: 'Selected events' }).click();
  await page.getByRole('checkbox', { name: /^mail\.failed/ }).check();
  await page.getByRole('textbox', { name: /^Name/ }).fill('Night watch');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'Saved' })).toBeVisible();
  await expect(page.getByRole('heading', { name: new URL(endpoint.url).host })).toBeVisible();
  expect(await api.call('GET', `/webhooks/${id}`)).toMatchObject({
    url: endpoint.url,
    name: 'Night watch',
    events: ['mail.failed'],
  });

  await page.getByRole('combobox', { name: 'Keep the old secret valid for' }).click();
  await page.getByRole('option', { name: '3 days' }).click();
  await page.getByRole('button', { name: 'Rotate secret' }).click();
  const once = page.getByRole('dialog', { name: /^Copy the new secret for / });
  await expect(once).toContainText(/Valid until .*X-Service-Signature-Previous/);
  const secret = await once.getByText(/^whsec_/).textContent();
  expect(secret).not.toBe(old);
  await check();
  await once.getByRole('button', { name: 'I’ve saved it' }).click();
  await expect(page.getByText(/^The old secret is valid until /)).toBeVisible();
  await check();
  await api.call('POST', `/webhooks/${id}/test`, {});
  const { headers, body } = endpoint.requests[0] ?? { headers: {}, body: '' };
  const signature = (key: string) => createHmac('sha256', key).update(body).digest('hex');
  expect(headers).toMatchObject({
    'x-service-signature': signature(secret ?? ''),
    'x-service-signature-previous': signature(old),
  });

  await page.getByRole('button', { name: 'Delete webhook' }).click();
  const dialog = page.getByRole('dialog', { name: /^Delete the webhook for / });
  await expect(dialog.getByRole('button', { name: 'Delete webhook' })).toBeDisabled();
  await dialog.getByLabel(/^Type .* to confirm$/).fill(new URL(endpoint.url).host);
  await check();
  await dialog.getByRole('button', { name: 'Delete webhook' }).click();
  await expect(page).toHaveURL(`${url()}/webhooks`);
  await page.goto(`${url()}/webhooks/${id}`);
  await expect(alertWith(page, 'NOT_FOUND (404)')).toBeVisible();
  await check();
  await endpoint.close();
});

test('keeps the draft of a webhook when the session ends', async ({ page, request, makeSession, check }) => {
  const cookie = await makeSession(FIRST_ADMIN.email);
  await useSession(page, cookie);
  await page.goto(`${url()}/webhooks?new=true`);
  const dialog = page.getByRole('dialog', { name: 'New webhook' });
  await dialog.getByRole('textbox', { name: 'Endpoint URL' }).fill('https://hooks.example.com/kept');
  const headers = { cookie: `service_session=${cookie}`, origin: url() };
  await request.post(`${url()}/api/v1/auth/logout`, { headers });
  await dialog.getByRole('button', { name: 'Create webhook' }).click();
  const again = page.getByRole('dialog', { name: 'Sign in again' });
  await again.getByLabel('Password', { exact: true }).fill(FIRST_ADMIN.password);
  await again.getByRole('button', { name: 'Sign in' }).click();
  await expect(again).toBeHidden();
  await expect(dialog.getByRole('textbox', { name: 'Endpoint URL' })).toHaveValue('https://hooks.example.com/kept');
  await dialog.getByRole('button', { name: 'Create webhook' }).click();
  await expect(page.getByRole('dialog', { name: /^Copy the secret for / })).toBeVisible();
  await check();
});

test('shows a domain admin which role webhooks require, and reports a list that fails to load', async ({
  page,
  makeAdmin,
  domain,
  sessionCookie,
  check,
}) => {
  const { cookie } = await makeAdmin('domain_admin', [domain]);
  await useSession(page, cookie);
  await page.goto(`${url()}/webhooks/${domain.id}`);
  await expect(page.getByRole('heading', { name: 'This page requires the role admin' })).toBeVisible();
  await check();
  await useSession(page, sessionCookie);
  const end = await failProcedure(page, 'webhooks.list', { status: 500, code: 'INTERNAL_ERROR', message: 'Broken' });
  await page.goto(`${url()}/webhooks`);
  await expect(alertWith(page, 'Couldn’t load webhooks')).toBeVisible();
  await check();
  await end();
  await page.getByRole('button', { name: 'Retry', exact: true }).click();
  await expect(alertWith(page, 'Couldn’t load webhooks')).toHaveCount(0);
});
