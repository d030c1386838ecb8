import type { Page } from '@playwright/test';
import { failProcedure, holdRequests, withoutServerData } from '../../support/faults';
import { alertWith, expect, makeDomain, sendMessage, test, url } from '../../support/fixtures';
import { makeWebhook, openerOf, startEndpoint } from './webhook';

const attemptsIn = (page: Page) => page.getByRole('list', { name: 'Attempts for this delivery' }).getByRole('listitem');

test('lists failed deliveries as they happen with their cause, and replays one or all of them', async ({
  signedIn: page,
  api,
  sql,
  check,
  checkState,
}) => {
  const [domain, endpoint] = [await makeDomain(api), await startEndpoint(503)];
  const { id } = await makeWebhook(api, {
    url: endpoint.url,
    events: ['mail.sent', 'mail.delivered'],
    domain_id: domain.id,
  });
  await page.goto(`${url()}/webhooks/${id}`);
  await expect(page.getByRole('heading', { name: 'No deliveries yet' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Replay abandoned' })).toBeDisabled();
  await sendMessage(api, domain);

  const sent = page.getByRole('row', { name: /mail\.sent/ });
  await expect(sent).toContainText('Retrying');
  await expect(sent).toContainText('1 attempt, up to 5 more');
  await expect(sent).toContainText('503 Service Unavailable');
  await expect(page.getByText(/^\d failed( in a row)? since \d\d:\d\d$/)).toBeVisible();
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
  await expect(page.getByRole('figure', { name: /^Request/ })).toHaveText(/\{\s+"id": ".+",\s+"/, {
    useInnerText: true,
  });
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
  const abandoned = page.getByRole('row', { name: /^Select .* Abandoned mail\.delivered/ });
  await expect(abandoned).toContainText('Gave up');
  await check();
  endpoint.status = 200;
  await abandoned.getByRole('checkbox').check();
  await page.getByRole('group', { name: 'Selected deliveries' }).getByRole('button', { name: 'Replay' }).click();
  await expect(page.getByText('Replaying 1 delivery')).toBeVisible();
  const statuses = async () =>
    (await api.call<{ status: string }[]>('GET', `/webhooks/${id}/deliveries`)).map(({ status }) => status);
  await expect.poll(statuses).toEqual(['delivered', 'delivered']);
  await sql(
    `UPDATE webhook_delivery SET status = 'abandoned', finished_at = now()
      WHERE webhook_id = $1 AND event_id IN (SELECT id FROM event WHERE type = 'mail.delivered')`,
    [id],
  );
  await expect(abandoned).toContainText('Gave up');
  await page.getByRole('button', { name: 'Replay 1 abandoned' }).click();
  const replay = page.getByRole('dialog', { name: 'Replay abandoned deliveries' });
  await replay.getByRole('radio', { name: '1 hour', exact: true }).click();
  await checkState();
  await replay.getByRole('button', { name: 'Replay deliveries' }).click();
  await expect(page.getByText('Replayed 1 delivery')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'No matching deliveries' })).toBeVisible();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await expect(page.getByRole('row', { name: /^Select .* Delivered/ })).toHaveCount(2);
  await expect(page.getByText('Active', { exact: true }).first()).toBeVisible();
  await expect(page.getByText(/^\d failed/)).toHaveCount(0);
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

/** Holds the requests of one console procedure. @returns the function that releases them */
async function holdProcedure(page: Page, procedure: string): Promise<() => void> {
  await withoutServerData(page);
  return holdRequests(page, ({ pathname }: URL) =>
    decodeURIComponent(pathname.split('/api/trpc/')[1] ?? '')
      .split(',')
      .includes(procedure),
  );
}
