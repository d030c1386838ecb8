import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { failProcedure } from '../support/faults';
import { fillMoment } from '../support/fill-moment';
import {
  type Api,
  alertWith,
  type Domain,
  expect,
  makeDomain,
  sendMessage,
  test,
  unique,
  url,
} from '../support/fixtures';

const HOUR_MS = 3_600_000;

/** Three messages that are delivered, and two that bounce. */
async function sendMail(api: Api, domain: Domain): Promise<void> {
  for (let n = 0; n < 3; n++) await sendMessage(api, domain);
  for (let n = 0; n < 2; n++) await sendMessage(api, domain, { to: [{ email: `${unique('b')}@bounce.test` }] });
}

async function open(page: Page, query: string): Promise<void> {
  await page.goto(`${url()}/analytics?${query}`);
  await expect(page.getByRole('heading', { name: 'Delivery time' })).toBeVisible();
}

const figure = (page: Page, name: string) =>
  page.getByRole('term').filter({ hasText: name }).locator('xpath=following-sibling::dd').getByRole('link');

test('every figure leads to exactly the messages that it counts, and is broken down by what is chosen in the URL', async ({
  signedIn: page,
  api,
  check,
}) => {
  const domain = await makeDomain(api);
  await sendMail(api, domain);
  await sendMail(api, await makeDomain(api));
  await open(page, `domain=${domain.id}`);
  await check();
  for (const [name, count] of [
    ['Sent', 5],
    ['Delivered', 3],
    ['Bounced', 2],
  ] as const) {
    await expect(figure(page, name)).toHaveText(`${count}`);
    await figure(page, name).click();
    await expect(page.getByRole('heading', { name: 'Messages', level: 1 })).toBeVisible();
    // With the row of column names.
    await expect(page.getByRole('row')).toHaveCount(count + 1);
    await page.goBack();
  }
  const table = page.getByRole('region', { name: 'Outbound messages by time' });
  const today = table.getByRole('row').nth(1);
  await expect(today.getByRole('cell')).toHaveText(['5', '3', '0', '2', '0']);
  await today.getByRole('link', { name: '3', exact: true }).click();
  await expect(page.getByRole('row')).toHaveCount(4);
  await page.goBack();
  const entry = page.getByRole('table', { name: 'Messages by Domain' }).getByRole('row', { name: domain.name });
  await entry.getByRole('link', { name: '2', exact: true }).click();
  await expect(page.getByRole('row')).toHaveCount(3);
  await page.goBack();

  await page.getByRole('combobox', { name: 'Break down by' }).click();
  await page.getByRole('option', { name: 'By recipient domain' }).click();
  const recipients = page.getByRole('table', { name: 'Recipients of outbound messages by Recipient domain' });
  await expect(recipients.getByRole('row', { name: /^far\.example 3 3 3 0 0 0 100%/ })).toBeVisible();
  await expect(recipients.getByRole('row', { name: /^bounce\.test 2 2 0 0 2 0 0%/ })).toBeVisible();
  await expect(page).toHaveURL(/by=recipient_domain/);
  await page.reload();
  await expect(recipients).toBeVisible();
  await check();
  await page.getByRole('combobox', { name: 'Break down by' }).click();
  await page.getByRole('option', { name: 'By sender' }).click();
  const sender = page.getByRole('row', { name: new RegExp(`^orders@${domain.name}`) });
  await sender.getByRole('link', { name: '2', exact: true }).click();
  await expect(page.getByRole('row')).toHaveCount(3);
});

test('marks many bounces in the breakdown', async ({ signedIn: page, api, checkState }) => {
  const domain = await makeDomain(api);
  await sendMail(api, domain);
  const bounced = page.getByRole('row', { name: new RegExp(`^${domain.name}`) }).locator('[data-tone="bounced"]');
  const count = page.getByRole('row', { name: new RegExp(`^${domain.name} 5 `) });
  await open(page, `domain=${domain.id}`);
  await expect(count).toBeVisible();
  await expect(bounced).toHaveCount(0);
  for (let n = 2; n < 10; n++) await sendMessage(api, domain, { to: [{ email: `${unique('b')}@bounce.test` }] });
  await page.reload();
  await expect(bounced.first()).toHaveText('10');
  await checkState();
});

test('zooms in by dragging over the chart and by the times beside it, and shows and exports a period of one’s own', async ({
  signedIn: page,
  api,
  check,
  checkState,
}) => {
  const domain = await makeDomain(api);
  await sendMail(api, domain);
  await open(page, `domain=${domain.id}&timezone=UTC`);
  const chart = page.locator('.recharts-surface').first();
  const box = await chart.boundingBox();
  if (!box) throw new Error('there is no chart');
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width * 0.5, y);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.7, y, { steps: 5 });
  await page.mouse.move(box.x + box.width * 0.95, y, { steps: 5 });
  await page.mouse.up();
  await expect(page).toHaveURL(/period=custom/);
  await expect(page.getByRole('radio', { name: 'Custom' })).toBeChecked();
  await expect(figure(page, 'Sent')).toHaveText('5');
  await check();
  await page.goBack();
  await expect(page.getByRole('radio', { name: '7 days' })).toBeChecked();

  const day = new Date().toLocaleDateString('en-GB', { timeZone: 'UTC', day: 'numeric', month: 'short' });
  const times = page.getByRole('region', { name: 'Outbound messages by time' });
  // Its last day isn't over.
  await times.getByRole('link', { name: new RegExp(`^${day}, (so far|until \\d\\d:\\d\\d)$`) }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByLabel('From, time')).toHaveValue('00:00');
  await expect(page.getByRole('combobox', { name: 'Granularity' })).toHaveValue(/By hour|By 15 minutes/);
  await expect(figure(page, 'Sent')).toHaveText('5');

  await page.getByRole('radio', { name: '30 days' }).check();
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Export CSV' }).click();
  const file = await download;
  expect(file.suggestedFilename()).toMatch(/^analytics-messages-.*\.csv$/);
  const lines = (await readFile(await file.path(), 'utf8')).trimEnd().split('\r\n');
  expect(lines).toHaveLength(32);
  expect(lines.at(-1)).toContain(',5,3,2,0,0,');

  await page.getByRole('radio', { name: '24 hours' }).check();
  await page.getByRole('combobox', { name: 'Time zone' }).fill('kathm');
  await page.getByRole('option', { name: 'Asia/Kathmandu' }).click();
  await expect(page.getByText('Kathmandu time')).toBeVisible();
  await page.getByRole('radio', { name: 'Custom' }).check();
  const from = new Date(Date.now() - 2 * HOUR_MS + 345 * 60_000).toISOString().slice(0, 13);
  await fillMoment(page, 'From', `${from}:00`);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/start=.*(%3A|:)15(%3A|:)00/);
  await expect(figure(page, 'Sent')).toHaveText('5');
  await checkState();
});

test('says that there are no messages, and what is wrong with a period', async ({ signedIn: page, api, check }) => {
  const domain = await makeDomain(api);
  await page.goto(`${url()}/analytics?domain=${domain.id}`);
  await expect(page.getByRole('heading', { name: 'No messages in this period' })).toBeVisible();
  await check();
  await page.goto(`${url()}/analytics?timezone=Mars/Olympus`);
  await expect(alertWith(page, 'INVALID_PERIOD (400)')).toContainText('Enter the name of an IANA time zone');
  await check();
});

test('shows an error with its request, and the figures after a retry', async ({ signedIn: page, api, check }) => {
  const domain = await makeDomain(api);
  await sendMail(api, domain);
  const end = await failProcedure(page, 'analytics.get', { status: 500, code: 'INTERNAL_ERROR', message: 'Failed.' });
  await page.goto(`${url()}/analytics?domain=${domain.id}`);
  await expect(page.getByText('Couldn’t load analytics')).toBeVisible();
  await check();
  await end();
  await page.getByRole('button', { name: 'Retry' }).click();
  await expect(figure(page, 'Sent')).toHaveText('5');
});

test.describe('in another time zone than the server’s', () => {
  test.use({ timezoneId: 'Asia/Kathmandu' });

  test('the figures and their messages are those of the browser’s time', async ({ signedIn: page, api, check }) => {
    const domain = await makeDomain(api);
    await sendMail(api, domain);
    await open(page, `domain=${domain.id}&period=24h`);
    await expect(page.getByText('Kathmandu time')).toBeVisible();
    await figure(page, 'Bounced').click();
    await expect(page.getByRole('heading', { name: 'Messages', level: 1 })).toBeVisible();
    await page.reload();
    await expect(page.getByRole('row')).toHaveCount(3);
    await expect(page.getByText(/^Messages since .*Kath?mandu time$/)).toBeVisible();
    // The period starts at a whole hour UTC.
    await expect(page.locator('[data-active-filter]').filter({ hasText: 'Since' })).toContainText(/:45/);
    await check();
  });
});
