import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { type HttpsReceiver, startHttpsReceiver } from '../../src/test/servers/https-receiver';
import { failProcedure } from '../support/faults';
import {
  type Api,
  alertWith,
  expect,
  FIRST_ADMIN,
  makeDomain,
  sendMessage,
  signIn,
  test,
  unique,
  url,
  useSession,
} from '../support/fixtures';
import { freePort } from '../support/server';

type Webhook = { id: string; url: string; secret: string };
type Endpoint = HttpsReceiver & { status: number };

const UNREACHABLE = 'https://localhost:1/hook';

const makeWebhook = (api: Api, over: object = {}) =>
  api.call<Webhook>('POST', '/webhooks', { url: UNREACHABLE, events: ['mail.failed'], ...over });

/** An https endpoint with a certificate that the app trusts. Responds with its current `status`. */
async function startEndpoint(status = 200): Promise<Endpoint> {
  const answer = () => ({
    status: endpoint.status,
    body: endpoint.status === 204 ? undefined : 'Response of the endpoint',
  });
  const certificate = JSON.parse(process.env.E2E_CERTIFICATE as string);
  const receiver = await startHttpsReceiver({ handler: answer, certificate });
  const endpoint = Object.assign(receiver, { status, url: `https://localhost:${receiver.port}/hook` });
  return endpoint;
}

const openerOf = (row: Locator) => row.getByRole('button', { name: /^Attempts for / });
const attemptsIn = (page: Page) => page.getByRole('list', { name: 'Attempts for this delivery' }).getByRole('listitem');

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
  await dialog.getByRole('radio', { name: 'Selected events' }).click();
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
  await once.getByRole('button', { name: 'Copy secret' }).click();
  const secret = await page.evaluate(() => navigator.clipboard.readText());
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
  const row = page.getByRole('row', { name: /^Delivered mail\.bounced.* Test/ });
  await expect(openerOf(row)).toHaveAttribute('aria-expanded', 'true');
  const [request] = endpoint.requests;
  expect(request?.headers['x-service-signature']).toBe(
    createHmac('sha256', secret)
      .update(request?.body ?? '')
      .digest('hex'),
  );
  await expect(page.getByText(request?.body.toString() ?? '')).toBeVisible();
  await expect(page.getByText('Response of the endpoint')).toBeVisible();
  await expect(page.getByText('The endpoint accepted the delivery. No action needed.')).toBeVisible();
  await check();

  await page.getByRole('link', { name: 'Webhooks', exact: true }).first().click();
  await expect(page.getByRole('row', { name })).toContainText('mail.bounced');
  await endpoint.close();
});

test('lists failed deliveries as they happen with their cause, and replays one or all of them', async ({
  signedIn: page,
  api,
  sql,
  check,
}) => {
  const [domain, endpoint] = [await makeDomain(api), await startEndpoint(503)];
  const { id } = await makeWebhook(api, {
    url: endpoint.url,
    events: ['mail.sent', 'mail.delivered'],
    domain_id: domain.id,
  });
  await page.goto(`${url()}/webhooks/${id}`);
  await expect(page.getByRole('heading', { name: 'No deliveries yet' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Replay failed' })).toBeDisabled();
  await sendMessage(api, domain);

  const sent = page.getByRole('row', { name: /mail\.sent/ });
  await expect(sent).toContainText('Retrying', { timeout: 20_000 });
  await expect(sent).toContainText('1 attempt, up to 5 more');
  await expect(sent).toContainText('503 Service Unavailable');
  await expect(page.getByText(/^Failing, \d in a row since \d\d:\d\d$/)).toBeVisible();
  await openerOf(sent).press('Enter');
  await expect(page).toHaveURL(/delivery=/);
  await expect(attemptsIn(page)).toHaveText([/^FIRST.*503.*Attempt 1/, /Next attempt.*(In \d+ s|Due now)/]);
  await expect(page.getByText(/^A proxy in front of the endpoint responded.*Next retry at /)).toBeVisible();
  await expect(page.getByRole('link', { name: 'View message' })).toHaveAttribute('href', /^\/messages\/[0-9a-f-]{36}$/);
  await check();
  await page.reload();
  await expect(attemptsIn(page).first()).toBeVisible();

  await page.getByRole('button', { name: 'Replay now' }).click();
  await expect(page.getByRole('button', { name: 'Attempt 2' })).toHaveAttribute('aria-pressed', 'true');
  await expect(page.getByText('Response of the endpoint')).toBeVisible();
  await page.getByRole('button', { name: 'Attempt 1' }).press('Enter');
  await expect(page.getByText('Request, attempt 1')).toBeVisible();
  endpoint.status = 204;
  await page.getByRole('button', { name: 'Replay now' }).click();
  await expect(sent).toContainText('Delivered');
  await expect(page.getByText('The endpoint accepted the delivery. No action needed.')).toBeVisible();
  await check();

  endpoint.status = 500;
  await sql(
    `UPDATE webhook_delivery SET status = 'abandoned', next_attempt_at = NULL, finished_at = now()
      WHERE webhook_id = $1 AND status <> 'delivered'`,
    [id],
  );
  await page.getByRole('radio', { name: 'Abandoned', exact: true }).click();
  await expect(page).toHaveURL(/status=abandoned/);
  const abandoned = page.getByRole('row', { name: /^Abandoned mail\.delivered/ });
  await expect(abandoned).toContainText('Gave up');
  await check();
  endpoint.status = 200;
  await page.getByRole('button', { name: 'Replay 1 failed' }).click();
  const replay = page.getByRole('dialog', { name: 'Replay failed deliveries' });
  await replay.getByRole('radio', { name: '1 hour', exact: true }).click();
  await check();
  await replay.getByRole('button', { name: 'Replay deliveries' }).click();
  await expect(page.getByText('Replayed 1 delivery')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'No matching deliveries' })).toBeVisible();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await expect(page.getByRole('row', { name: /^Delivered/ })).toHaveCount(2);
  await expect(page.getByText('Active', { exact: true }).first()).toBeVisible();
  await expect(page.getByText(/^Failing/)).toHaveCount(0);
  await check();
  await endpoint.close();
});

test('explains a failed connection, also when the delivery is opened by a link', async ({
  signedIn: page,
  api,
  check,
}) => {
  const { id } = await makeWebhook(api);
  await page.goto(`${url()}/webhooks/${id}?status=delivered`);
  await expect(page.getByRole('heading', { name: 'No matching deliveries' })).toBeVisible();
  await page.getByRole('button', { name: 'Send test event' }).click();
  await page.getByRole('menuitem', { name: 'mail.spam' }).click();
  await expect(page.getByText('Test failed: Connection failed')).toBeVisible();
  await expect(page.getByText(/^Couldn’t connect to the endpoint\..*Tests aren’t retried\.$/)).toBeVisible();
  await expect(page.getByText('No response', { exact: true })).toBeVisible();
  const { searchParams } = new URL(page.url());
  expect(searchParams.get('status')).toBeNull();

  await page.goto(`${url()}/webhooks/${id}?status=delivered&delivery=${searchParams.get('delivery')}`);
  const openDelivery = page.getByRole('region', { name: 'Open delivery' });
  await expect(openDelivery.getByRole('row', { name: /^Abandoned mail\.spam/ })).toBeVisible();
  await expect(attemptsIn(page)).toHaveText([/^FIRST.*CONN.*Attempt 1/]);
  await check();
  await page.goto(`${url()}/webhooks/${id}?delivery=${id}`);
  await expect(alertWith(page, 'NOT_FOUND (404)')).toBeVisible();
  await check();
});

test('holds back new deliveries while one is open, so that nothing moves', async ({ signedIn: page, api, check }) => {
  const { id } = await makeWebhook(api);
  await api.call('POST', `/webhooks/${id}/test`, {});
  await page.goto(`${url()}/webhooks/${id}`);
  const rows = page.getByRole('row', { name: /mail\.delivered/ });
  await openerOf(rows).press('Enter');
  const response = page.getByText('No response', { exact: true });
  await expect(response).toBeVisible();
  const before = await response.boundingBox();
  await api.call('POST', `/webhooks/${id}/test`, {});
  const newer = page.getByRole('button', { name: '1 newer delivery' });
  await expect(newer).toBeVisible();
  expect(await response.boundingBox()).toEqual(before);
  await check();
  await newer.click();
  await expect(rows).toHaveCount(2);
  await expect(openerOf(rows.nth(1))).toHaveAttribute('aria-expanded', 'true');
});

test('shows an opened delivery at its final height before the full response is loaded', async ({
  signedIn: page,
  api,
  check,
}) => {
  const endpoint = await startEndpoint(404);
  const { id } = await makeWebhook(api, { url: endpoint.url });
  await api.call('POST', `/webhooks/${id}/test`, {});
  const responseBody = page.getByText('Response of the endpoint');
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 800 });
    await page.goto(`${url()}/webhooks/${id}`);
    const release = await holdProcedure(page, 'webhooks.delivery');
    await openerOf(page.getByRole('row', { name: /mail\.delivered/ })).press('Enter');
    await expect(page.getByText('HTTP/1.1 404 Not Found', { exact: true })).toBeVisible();
    await expect(responseBody).toHaveCount(0);
    const foot = page.getByRole('button', { name: 'Replay now' });
    const before = await foot.boundingBox();
    release();
    await expect(responseBody).toBeVisible();
    expect(await foot.boundingBox()).toEqual(before);
    await check();
  }
  await page.goto(`${url()}/webhooks/${id}`);
  const end = await failProcedure(page, 'webhooks.delivery', { status: 400, code: 'BAD_REQUEST', message: 'Broken' });
  await openerOf(page.getByRole('row', { name: /mail\.delivered/ })).press('Enter');
  await expect(page.getByText('Couldn’t load the request.')).toBeVisible();
  await expect(page.getByText('first line only')).toBeVisible();
  await check();
  await end();
  await page.getByRole('button', { name: 'Retry', exact: true }).click();
  await expect(responseBody).toBeVisible();
  await endpoint.close();
});

test('deactivates and activates a webhook from the list and its page, each with undo', async ({
  signedIn: page,
  api,
  check,
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

test('keeps the draft of a webhook when the session ends', async ({ page, request, check }) => {
  const cookie = await signIn(request, FIRST_ADMIN);
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

const PROGRAMS = [
  { button: 'Node.js', begins: /^import \{ createHmac/, file: 'verify.mjs', command: process.execPath },
  ...(spawnSync('python3', ['--version']).status === 0
    ? [{ button: 'Python', begins: /^import hashlib/, file: 'verify.py', command: 'python3' }]
    : []),
];

test('shows sample code that accepts valid signatures and rejects all others', async ({
  signedIn: page,
  api,
  check,
}) => {
  const { id, secret } = await makeWebhook(api);
  const folder = mkdtempSync(path.join(tmpdir(), 'postroom-verify-'));
  const body = '{"id":"<ü@a.example>","event":"mail.sent","timestamp":"2026-11-21T09:41:07.000Z","data":{}}';
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  const other = createHmac('sha256', `${secret}x`).update(body).digest('hex');
  await page.goto(`${url()}/webhooks/${id}?tab=verify`);
  for (const { button, begins, file, command } of PROGRAMS) {
    await page.getByRole('radio', { name: button, exact: true }).click();
    writeFileSync(path.join(folder, file), (await page.getByText(begins).textContent()) as string);
    const port = await freePort();
    const env = { ...process.env, POSTROOM_WEBHOOK_SECRET: secret, PORT: String(port) };
    const program = spawn(command, [file], { cwd: folder, env, stdio: 'ignore' });
    const answer = (headers: Record<string, string>, sent = body) => statusOf(port, headers, sent);
    await expect.poll(() => answer({}), { message: `${button} is listening` }).toBe(401);
    expect(await answer({ 'X-Service-Signature': signature })).toBe(204);
    expect(await answer({ 'X-Service-Signature': other, 'X-Service-Signature-Previous': signature })).toBe(204);
    expect(await answer({ 'X-Service-Signature': other })).toBe(401);
    expect(await answer({ 'X-Service-Signature': signature }, body.replace('sent', 'spam'))).toBe(401);
    expect(await answer({ 'X-Service-Signature': signature.slice(2) })).toBe(401);
    expect(await answer({ 'X-Service-Signature': 'ü' })).toBe(401);
    await stop(program);
  }
  await page.getByRole('radio', { name: 'openssl', exact: true }).click();
  writeFileSync(path.join(folder, 'body.json'), body);
  const command = (await page.getByText(/^openssl dgst/).textContent()) as string;
  const env = { ...process.env, POSTROOM_WEBHOOK_SECRET: secret };
  expect(execFileSync('bash', ['-c', command], { cwd: folder, env }).toString()).toContain(signature);
  await check();
  rmSync(folder, { recursive: true });
});

/** Holds the requests of one console procedure. @returns the function that releases them */
async function holdProcedure(page: Page, procedure: string): Promise<() => void> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/api/trpc/**', async (route) => {
    const names = new URL(route.request().url()).pathname.split('/').at(-1) ?? '';
    if (decodeURIComponent(names).split(',').includes(procedure)) await released;
    await route.fallback();
  });
  return release;
}

async function statusOf(port: number, headers: Record<string, string>, body: string): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body }).catch(() => null);
  return response?.status ?? 0;
}

function stop(program: ChildProcess): Promise<unknown> {
  const ended = new Promise((resolve) => program.once('exit', resolve));
  program.kill();
  return ended;
}
