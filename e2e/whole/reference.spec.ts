import { execFileSync } from 'node:child_process';
import type { Page } from '@playwright/test';
import { expect, FIRST_ADMIN, test, unique, url } from '../support/fixtures';

const code = (page: Page, operation: string) => page.getByRole('region', { name: operation, exact: true });

async function open(page: Page, operation: string) {
  // The page runs once its code has its own address.
  await expect(code(page, operation).getByRole('figure').first()).toContainText(url());
  await code(page, operation)
    .getByRole('button', { name: `Try it: ${operation}` })
    .click();
  return page.getByRole('dialog', { name: operation });
}

test('the reference lists every operation, and each leads to its details', async ({
  signedIn: page,
  request,
  checkState,
}) => {
  const document = await (await request.get(`${url()}/api/v1/openapi.json`)).json();
  const operations = Object.values<object>(document.paths).flatMap((path) => Object.keys(path));
  await page.goto(`${url()}/reference`);
  const rows = page
    .getByRole('main')
    .getByRole('listitem')
    .filter({ hasText: /(GET|POST|PATCH|DELETE) \// });
  await expect(rows).toHaveCount(operations.length);
  await expect(rows.first()).toContainText('POST /send');
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

  // The key is kept while the page is.
  dialog = await open(page, 'List aliases');
  await expect(dialog.getByLabel('API key', { exact: true })).toHaveValue(api.key);
  await dialog.getByRole('textbox', { name: 'q' }).fill(alias.source_local_part);
  await dialog.getByRole('button', { name: 'Send request' }).click();
  await expect(dialog.getByRole('region', { name: 'Response' })).toContainText(
    `"source_local_part": "${alias.source_local_part}"`,
  );
});

test('the code of an operation runs as shown', async ({ signedIn: page, api }) => {
  await page.goto(`${url()}/reference/authentication#auth-me`);
  const env = { ...process.env, POSTROOM_KEY: api.key };
  const figure = code(page, 'Get your profile').getByRole('figure').first();
  await expect(figure).toContainText(`curl ${url()}/api/v1/auth/me`);
  const command = (await figure.getByText(/^curl /).textContent()) as string;
  expect(execFileSync('bash', ['-c', command], { env, stdio: 'pipe' }).toString()).toContain('"email":');
  await page.getByRole('radio', { name: 'Node.js' }).click();
  const program = (await figure.getByText(/^const response/).textContent()) as string;
  const args = ['--input-type=module', '-e', program];
  expect(execFileSync(process.execPath, args, { env, stdio: 'pipe' }).toString()).toContain('email:');
});

test('a search finds operations by their fields', async ({ signedIn: page, checkState }) => {
  await page.goto(`${url()}/reference/sending`);
  await page.getByLabel('Search the reference').fill('post in_reply_to');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`${url()}/reference?q=post%20in_reply_to`);
  const found = page.getByRole('region', { name: 'Results' });
  await expect(found.getByRole('listitem').first()).toContainText('Fields in_reply_to');
  await checkState();
  await found.getByRole('link', { name: 'Send a message', exact: true }).click();
  await expect(page).toHaveURL(`${url()}/reference/sending#sending-send`);
  await page.goto(`${url()}/reference?q=%3Cb%3Enothing`);
  await expect(page.getByText('No operation has all of these words.')).toBeVisible();
});

test('a section can be read at 360 px, and an unknown one is not found', async ({ signedIn: page, check }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto(`${url()}/reference/domains`);
  await expect(code(page, 'List domains').getByRole('heading', { level: 2 })).toBeVisible();
  await check();
  const answer = await page.goto(`${url()}/reference/nothing`);
  expect(answer?.status()).toBe(404);
});

test('the reference begins with a command that sends a message from this server', async ({
  signedIn: page,
  context,
  api,
  domain,
  check,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto(`${url()}/reference`);
  const intro = page.getByRole('region', { name: 'Send a message' });
  await expect(intro.getByRole('figure')).toContainText(`curl ${url()}/api/v1/send`);
  await expect(intro.getByRole('figure')).toContainText(FIRST_ADMIN.email);
  await expect(intro.getByRole('figure')).not.toContainText('@example.com');
  await check();
  await intro.getByRole('button', { name: 'Copy the command' }).click();
  const command = await page.evaluate(() => navigator.clipboard.readText());
  const sender = `hello@${domain.name}`;
  const env = { ...process.env, POSTROOM_KEY: api.key };
  const output = execFileSync('bash', ['-c', command.replace(/hello@[^"]+/, sender)], { env, stdio: 'pipe' });
  expect(JSON.parse(output.toString()).data.message_id).toContain(`@${domain.name}>`);
  await intro.getByRole('link', { name: 'Create an API key' }).click();
  await expect(page.getByRole('dialog', { name: 'New API key' })).toBeVisible();
});
