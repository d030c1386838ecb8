import type { Locator, Page } from '@playwright/test';
import { type QueueFile, queueFile, queueInMemory } from '../../src/test/mail/queued-mail';
import { checkView } from '../support/check-view';
import { withoutMailServer } from '../support/faults';
import { alertWith, type Domain, expect, test, unique, url, useSession } from '../support/fixtures';
import { countShifts, WIDTHS } from '../support/layout-shifts';
import { startMailAgent } from '../support/mail-agent';
import { openViews, saveView, viewItem } from '../support/views';

// All tests share one mail server, so they run one after another.
test.describe.configure({ mode: 'serial' });

const [HELD, FIRST, SECOND, BOUNCE] = ['4jWsM30000zMFgn', '4jWsM30001zMFgn', '4jWsM30002zMFgn', '4jWsM30003zMFgn'];
const REFUSED = 'connect to mx.far.example[192.0.2.7]:25: Connection refused';
const hourAgo = () => Math.floor(Date.now() / 1000) - 3_600;

let isDown = false;
let detach: (() => Promise<void>) | null = null;
test.afterEach(async () => {
  isDown = false;
  await detach?.();
  detach = null;
});

/** Attaches a mail server with these files in its queue. Tests may change the files. */
async function attach(files: QueueFile[], authors = new Map<string, string>()): Promise<QueueFile[]> {
  const queue = queueInMemory(files, async () => authors);
  const list: (typeof queue)['queue.list'] = (query) => {
    if (isDown) throw new Error('postqueue: fatal: the mail system is down');
    return queue['queue.list'](query);
  };
  detach = await startMailAgent({ ...queue, 'queue.list': list });
  return files;
}

/** Long enough to leave no room for another column. */
const CLINIC = { sender: 'bookings@brightwater-clinic.example', recipient: 'amara.hansen@old-mill-pottery.example' };

function attachFour(domain: Domain): Promise<QueueFile[]> {
  const sender = `orders@${domain.name}`;
  return attach([
    queueFile({ queue_id: SECOND as string, arrival_time: hourAgo() + 60, sender, recipients: [to('bo', REFUSED)] }),
    queueFile({ queue_id: FIRST as string, arrival_time: hourAgo(), sender }),
    queueFile({ queue_id: HELD as string, arrival_time: hourAgo() - 60, sender, queue_name: 'hold' }),
    queueFile({
      queue_id: BOUNCE as string,
      arrival_time: hourAgo() + 120,
      sender: 'MAILER-DAEMON',
      queue_name: 'active',
      recipients: Array.from({ length: 25 }, (_, index) => to(`r${index}`)),
    }),
  ]);
}

function to(local: string, delay_reason?: string) {
  return { address: `${local}@far.example`, delay_reason };
}

const openerOf = (page: Page, id = '') => page.getByRole('button', { name: `Details of ${id}` });
const rowOf = (page: Page, id = ''): Locator => page.getByRole('row').filter({ has: openerOf(page, id) });
/** By how much the text of an element is larger than its room. */
const cutOf = (element: Locator) =>
  element.evaluate(({ scrollWidth, clientWidth, scrollHeight, clientHeight }) => ({
    width: scrollWidth - clientWidth,
    height: scrollHeight - clientHeight,
  }));
const idsIn = (page: Page) =>
  page
    .getByRole('button', { name: /^Details of / })
    .evaluateAll((openers) => openers.map((opener) => /of (\w+)/.exec(opener.getAttribute('aria-label') ?? '')?.[1]));

test('without a mail server the page explains what to do', async ({ signedIn: page, check }) => {
  await withoutMailServer(page);
  await page.goto(`${url()}/queue`);
  await expect(page.getByRole('heading', { name: 'No mail server is attached' })).toBeVisible();
  const chapter = page.getByRole('main').getByRole('link', { name: 'Your own mail server' });
  await expect(chapter).toHaveAttribute('href', '/docs/mail-server');
  await expect(page.getByRole('button', { name: 'Retry deferred' })).toBeDisabled();
  await check();

  await withoutMailServer(page, 'silent');
  await page.getByRole('button', { name: 'Retry', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'The mail agent is not responding' })).toBeVisible();
  await check();
});

test('lists queued messages with the reason, oldest first, filters them by status and address, and keeps that in the URL and in a view', async ({
  page,
  domain,
  makeAdmin,
  check,
}) => {
  const [second] = await attachFour(domain);
  const recipients = [{ address: CLINIC.recipient, delay_reason: REFUSED }];
  Object.assign(second ?? {}, { sender: CLINIC.sender, recipients });
  await useSession(page, (await makeAdmin('admin')).cookie);
  await page.goto(`${url()}/queue`);
  await expect(rowOf(page, FIRST)).toContainText('Asked to retry later');
  await expect(rowOf(page, FIRST)).toContainText('1 h ago');
  await expect(rowOf(page, SECOND)).toContainText('Connection refused by mx.far.example');
  await expect(rowOf(page, HELD)).toContainText('On release');
  await expect(rowOf(page, BOUNCE)).toContainText('+24');
  expect(await idsIn(page)).toEqual([HELD, FIRST, SECOND, BOUNCE]);
  await expect(page.getByText(/^4 messages, the oldest from /)).toBeVisible();
  const statuses = page.getByRole('group', { name: 'Status' });
  await expect(statuses.getByRole('button')).toHaveText([
    /^All4$/,
    /^Deferred2$/,
    /^Active1$/,
    /^Incoming0$/,
    /^On hold1$/,
  ]);
  await check();

  await test.step('long addresses have a line each at 1280 px, and the reason is whole', async () => {
    const row = rowOf(page, SECOND);
    const top = (await row.boundingBox())?.y ?? 0;
    for (const host of ['@brightwater-clinic.example', '@old-mill-pottery.example']) {
      const part = row.getByText(host, { exact: true });
      expect(await cutOf(part)).toMatchObject({ width: 0 });
      expect(((await part.boundingBox())?.y ?? 0) - top).toBeLessThan(20);
    }
    expect(await cutOf(row.getByText('Connection refused by mx.far.example'))).toEqual({ width: 0, height: 0 });
  });

  const filter = (name: string) => page.getByRole('textbox', { name: new RegExp(`^${name}`) });
  await test.step('the filters', async () => {
    await statuses.getByRole('button', { name: 'On hold' }).press('Enter');
    await expect(page).toHaveURL(/queue=hold/);
    await expect(openerOf(page)).toHaveCount(1);
    await statuses.getByRole('button', { name: 'On hold' }).click();
    await filter('From').fill('<>');
    await expect(openerOf(page)).toHaveCount(1);
    await expect(rowOf(page, BOUNCE)).toContainText('No sender');
    await filter('From').fill('');
    await filter('To').fill('amara.hansen');
    await expect(filter('To')).toHaveAccessibleDescription(/Enter a full address/);
    await expect(openerOf(page)).toHaveCount(4);
    await filter('To').fill(CLINIC.recipient);
    await expect(openerOf(page)).toHaveCount(1);
    await expect(page).toHaveURL(/to=amara\.hansen@old-mill-pottery\.example/);
    await page.reload();
    await expect(rowOf(page, SECOND)).toBeVisible();
    await expect(openerOf(page)).toHaveCount(1);
    await filter('To').fill('@nowhere.example');
    await expect(page.getByRole('heading', { name: 'No matching messages' })).toBeVisible();
    await check();
    await page.getByRole('button', { name: 'Clear filters' }).last().click();
  });

  await test.step('the order, and a view of both', async () => {
    await page.getByRole('button', { name: /^Arrived/ }).click();
    await expect.poll(() => idsIn(page)).toEqual([BOUNCE, SECOND, FIRST, HELD]);
    await statuses.getByRole('button', { name: 'Deferred' }).click();
    await expect.poll(() => idsIn(page)).toEqual([SECOND, FIRST]);
    await saveView(page, 'Newest deferred');
    await expect(page.getByRole('status').filter({ hasText: 'Saved Newest deferred' })).toBeVisible();
    await page.getByRole('link', { name: 'Queue', exact: true }).click();
    await expect.poll(() => idsIn(page)).toEqual([HELD, FIRST, SECOND, BOUNCE]);
    await openViews(page);
    await viewItem(page, 'Newest deferred').click();
    await expect.poll(() => idsIn(page)).toEqual([SECOND, FIRST]);
  });
});

test('shows, holds, releases and retries messages by keyboard', async ({ signedIn: page, domain, sql, check }) => {
  const files = await attachFour(domain);
  const subject = unique('Order ');
  const [message] = await sql<{ id: string }>(
    `INSERT INTO message (id, message_id, queue_id, domain_id, direction, from_address, to_addresses, subject,
                          size_bytes, status, updated_at)
     VALUES (gen_random_uuid(), $1, $2, $3, 'outbound', 'orders@x.example', '{}', $4, 1, 'deferred', now())
     RETURNING id`,
    [`<${subject}@x.example>`, SECOND, domain.id, subject],
  );
  await page.goto(`${url()}/queue?open=${BOUNCE}`);
  await test.step('few of many recipients are shown below the actions', async () => {
    const recipients = page.getByRole('list', { name: 'Undelivered recipients' });
    await expect(recipients.getByRole('listitem')).toHaveCount(5);
    await page.getByRole('button', { name: 'Show 15 more of 25 recipients' }).click();
    await expect(recipients.getByRole('listitem')).toHaveCount(21);
    await expect(recipients).toContainText('and 5 more recipients');

    await openerOf(page, BOUNCE).click();
    await expect(recipients).toHaveCount(0);
  });
  await test.step('single keys move past the details that are open', async () => {
    await page.getByRole('heading', { level: 1 }).click();
    await expect(openerOf(page, HELD)).toBeVisible();
    await page.keyboard.press('j');
    await expect(openerOf(page, HELD)).toBeFocused();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(new RegExp(`open=${FIRST}`));
    await expect(page.getByRole('button', { name: 'Hold', exact: true })).toBeVisible();
    await page.keyboard.press('j');
    await expect(openerOf(page, SECOND)).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(new RegExp(`open=${SECOND}`));
    await expect(page.getByText(REFUSED, { exact: true })).toBeVisible();
    await page.getByRole('button', { name: 'Hold', exact: true }).focus();
    await page.keyboard.press('j');
    await expect(openerOf(page, BOUNCE)).toBeFocused();
    await page.getByRole('checkbox', { name: `Select ${SECOND}` }).focus();
    await page.keyboard.press('k');
    await expect(openerOf(page, FIRST)).toBeFocused();
  });
  await test.step('a message is held, released and retried', async () => {
    await expect(page.getByText(/The host is up, but no mail server accepts connections there/)).toBeVisible();
    await expect(page.getByRole('link', { name: subject })).toHaveAttribute('href', `/messages/${message?.id}`);
    await check();

    await page.getByRole('button', { name: 'Hold', exact: true }).press('Enter');
    await expect(page.getByText('to bo@far.example put on hold.')).toBeVisible();
    await expect(rowOf(page, SECOND)).toContainText('On hold');
    await expect(page.getByRole('button', { name: 'Retry', exact: true })).toHaveCount(0);
    await expect(page.getByRole('button', { name: 'Release' })).toBeFocused();
    await check();
    await page.getByRole('button', { name: 'Undo' }).press('Enter');
    await expect(rowOf(page, SECOND)).not.toContainText('On hold');
    await page.getByRole('button', { name: 'Hold', exact: true }).press('Enter');
    await expect(page.getByRole('button', { name: 'Release' })).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(page.getByText('released. Retrying now.')).toBeVisible();
    await page.getByRole('button', { name: 'Retry', exact: true }).press('Enter');
    await expect(page.getByText('to bo@far.example now.')).toBeVisible();
    await expect(openerOf(page, SECOND)).toHaveCount(0);
    await expect(page.getByText('the message left the queue or is on another page')).toBeVisible();
    expect(files.map(({ queue_id }) => queue_id)).not.toContain(SECOND);
    await check();
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await expect(page).not.toHaveURL(/open=/);
  });
});

test('deletes a message after confirmation, and retries all deferred messages', async ({
  signedIn: page,
  domain,
  check,
}) => {
  const files = await attachFour(domain);
  await page.goto(`${url()}/queue?open=${HELD}`);
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete message from queue' });
  await expect(dialog).toContainText(`Delete the message from orders@${domain.name}? 1 recipient won’t receive it`);
  await check();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(dialog).toHaveCount(0);
  expect(files).toHaveLength(4);
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await dialog.getByRole('button', { name: 'Delete message' }).click();
  await expect(page.getByText('deleted from the queue.')).toBeVisible();
  await expect(dialog).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Close' })).toBeFocused();
  await expect(openerOf(page)).toHaveCount(3);
  await check();

  await page.getByRole('button', { name: 'Retry deferred' }).click();
  await expect(page.getByText('Retrying all deferred messages.')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'The queue is empty' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Retry deferred' })).toBeDisabled();
  await check();
});

test('retries and deletes selected messages, and says what happened to each', async ({
  signedIn: page,
  domain,
  check,
}) => {
  const files = await attachFour(domain);
  await page.goto(`${url()}/queue`);
  await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
  const bar = page.getByRole('group', { name: 'Selected messages' });
  await expect(bar).toContainText('4 selected');
  await page.getByRole('checkbox', { name: `Select ${BOUNCE}` }).uncheck();
  await expect(bar).toContainText('3 selected');
  await check();
  files.splice(0, 1);
  await bar.getByRole('button', { name: 'Retry now' }).click();
  const result = page.getByRole('region', { name: 'Result' });
  await expect(result).toContainText('Retrying 1 message. Couldn’t retry 2 messages');
  await expect(result.getByRole('listitem')).toHaveText([
    /^ann@far\.example: This message is on hold\./,
    /^bo@far\.example: The message is not in the queue\./,
  ]);
  await expect(result).toBeFocused();
  await expect(openerOf(page)).toHaveCount(2);
  await expect(bar).toHaveCount(0);
  await check();

  await page.getByRole('checkbox', { name: 'Select all on this page' }).press(' ');
  await bar.getByRole('button', { name: 'Hold' }).press('Enter');
  await expect(page.getByText('Put 2 messages on hold')).toBeVisible();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByText('Released 2 messages')).toBeVisible();
  await page.getByRole('checkbox', { name: 'Select all on this page' }).press(' ');
  await bar.getByRole('button', { name: 'Delete' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Delete 2 messages from queue' });
  await expect(dialog).toContainText('26 recipients won’t receive them, and the senders aren’t notified.');
  await check();
  await dialog.getByRole('button', { name: 'Delete 2 messages' }).click();
  await expect(page.getByText('Deleted 2 messages')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'The queue is empty' })).toBeVisible();
  await expect(result).toHaveCount(0);
  expect(files).toEqual([]);
});

test('says above the list why many messages wait, and leads to what stops it', async ({
  signedIn: page,
  api,
  domain,
  sql,
  check,
  checkState,
}) => {
  const make = (local_part: string) =>
    api.call<{ id: string }>('POST', '/mailboxes', {
      domain_id: domain.id,
      local_part,
      password: 'paper boats on the canal',
    });
  const [full, sender] = [unique('full'), unique('sender')];
  const [{ id: fullId }, { id: senderId }] = [await make(full), await make(sender)];
  await api.call('POST', `/mailboxes/${senderId}/suspend`, { reason: 'Sends prizes.' });
  await sql(
    `INSERT INTO message (id, message_id, queue_id, domain_id, direction, from_address, to_addresses, subject,
                          size_bytes, status, updated_at)
     VALUES (gen_random_uuid(), $1, $2, $3, 'outbound', $4, '{}', 'Prize', 1, 'deferred', now())`,
    [`<${sender}@x.example>`, SECOND, domain.id, `${sender}@${domain.name}`],
  );
  const reason = 'host mail.example[192.0.2.7] said: 452 4.2.2 The mailbox is full';
  const recipients = [{ address: `${full}@${domain.name}`, delay_reason: reason }, to('bo', reason)];
  await attach([
    queueFile({ queue_id: FIRST as string, arrival_time: hourAgo(), recipients }),
    queueFile({ queue_id: HELD as string, arrival_time: hourAgo() + 1, recipients: recipients.slice(0, 1) }),
    queueFile({ queue_id: SECOND as string, arrival_time: hourAgo() + 2, sender: `${sender}@${domain.name}` }),
    queueFile({
      queue_id: BOUNCE as string,
      arrival_time: hourAgo() + 3,
      queue_name: 'active',
      recipients: [to('bo')],
    }),
  ]);
  await page.goto(`${url()}/queue`);
  await expect(rowOf(page, SECOND)).toContainText('Sender suspended');
  await expect(rowOf(page, BOUNCE)).toContainText('Not tried yet');
  await page.setViewportSize(WIDTHS[1]);
  await expect(rowOf(page, SECOND)).not.toContainText('Deferred');
  await checkState();
  await page.setViewportSize(WIDTHS[0]);
  const causes = page.getByRole('list', { name: 'Why messages wait' });
  const row = (text: string) => causes.getByRole('listitem').filter({ hasText: text });
  const both = row('Mailbox full').getByRole('link', { name: new RegExp(`^2 to ?${full}`) });
  await expect(both).toBeVisible();
  await expect(row('Mailbox full').getByRole('link', { name: 'Review mailbox' })).toHaveAttribute(
    'href',
    `/mailboxes/${fullId}`,
  );
  await expect(row(`${sender}@`).getByRole('link', { name: 'Check for misuse' })).toHaveAttribute(
    'href',
    `/mailboxes/${senderId}/misuse`,
  );
  await expect(row('Not tried')).toContainText('1 for over 15 minutes');
  await checkState();

  const suspended = row(`${sender}@`);
  await expect(suspended).toContainText('Still being retried');
  await page.getByRole('button', { name: 'Retry deferred' }).click();
  const dialog = page.getByRole('dialog', { name: 'Retry deferred messages' });
  await expect(dialog).toContainText('1 message from suspended senders is put on hold first');
  await check();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await suspended.getByRole('button', { name: 'Delete 1' }).click();
  await page.getByRole('dialog', { name: 'Delete message' }).getByRole('button', { name: 'Cancel' }).click();
  await suspended.getByRole('button', { name: 'Hold 1' }).press('Enter');
  await expect(rowOf(page, SECOND)).toContainText('On hold');
  await expect(suspended).toHaveCount(0);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(rowOf(page, SECOND)).not.toContainText('On hold');

  await both.click();
  await expect(openerOf(page)).toHaveCount(2);
  await expect(causes).toHaveCount(0);

  await test.step('a full mailbox of the mail server’s own leads to its quota, and no other one', async () => {
    await openerOf(page, FIRST).click();
    const recipient = page.getByRole('list', { name: 'Undelivered recipients' }).getByRole('listitem');
    const [own, other] = [recipient.nth(0), recipient.nth(1)];
    await expect(own).toContainText('Raise its quota');
    await expect(own.getByRole('link', { name: 'Open mailbox' })).toHaveAttribute('href', `/mailboxes/${fullId}`);
    await expect(other).toContainText('once they delete mail');
    await expect(other.getByRole('link', { name: 'Open mailbox' })).toHaveCount(0);
  });

  await page.getByRole('link', { name: 'Queue', exact: true }).click();
  await page.getByRole('button', { name: 'Retry deferred' }).click();
  await dialog.getByRole('button', { name: 'Hold 1, retry the others' }).click();
  await expect(openerOf(page)).toHaveCount(1);
  await expect(rowOf(page, SECOND)).toContainText('On hold');
});

test('updates itself, reports a message that has left, and keeps the list when the mail server stops', async ({
  signedIn: page,
  domain,
  check,
  checkState,
}) => {
  const files = await attachFour(domain);
  await page.goto(`${url()}/queue?open=${FIRST}`);
  await expect(rowOf(page, FIRST)).toBeVisible();
  files.push(queueFile({ queue_id: '4jWsM30009zMFgn', arrival_time: hourAgo() + 600 }));
  await expect(rowOf(page, '4jWsM30009zMFgn')).toBeVisible();

  files.splice(1, 1);
  await page.getByRole('button', { name: 'Hold', exact: true }).click();
  await expect(alertWith(page, 'The message is not in the queue')).toBeVisible();
  await expect(openerOf(page, FIRST)).toHaveCount(0);
  await check();

  isDown = true;
  await expect(page.getByText('Not up to date: the mail server isn’t responding')).toBeVisible();
  await expect(rowOf(page, SECOND)).toBeVisible();
  await checkState();
  await page.reload();
  await expect(alertWith(page, 'Couldn’t load the queue')).toContainText('MAIL_STACK_UNAVAILABLE');
  await checkState();
  isDown = false;
  await page.getByRole('button', { name: 'Retry', exact: true }).click();
  await expect(rowOf(page, SECOND)).toBeVisible();
});

test('pages through a long queue', async ({ signedIn: page }) => {
  const many = Array.from({ length: 120 }, (_, index) =>
    queueFile({ queue_id: `4jWsM3${1000 + index}zMFgn`, arrival_time: hourAgo() + index }),
  );
  await attach(many);
  await page.goto(`${url()}/queue`);
  await expect(page.getByText('1–50')).toBeVisible();
  await page.getByRole('button', { name: 'Newer' }).click();
  await expect(rowOf(page, '4jWsM31050zMFgn')).toBeVisible();
  await page.getByRole('button', { name: 'Newer' }).click();
  await expect(page.getByText('101–120 of 120')).toBeVisible();
  await page.getByRole('button', { name: 'Older' }).click();
  await expect(rowOf(page, '4jWsM31050zMFgn')).toBeVisible();
});

test('loads without layout shifts, in both themes and all widths', async ({ signedIn: page, domain, watched }) => {
  const files = await attachFour(domain);
  const long = `${'long-'.repeat(12)}name`;
  Object.assign(files[1] ?? {}, { sender: `${long}@${domain.name}`, recipients: [to('ann', REFUSED), to(long)] });
  await countShifts(page);
  await checkView(page, `${url()}/queue?open=${FIRST}`, watched);
  await expect(rowOf(page, FIRST)).toBeVisible();
});

test('a mailbox that strangers send from is stopped on one page: its queue, its password, and then it sends again', async ({
  signedIn: page,
  api,
  domain,
  check,
}) => {
  const local = unique('ann');
  const address = `${local}@${domain.name}`;
  const body = { domain_id: domain.id, local_part: local, password: unique('a long password ') };
  const { id } = await api.call<{ id: string }>('POST', '/mailboxes', body);
  for (const to of ['bo@far.example', 'cy@far.example', 'di@else.example']) {
    const message = { from: { email: address }, to: [{ email: to }], subject: 'Prize', text_body: 'You won.' };
    await api.call('POST', '/send', message);
  }
  await api.call('POST', `/mailboxes/${id}/suspend`, { reason: 'Sends prizes.' });
  const bounceAddress = `bounces+${'0a'.repeat(26)}@${domain.name}`;
  const queued = [
    queueFile({ queue_id: FIRST as string, arrival_time: hourAgo(), sender: address }),
    queueFile({ queue_id: SECOND as string, arrival_time: hourAgo(), sender: bounceAddress }),
    queueFile({ queue_id: HELD as string, arrival_time: hourAgo(), sender: `other@${domain.name}` }),
  ];
  const files = await attach(queued, new Map([[bounceAddress, address]]));

  await page.goto(`${url()}/mailboxes/${id}`);
  await page.getByRole('region', { name: 'Suspended' }).getByRole('link', { name: 'Check for misuse' }).click();
  await expect(page.getByRole('heading', { name: 'Check for misuse' })).toBeVisible();
  await expect(
    page.getByRole('table', { name: 'Domains of the recipients' }).getByRole('row', { name: 'far.example 2' }),
  ).toBeVisible();
  await expect(page.getByText('No sign of misuse in the last 24 hours')).toBeVisible();
  await expect(page.getByText(/^3 messages, usually none\. \d of 3 recipients bounced or failed\./)).toBeVisible();
  await expect(page.getByRole('table', { name: 'Who sent, and from where' })).toContainText('API key');
  await expect(page.getByText('An API key isn’t stopped by a new password.')).toBeVisible();
  const filters = page.getByRole('region', { name: 'Filters of mail programs' });
  await expect(filters.getByRole('link')).toHaveAttribute('href', '/docs/access#when-a-stranger-sends-from-a-mailbox');
  await check();

  await page.getByRole('button', { name: 'Delete 2 messages' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete 2 messages' }).click();
  await expect(page.getByText('No queued messages from this address.')).toBeVisible();
  expect(files.map(({ queue_id }) => queue_id)).toEqual([HELD]);

  await page.getByLabel('New password').fill(unique('another password '));
  await page.getByRole('button', { name: 'Set password' }).click();
  await expect(page.getByText('Password changed')).toBeVisible();

  await page.getByRole('button', { name: 'Unsuspend' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Unsuspend' }).click();
  await expect(page.getByRole('button', { name: 'Suspend mailbox' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Check for misuse' })).toHaveCount(0);
  await page.getByRole('main').getByRole('link', { name: address, exact: true }).click();
  await expect(page).toHaveURL(`${url()}/mailboxes/${id}`);
});
