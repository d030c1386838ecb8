import type { Page } from '@playwright/test';
import { inputValue } from '../../src/lib/time/zoned-time';
import { fillMoment } from '../support/fill-moment';
import { expect, openSend, pick, sendMessage, test, unique, url } from '../support/fixtures';

const HOUR_MS = 3_600_000;

/** Returns the text to type into a field for a time, in the browser's time zone. */
async function inHours(page: Page, hours: number): Promise<string> {
  const zone = await page.evaluate(() => Intl.DateTimeFormat().resolvedOptions().timeZone);
  return inputValue(new Date(Date.now() + hours * HOUR_MS), zone);
}

test('a message is scheduled in the composer, then rescheduled and cancelled on its page', async ({
  signedIn: page,
  domain,
  check,
}) => {
  const subject = unique('Later ');
  await openSend(page);
  await page.getByLabel('From').fill('desk');
  await pick(page.getByRole('combobox', { name: 'Domain', exact: true }), domain.name);
  const to = page.getByRole('combobox', { name: 'To', exact: true });
  await to.fill('ann@far.example');
  await to.press('Enter');
  await page.getByLabel('Subject').fill(subject);
  await page.getByLabel('Text body').fill('Not yet.');
  const [date = ''] = (await inHours(page, 24)).split('T');
  await page.getByLabel('Send at (optional)', { exact: true }).fill(date);
  await page.getByRole('button', { name: 'Schedule message' }).click();
  await expect(page.getByText('Enter a date and a time, such as 14:30.')).toBeVisible();
  await fillMoment(page, 'Send at (optional)', await inHours(page, 24 * 40));
  await page.getByRole('button', { name: 'Schedule message' }).click();
  await expect(page.getByText('Enter a time at most 30 days ahead.')).toBeVisible();
  await fillMoment(page, 'Send at (optional)', await inHours(page, 24));
  await expect(page.getByText(/^1 recipient, on \d+ \w+ \d{4} at \d\d:\d\d /)).toBeVisible();
  await page.getByRole('button', { name: 'Schedule message' }).click();
  const result = page.getByRole('status', { name: 'Result' });
  await expect(result).toContainText('The message to ann@far.example is sent on');
  await expect(result).toContainText('Scheduled');
  await check();

  await result.getByRole('link', { name: 'View message' }).click();
  await expect(page.getByRole('heading', { name: subject })).toBeVisible();
  await expect(page.getByRole('heading', { name: /Scheduled$/ })).toBeVisible();
  await page.getByRole('tab', { name: 'Content' }).click();
  await expect(page.getByText('Not yet.')).toBeVisible();
  await page.getByRole('tab', { name: 'Overview' }).click();

  await page.getByRole('button', { name: 'Reschedule message' }).click();
  const dialog = page.getByRole('dialog', { name: 'Reschedule message' });
  await fillMoment(dialog, 'Send at', await inHours(page, 48));
  await check();
  await dialog.getByRole('button', { name: 'Reschedule message' }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByText('Rescheduled')).toBeVisible();

  await page.getByRole('button', { name: 'Cancel message' }).click();
  const confirm = page.getByRole('dialog', { name: 'Cancel message' });
  await expect(confirm).toContainText('Its content is deleted. This can’t be undone.');
  await check();
  await confirm.getByRole('button', { name: 'Cancel message' }).click();
  await expect(page.getByRole('heading', { name: /Cancelled$/ })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Reschedule message' })).toHaveCount(0);
  await check();
});

test('the list shows scheduled messages, and one that is moved to now leaves within seconds', async ({
  signedIn: page,
  api,
  domain,
  check,
}) => {
  const subject = unique('Soon ');
  const { id } = await sendMessage(api, domain, { subject, send_at: new Date(Date.now() + HOUR_MS).toISOString() });
  await page.goto(`${url()}/messages?domain=${domain.id}&status=scheduled`);
  await expect(page.getByRole('row', { name: subject })).toContainText('Scheduled');
  await check();
  await api.call('PATCH', `/messages/${id}`, { send_at: new Date().toISOString() });
  await page.goto(`${url()}/messages/${id}`);
  await expect(page.getByText('Queued by your mail server')).toBeVisible();
});
