import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { expect, FIRST_ADMIN, test, unique, url } from '../support/fixtures';

const hasPython = spawnSync('python3', ['--version']).status === 0;
const PROGRAMS = [
  { button: 'curl', begins: /^curl /, command: ['bash', '-c'] },
  { button: 'Node.js', begins: /^(?:const|import) /, command: [process.execPath, '--input-type=module', '-e'] },
  ...(hasPython ? [{ button: 'Python', begins: /^import json/, command: ['python3', '-c'] }] : []),
];

const code = (page: Page, operation: string) => page.getByRole('region', { name: operation, exact: true });

async function open(page: Page, operation: string) {
  const button = code(page, operation).getByRole('button', { name: `Try it: ${operation}` });
  const dialog = page.getByRole('dialog', { name: operation });
  // A click before the page runs does nothing.
  await expect(async () => {
    if (!(await dialog.isVisible())) await button.click({ timeout: 2000 });
    await expect(dialog).toBeVisible({ timeout: 2000 });
  }).toPass();
  return dialog;
}

test('the reference begins with a command that sends a message from this server, and lists every operation with its details', async ({
  signedIn: page,
  context,
  request,
  api,
  domain,
  check,
  checkState,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const document = await (await request.get(`${url()}/api/v1/openapi.json`)).json();
  const operations = Object.values<object>(document.paths).flatMap((path) => Object.keys(path));
  await page.goto(`${url()}/reference`);
  const rows = page
    .getByRole('main')
    .getByRole('listitem')
    .filter({ hasText: /(GET|POST|PATCH|DELETE) \// });
  await expect(rows).toHaveCount(operations.length);
  await expect(rows.first()).toContainText('POST /send');
  const command = page.getByText(/^curl /).first();
  await expect(command, 'its lines scroll to the side').toHaveCSS('white-space', 'pre');
  const intro = page.getByRole('region', { name: 'Send a message' });
  await expect(intro.getByRole('figure')).toContainText(`curl ${url()}/api/v1/send`);
  await expect(intro.getByRole('figure')).toContainText(FIRST_ADMIN.email);
  await expect(intro.getByRole('figure')).not.toContainText('@example.com');
  await check();
  await intro.getByRole('button', { name: 'Copy the command' }).click();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  const sender = `hello@${domain.name}`;
  const env = { ...process.env, POSTROOM_KEY: api.key };
  const output = execFileSync('bash', ['-c', copied.replace(/hello@[^"]+/, sender)], { env, stdio: 'pipe' });
  expect(JSON.parse(output.toString()).data.message_id).toContain(`@${domain.name}>`);

  await page.getByRole('link', { name: 'List messages', exact: true }).click();
  await expect(page).toHaveURL(`${url()}/reference/messages#messages-list`);
  await expect(page.getByRole('heading', { name: 'List messages' })).toBeInViewport();
  const operation = code(page, 'Send a message');
  await page.getByRole('link', { name: 'Previous: Sending' }).click();
  await operation.getByText('5 fields of attachments').click();
  await expect(operation.getByText('Base64-encoded file content')).toBeVisible();
  await operation.getByText('Response 200').first().click();
  await operation.getByText('Errors', { exact: true }).click();
  await expect(operation.getByText('RATE_LIMIT_EXCEEDED')).toBeVisible();
  await checkState();

  await page.getByRole('link', { name: 'API reference', exact: true }).first().click();
  await intro.getByRole('link', { name: 'Create an API key' }).click();
  await expect(page.getByRole('dialog', { name: 'New API key' })).toBeVisible();
});

test('an operation is tried with the session, a key and what it takes', async ({
  signedIn: page,
  api,
  domain,
  checkState,
}) => {
  await page.goto(`${url()}/reference/aliases#aliases-get`);
  let dialog = await open(page, 'Get an alias');
  await dialog.getByRole('textbox', { name: 'id' }).fill('unknown');
  await dialog.getByRole('button', { name: 'Send request' }).click();
  await expect(dialog.getByRole('status')).toContainText('400');
  await expect(dialog.getByText('VALIDATION_ERROR')).toBeVisible();
  await dialog.getByLabel('API key', { exact: true }).fill('service_wrong');
  await dialog.getByRole('button', { name: 'Send request' }).click();
  await expect(dialog.getByRole('status')).toContainText('401');
  await checkState();

  await dialog.getByRole('button', { name: 'Close' }).last().click();
  dialog = await open(page, 'Create an alias');
  const alias = { domain_id: domain.id, source_local_part: unique('try'), destination: 'ann@far.example' };
  await expect(dialog.getByLabel('Body')).toHaveValue(/"destination": "ann@example.com"/);
  await dialog.getByLabel('Body').fill(JSON.stringify(alias));
  await dialog.getByLabel('API key', { exact: true }).fill(api.key);
  await dialog.getByRole('button', { name: 'Send request' }).click();
  await expect(dialog.getByRole('status')).toContainText('201');
  await dialog.getByRole('button', { name: 'Close' }).last().click();

  // The key is kept in the reference, and not beyond.
  dialog = await open(page, 'List aliases');
  await expect(dialog.getByLabel('API key', { exact: true })).toHaveValue(api.key);
  await dialog.getByRole('textbox', { name: 'q' }).fill(alias.source_local_part);
  await dialog.getByRole('button', { name: 'Send request' }).click();
  await expect(dialog.getByRole('region', { name: 'Response' })).toContainText(
    `"source_local_part": "${alias.source_local_part}"`,
  );
  await expect(dialog.getByRole('status')).toContainText('with the API key');
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await page.getByRole('link', { name: 'Queue', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Queue', level: 1 })).toBeVisible();
  await page.goBack();
  dialog = await open(page, 'List aliases');
  await expect(dialog.getByLabel('API key', { exact: true })).toHaveValue('');
});

test('the code of an operation runs as shown', async ({ signedIn: page, api }) => {
  await page.goto(`${url()}/reference/authentication#auth-me`);
  const profile = code(page, 'Get your profile').getByRole('figure').first();
  await expect(profile).toContainText(`curl ${url()}/api/v1/auth/me`);
  for (const program of PROGRAMS) {
    const output = await run(page, program, profile, api.key);
    expect(output.stdout, program.button).toMatch(/email["']?:/);
  }
  // The chosen language is kept.
  await page.goto(`${url()}/reference/messages`);
  const last = PROGRAMS.at(-1) as Program;
  await expect(page.getByRole('radio', { name: last.button })).toBeChecked();
  const file = code(page, 'Export messages as CSV').getByRole('figure').first();
  for (const program of PROGRAMS) {
    const { stderr, saved } = await run(page, program, file, api.key, 'messages-export.csv');
    expect(saved, `${program.button}: ${stderr}`).toContain('message_id');
  }
  const failed = await run(page, last, file, 'service_wrong');
  expect(failed.status).toBeGreaterThan(0);
  expect(failed.stderr).toContain('API_KEY_INVALID: ');
});

type Program = (typeof PROGRAMS)[number];

async function run(page: Page, { button, begins, command }: Program, figure: Locator, key: string, saves = '') {
  const [file = '', ...args] = command;
  await page.getByRole('radio', { name: button }).click();
  const text = (await figure.getByText(begins).textContent()) as string;
  const cwd = mkdtempSync(join(tmpdir(), 'reference-'));
  try {
    const env = { ...process.env, POSTROOM_KEY: key };
    const { status, stdout, stderr } = spawnSync(file, [...args, text], { cwd, env, encoding: 'utf8' });
    return { status, stdout, stderr, saved: status === 0 && saves ? readFileSync(join(cwd, saves), 'utf8') : '' };
  } finally {
    rmSync(cwd, { recursive: true });
  }
}

test('an operation that changes much is confirmed, and a lost response is named', async ({ signedIn: page, check }) => {
  await page.goto(`${url()}/reference/queue#queue-flush`);
  let calls = 0;
  await page.route('**/api/v1/queue/flush', (route) => {
    calls += 1;
    return route.abort();
  });
  let dialog = await open(page, 'Retry all deferred messages');
  await expect(dialog).toContainText('This calls the live API.');
  await dialog.getByRole('button', { name: 'Send request' }).click();
  const confirmation = dialog.getByRole('checkbox', { name: 'Confirm: retry all deferred messages' });
  await expect(confirmation).toBeFocused();
  expect(calls).toBe(0);
  await confirmation.check();
  await dialog.getByRole('button', { name: 'Send request' }).click();
  await expect(dialog.getByRole('alert')).toContainText('Check before you send it again.');
  expect(calls).toBe(1);
  await expect(confirmation).not.toBeChecked();
  await check();

  await page.goto(`${url()}/reference/sending`);
  dialog = await open(page, 'Send a message');
  await expect(dialog.getByRole('textbox', { name: 'Idempotency-Key' })).toHaveValue(/^[\da-f-]{36}$/);
  await dialog.getByLabel('API key', { exact: true }).fill('ключ');
  await dialog.getByRole('checkbox').check();
  await dialog.getByRole('button', { name: 'Send request' }).click();
  await expect(dialog.getByText('A header can’t contain “к”.')).toBeVisible();
});

test('a response is read up to a limit, and can be cancelled', async ({ signedIn: page }) => {
  await page.goto(`${url()}/reference/messages`);
  let body = 'a,b\n'.repeat(300_000);
  await page.route('**/api/v1/messages/export*', (route) => route.fulfill({ contentType: 'text/csv', body }));
  const dialog = await open(page, 'Export messages as CSV');
  await dialog.getByRole('button', { name: 'Send request' }).click();
  await expect(dialog.getByRole('status')).toContainText('with your session');
  await expect(dialog.getByText('Only the beginning is shown.')).toBeVisible();
  await expect(dialog.getByRole('link', { name: 'Download the file' })).toHaveAttribute('href', /messages\/export/);
  body = 'a,b\n';
  await dialog.getByRole('button', { name: 'Send request' }).click();
  await expect(dialog.getByRole('button', { name: 'Save the response' })).toBeVisible();
  // The server never responds.
  await page.route('**/api/v1/messages/export*', () => {});
  await dialog.getByRole('button', { name: 'Send request' }).click();
  await dialog.getByRole('button', { name: 'Cancel request' }).click();
  await expect(dialog.getByRole('alert')).toContainText('Cancelled.');
});

test('a search finds operations by their fields, and an event of webhooks with the fields and an example of its body', async ({
  signedIn: page,
  check,
  checkState,
}) => {
  await page.goto(`${url()}/reference/sending`);
  await page.getByLabel('Search the reference').fill('post in_reply_to');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`${url()}/reference?q=post%20in_reply_to`);
  await page.goBack();
  await expect(page.getByLabel('Search the reference')).toHaveValue('');
  await page.goForward();
  await expect(page.getByLabel('Search the reference')).toHaveValue('post in_reply_to');
  const found = page.getByRole('region', { name: 'Results' });
  await expect(found.getByRole('listitem').first()).toContainText('Fields in_reply_to');
  await checkState();
  await found.getByRole('link', { name: 'Send a message', exact: true }).click();
  await expect(page).toHaveURL(`${url()}/reference/sending#sending-send`);
  await page.getByLabel('Search the reference').fill('<b>nothing');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`${url()}/reference?q=%3Cb%3Enothing`);
  await expect(page.getByText('No operation or event has all of these words.')).toBeVisible();

  await page.getByLabel('Search the reference').fill('mail.bounced');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Rejected or deferred by the receiving server' }).click();
  await expect(page).toHaveURL(`${url()}/reference/events#mail.bounced`);
  const event = code(page, 'Rejected or deferred by the receiving server');
  await expect(event.getByRole('heading', { level: 2 })).toBeInViewport();
  await event.getByText('6 fields of bounce').click();
  await expect(event.getByText('enhanced_code', { exact: true })).toBeVisible();
  await expect(event.getByRole('figure')).toContainText('"event": "mail.bounced"');
  await page.setViewportSize({ width: 360, height: 740 });
  await check();
});

test('a section can be read at 360 px, is found by an operation’s ID, and an unknown one is not', async ({
  signedIn: page,
  check,
}) => {
  await page.goto(`${url()}/reference/messages-list`);
  await expect(page).toHaveURL(`${url()}/reference/messages#messages-list`);
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto(`${url()}/reference/domains`);
  await expect(code(page, 'List domains').getByRole('heading', { level: 2 })).toBeVisible();
  await check();
  const answer = await page.goto(`${url()}/reference/nothing`);
  expect(answer?.status()).toBe(404);
});
