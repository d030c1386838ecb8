import { type Api, type Domain, expect, makeDomain, test, unique, url } from '../support/fixtures';

const MAILBOX_HOURLY = 200;

type Sent = { results: { code?: string }[] };

/** Sends `count` messages from one address. @returns the error codes of the rejected ones */
async function sendMany(api: Api, domain: Domain, localPart: string, count: number): Promise<string[]> {
  const message = {
    from: { email: `${localPart}@${domain.name}` },
    to: [{ email: 'ann@far.example' }],
    subject: 'News',
    text_body: 'News.',
  };
  const codes: string[] = [];
  for (let left = count; left > 0; left -= 100) {
    const messages = Array.from({ length: Math.min(left, 100) }, () => message);
    const { results } = await api.call<Sent>('POST', '/send/batch', { messages });
    codes.push(...results.flatMap(({ code }) => code ?? []));
  }
  return codes;
}

test('suspends a mailbox over its hourly limit, shows an alert, and lets it send after unsuspending', async ({
  signedIn: page,
  api,
  check,
}) => {
  const domain = await makeDomain(api);
  const localPart = unique('news');
  const address = `${localPart}@${domain.name}`;
  const body = { domain_id: domain.id, local_part: localPart, password: unique('a long password ') };
  await api.call('POST', '/mailboxes', body);
  expect(await sendMany(api, domain, localPart, MAILBOX_HOURLY)).toEqual([]);
  const rejected = await sendMany(api, domain, localPart, 2);
  expect(rejected).toContain('RATE_LIMIT_EXCEEDED');
  expect(await sendMany(api, domain, localPart, 1)).toEqual(['MAILBOX_SUSPENDED']);

  await page.goto(`${url()}/abuse?domain=${domain.id}`);
  const sender = page.getByRole('table', { name: 'Top 20 senders' }).getByRole('row', { name: localPart });
  await expect(sender).toContainText('Suspended');
  await expect(sender.getByRole('link', { name: 'Check for misuse' })).toHaveAttribute(
    'href',
    /^\/mailboxes\/[0-9a-f-]{36}\/misuse$/,
  );
  await expect(page.getByRole('columnheader', { name: '24 hours' })).toHaveAttribute('aria-sort', 'descending');
  await page.getByRole('button', { name: 'Last hour' }).click();
  await expect(page).toHaveURL(/sort=sent_last_hour/);
  await expect(page.getByRole('columnheader', { name: 'Last hour' })).toHaveAttribute('aria-sort', 'descending');
  await expect(sender.getByTitle('Close to the hourly limit of 200')).toHaveText('200');
  await expect(page.getByRole('definition').filter({ hasText: 'mailboxes' }).getByRole('link')).toHaveAttribute(
    'href',
    '/mailboxes?show=suspended',
  );
  await check();

  await page.getByRole('link', { name: 'Alerts' }).click();
  // The periodic check may raise a spike alert for the same address meanwhile.
  const alert = page
    .getByRole('table', { name: 'Alerts' })
    .getByRole('row', { name: localPart })
    .filter({ hasText: 'Suspended' });
  await expect(alert).toContainText('Tried to send more than 200 messages in an hour');
  await check();
  await alert.getByRole('button', { name: /^More actions for / }).click();
  await page.getByRole('menuitem', { name: 'Close' }).click();
  await expect(alert).toHaveCount(0);
  await page.getByRole('radio', { name: 'Closed' }).click();
  await expect(alert).toBeVisible();

  await alert.getByRole('link', { name: localPart }).click();
  await expect(page.getByRole('heading', { name: address })).toBeVisible();
  await page.getByRole('button', { name: 'Unsuspend' }).first().click();
  await page.getByRole('dialog').getByRole('button', { name: 'Unsuspend' }).click();
  // The reason alone isn't there either while the dialog waits for the answer.
  await expect(page.getByRole('button', { name: 'Unsuspend' })).toHaveCount(0);
  await expect(page.getByText('Tried to send more than 200 messages')).toHaveCount(0);
  expect(await sendMany(api, domain, localPart, 1)).toEqual([]);
});

test('rejects messages over a domain’s limit and raises an alert that can be acknowledged', async ({
  signedIn: page,
  api,
  check,
}) => {
  const domain = await makeDomain(api);
  await api.call('PATCH', `/domains/${domain.id}`, { hourly_send_limit: 2 });
  expect(await sendMany(api, domain, 'desk', 3)).toEqual(['RATE_LIMIT_EXCEEDED']);
  await page.goto(`${url()}/alerts?domain=${domain.id}`);
  const alert = page.getByRole('table', { name: 'Alerts' }).getByRole('row', { name: domain.name });
  await expect(alert).toContainText('Over limit');
  await check();
  await alert.getByRole('button', { name: /^More actions for / }).click();
  await page.getByRole('menuitem', { name: 'Acknowledge' }).click();
  await expect(alert).toHaveCount(0);
  await page.getByRole('radio', { name: 'Acknowledged' }).click();
  await expect(alert).toBeVisible();
  await check();
});
