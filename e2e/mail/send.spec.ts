import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from '@playwright/test';
import PostalMime, { type Email } from 'postal-mime';
import { envelope, holdRequests } from '../support/faults';
import { type Api, alertWith, expect, openSend, pick, test, unique } from '../support/fixtures';

type Row = { id: string; queue_id: string };

let folder: string;
test.beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'postroom-e2e-send-'));
});
test.afterEach(() => rmSync(folder, { recursive: true, force: true }));

const sendButton = (page: Page) => page.getByRole('button', { name: 'Send message' });

async function open(page: Page, domain: { name: string }, subject: string): Promise<void> {
  await openSend(page);
  await fillIn(page, domain, subject);
}

async function fillIn(page: Page, domain: { name: string }, subject: string): Promise<void> {
  await page.getByLabel('From').fill('desk');
  await pick(page.getByRole('combobox', { name: 'Domain', exact: true }), domain.name);
  await page.getByLabel('Subject').fill(subject);
  await page.getByLabel('Text body').fill('Cost: $5, a `tick`, a \\ and "quotes".');
}

async function addTo(page: Page, label: string, text: string): Promise<void> {
  const field = page.getByRole('combobox', { name: label, exact: true });
  await field.fill(text);
  await field.press('Enter');
}

/** The message as the sandbox stored it. */
async function storedMessage(row: Row): Promise<Email> {
  return PostalMime.parse(readFileSync(path.join(process.env.E2E_SPOOL as string, `${row.queue_id}.eml`)));
}

async function rowsOf(api: Api, subject: string): Promise<Row[]> {
  return api.call('GET', `/messages?q=${encodeURIComponent(subject)}`);
}

test('adds a link to unsubscribe from a list to a message with one recipient', async ({
  signedIn: page,
  api,
  domain,
  check,
}) => {
  const subject = unique('News ');
  await open(page, domain, subject);
  const list = page.getByLabel('Mailing list (optional)');
  await expect(list).toHaveCount(0);
  await addTo(page, 'To', 'ann@far.example');
  await list.fill('newsletter');
  await addTo(page, 'Cc', 'bo@far.example');
  await sendButton(page).click();
  await expect(list).toHaveAccessibleDescription(/has one recipient/);
  await page.getByRole('combobox', { name: 'Cc', exact: true }).press('Backspace');
  await sendButton(page).click();
  await expect.poll(async () => (await rowsOf(api, subject)).map((row) => typeof row.queue_id)).toEqual(['string']);
  const [row] = await rowsOf(api, subject);
  const { headers } = await storedMessage(row as Row);
  const fieldOf = (name: string) => headers.find(({ key }) => key === name)?.value;
  expect(fieldOf('list-id')).toContain(`newsletter.${domain.name}`);
  expect(fieldOf('list-unsubscribe')).toContain('/unsubscribe/');
  await check();
});

test('sends a message with copies, an attachment and a header, and the curl command sends the same', async ({
  signedIn: page,
  api,
  domain,
  check,
}) => {
  const subject = unique('With all ');
  const file = path.join(folder, "Ines's invoice $1.pdf");
  writeFileSync(file, Buffer.from(Array.from({ length: 1536 }, (_, index) => index % 256)));
  await open(page, domain, subject);
  await addTo(page, 'To', 'ann@far.example, "Finch, Bo" <bo@far.example>');
  await addTo(page, 'Cc', 'cy@far.example');
  await addTo(page, 'Bcc', 'di@far.example');
  await expect(page.getByText('4 recipients')).toBeVisible();
  await page.getByLabel('Attach files').setInputFiles(file);
  await expect(page.getByText('2 KB of 25 MB')).toBeVisible();
  await page.getByRole('button', { name: 'Add header' }).click();
  await page.getByLabel('Name of header 1').fill('X-Order');
  await page.getByLabel('Value of header 1').fill('20418');
  await check();

  const side = page.getByRole('complementary', { name: /API equivalent/ });
  await expect(side.getByText(/^curl /)).toContainText('20418');
  const command = (await side.getByText(/^curl /).textContent()) as string;
  await sendButton(page).click();
  await expect(page.getByRole('status', { name: 'Result' })).toContainText(
    'accepted the message for ann@far.example and 1 more',
  );
  await check();

  const answer = JSON.parse(
    execFileSync('bash', ['-c', command], {
      cwd: folder,
      env: { ...process.env, POSTROOM_KEY: api.key },
      stdio: ['ignore', 'pipe', 'ignore'],
    }).toString(),
  );
  expect(answer.error).toBeNull();
  const rows = await rowsOf(api, subject);
  expect(rows).toHaveLength(2);
  const [byCurl, byForm] = (await Promise.all(rows.map(storedMessage))) as [Email, Email];
  for (const { messageId, date, ...rest } of [byCurl, byForm]) {
    expect(rest.to?.map(({ address }) => address)).toEqual(['ann@far.example', 'bo@far.example']);
    expect(rest.cc?.map(({ address }) => address)).toEqual(['cy@far.example']);
    expect(rest.bcc ?? []).toEqual([]);
    expect(rest.text?.trim()).toBe('Cost: $5, a `tick`, a \\ and "quotes".');
    expect(rest.headers.find(({ key }) => key === 'x-order')?.value).toBe('20418');
    expect(rest.attachments.map(({ filename }) => filename)).toEqual([path.basename(file)]);
    expect(Buffer.from(rest.attachments[0]?.content as ArrayBuffer).equals(readFileSync(file))).toBe(true);
  }

  await page.getByRole('link', { name: 'View trace' }).click();
  await expect(page.getByRole('heading', { name: subject })).toBeVisible();
  await expect(page.getByRole('listitem').filter({ hasText: 'Bcc' })).toContainText('di@far.example');
});

test('shows missing fields and too large attachments before anything is sent, and errors of the server at their fields', async ({
  signedIn: page,
  domain,
  check,
  checkState,
}) => {
  await openSend(page);
  await pick(page.getByRole('combobox', { name: 'Domain', exact: true }), domain.name);
  await sendButton(page).click();
  await expect(page.getByLabel('From')).toHaveAccessibleDescription(/before the @/);
  await expect(page.getByLabel('From')).toBeFocused();
  await expect(page.getByText('Enter at least one address.')).toBeVisible();
  await expect(page.getByLabel('Subject')).toHaveAccessibleDescription('Enter a subject.');
  await expect(page.getByText('Enter a text or HTML body.')).toBeVisible();
  await checkState();

  await fillIn(page, domain, unique('Invalid '));
  await addTo(page, 'To', 'ann@far.example');
  await addTo(page, 'To', 'nobody');
  await page.getByRole('button', { name: 'Add header' }).click();
  await page.getByLabel('Name of header 1').fill('X-Ö');
  await page.getByLabel('Value of header 1').fill('1');
  await page.getByLabel('From').fill('not plain');
  await sendButton(page).click();
  await expect(page.getByLabel('From')).toHaveAccessibleDescription(/Enter a plain sender address/);
  await expect(page.getByLabel('From')).toBeFocused();

  await page.getByLabel('From').fill('desk');
  await sendButton(page).click();
  await expect(page.getByRole('group', { name: 'Headers' }).getByRole('alert')).toContainText(
    'X-Ö: Use at most 76 letters',
  );
  await check();

  await page.getByLabel('Name of header 1').fill('X-Order');
  await sendButton(page).click();
  await expect(page.getByText(/^nobody: Enter a plain address/)).toBeVisible();
  await expect(page.getByRole('combobox', { name: 'To' })).toBeFocused();
  await expect(page.getByText('Fix the highlighted fields')).toBeVisible();
  await check();

  await page.getByRole('button', { name: 'Remove nobody' }).click();
  const file = path.join(folder, 'film.mp4');
  writeFileSync(file, Buffer.alloc(26 * 1024 * 1024));
  await page.getByLabel('Attach files').setInputFiles(file);
  await expect(page.getByText('26 MB of 25 MB')).toBeVisible();
  let sends = 0;
  await page.route('**/api/v1/send', (route) => {
    sends += 1;
    return route.abort();
  });
  await sendButton(page).click();
  await expect(page.getByRole('group', { name: 'Attachments' }).getByRole('alert')).toHaveText(
    'Attachments can be up to 25 MB in total.',
  );
  expect(sends).toBe(0);
  await check();

  await page.getByRole('button', { name: 'Remove film.mp4' }).click();
  await expect(page.getByText('0 B of 25 MB')).toBeVisible();
});

test('keeps the draft after a server error, a lost connection and a reload; waits for a slow response, and sends nothing twice', async ({
  signedIn: page,
  api,
  domain,
  check,
}) => {
  const subject = unique('Kept ');
  await open(page, domain, subject);
  await addTo(page, 'To', 'ann@far.example');
  const error = { status: 500, code: 'INTERNAL_ERROR', message: 'Something went wrong.' };
  await page.route('**/api/v1/send', (route) => route.fulfill({ status: 500, json: envelope(error) }), { times: 1 });
  await sendButton(page).click();
  await expect(alertWith(page, 'INTERNAL_ERROR, request 01a1fc2e')).toBeVisible();
  await check();

  for (const [status, text] of [
    [502, 'A proxy in front of Postroom answered with 502.'],
    [413, 'A proxy in front of Postroom answered with 413: the request is too large for it.'],
  ] as const) {
    const proxy = { status, contentType: 'text/html', body: '<h1>nginx</h1>' };
    await page.route('**/api/v1/send', (route) => route.fulfill(proxy), { times: 1 });
    await sendButton(page).click();
    await expect(alertWith(page, text)).toBeVisible();
  }

  await page.route('**/api/v1/send', (route) => route.abort('connectionreset'), { times: 1 });
  await sendButton(page).click();
  await expect(alertWith(page, 'The server isn’t responding.')).toBeVisible();

  await page.reload();
  await expect(page.getByLabel('Subject')).toHaveValue(subject);
  await expect(page.getByLabel('Text body')).toHaveValue(/Cost: \$5/);
  await expect(page.getByText('ann@far.example', { exact: true })).toBeVisible();
  expect(await rowsOf(api, subject)).toEqual([]);
  await check();

  await test.step('submitting again while the response is awaited sends nothing', async () => {
    const release = await holdRequests(page, '**/api/v1/send');
    let sends = 0;
    page.on('request', (request) => {
      if (request.url().endsWith('/api/v1/send')) sends += 1;
    });
    await sendButton(page).click();
    await expect(sendButton(page)).toBeDisabled();
    await page.getByLabel('Subject').press('Control+Enter');
    await expect(page.getByLabel('Subject')).toHaveValue(subject);
    await check();
    release();
    await expect(page.getByRole('status', { name: 'Result' })).toContainText(
      'accepted the message for ann@far.example',
    );
    expect(sends).toBe(1);
    expect(await rowsOf(api, subject)).toHaveLength(1);
  });
});

test('the result of a message that bounces says so, for each recipient', async ({
  signedIn: page,
  domain,
  checkState,
}) => {
  await open(page, domain, unique('Mixed '));
  await addTo(page, 'To', `ann@far.example, ${unique('nobody')}@bounce.test`);
  await sendButton(page).click();
  const result = page.getByRole('status', { name: 'Result' });
  await expect(result).toContainText('1 delivered');
  await expect(result).toContainText('1 bounced');
  await expect(result).toContainText('The receiving server rejected it.');
  await checkState();
});

test('keeps the draft across pages, and asks before dropping attachments', async ({
  signedIn: page,
  domain,
  checkState,
}) => {
  const subject = unique('Away ');
  await open(page, domain, subject);
  const name = `${'long-name-'.repeat(12)}.txt`;
  await page.getByLabel('Attach files').setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from('a') });
  await page.setViewportSize({ width: 360, height: 740 });
  await checkState();
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole('link', { name: 'Messages', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Leave this page?' });
  await expect(dialog).toContainText('the attachments are dropped');
  await checkState();
  await dialog.getByRole('button', { name: 'Leave without attachments' }).click();
  await expect(page.getByRole('heading', { name: 'Messages' })).toBeVisible();

  await page.getByRole('link', { name: 'Send', exact: true }).click();
  await expect(page.getByLabel('Subject')).toHaveValue(subject);
  await page.getByRole('button', { name: 'Clear form' }).click();
  await expect(page.getByLabel('Subject')).toHaveValue('');
  await page.reload();
  await expect(page.getByLabel('Subject')).toHaveValue('');
});

test('asks before leaving a changed batch, until it is sent', async ({ signedIn: page, domain, check }) => {
  await openSend(page, '/send?mode=batch');
  const field = page.getByLabel('Batch as JSON');
  const message = {
    from: { email: `a@${domain.name}` },
    to: [{ email: 'ann@far.example' }],
    subject: unique('Batch '),
  };
  const text = JSON.stringify({ messages: [{ ...message, text_body: 'x' }] });
  await field.fill(text);
  const dialog = page.getByRole('dialog', { name: 'Leave this page?' });
  for (const away of [
    page.getByRole('link', { name: 'Messages', exact: true }),
    page.getByRole('radio', { name: 'Single message' }),
  ]) {
    await away.click();
    await expect(dialog).toContainText('will be lost');
    await check();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await expect(field).toHaveValue(text);
  }
  await page.getByRole('button', { name: 'Send batch' }).click();
  await expect(page.getByRole('table', { name: 'Batch results' })).toBeVisible();
  await page.getByRole('link', { name: 'Messages', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Messages' })).toBeVisible();
});
