import { type Api, type Domain, expect, makeDomain, test, unique, url } from '../support/fixtures';

const MAILBOX_HOURLY = 200;

type Sent = { results: { code?: string }[] };

/** Sends that many messages from one address, and gives the codes of those that were refused. */
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

test('a mailbox over its hourly limit is suspended, stands on the dashboard, and sends again once it is let', async ({
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
  const refused = await sendMany(api, domain, localPart, 2);
  expect(refused).toContain('RATE_LIMIT_EXCEEDED');
  expect(await sendMany(api, domain, localPart, 1)).toEqual(['MAILBOX_SUSPENDED']);

  await page.goto(`${url()}/abuse?domain=${domain.id}`);
  const alert = page.getByRole('table', { name: 'Alerts' }).getByRole('row', { name: localPart });
  await expect(alert).toContainText('Suspended');
  await expect(alert).toContainText('200 in an hour, the limit is 200');
  const sender = page.getByRole('table', { name: 'The 20 who sent most' }).getByRole('row', { name: localPart });
  await expect(sender).toContainText('Suspended');
  await check();
  await alert.getByRole('button', { name: `Close: ${address}` }).click();
  await expect(alert).toHaveCount(0);
  await page.getByRole('group', { name: 'State' }).getByText('Closed').click();
  await expect(alert).toBeVisible();

  await alert.getByRole('link', { name: localPart }).click();
  await expect(page.getByRole('heading', { name: address })).toBeVisible();
  await page.getByRole('button', { name: 'Let it send again' }).first().click();
  await page.getByRole('dialog').getByRole('button', { name: 'Let it send again' }).click();
  await expect(page.getByText('Sent 200 messages in the last hour')).toHaveCount(0);
  expect(await sendMany(api, domain, localPart, 1)).toEqual([]);
});

test('a domain over its own limit is refused and raises an alert that one acknowledges', async ({
  signedIn: page,
  api,
  check,
}) => {
  const domain = await makeDomain(api);
  await api.call('PATCH', `/domains/${domain.id}`, { hourly_send_limit: 2 });
  expect(await sendMany(api, domain, 'desk', 3)).toEqual(['RATE_LIMIT_EXCEEDED']);
  await page.goto(`${url()}/abuse?domain=${domain.id}`);
  const alert = page.getByRole('table', { name: 'Alerts' }).getByRole('row', { name: domain.name });
  await expect(alert).toContainText('Over its limit');
  await check();
  await alert.getByRole('button', { name: `Acknowledge: ${domain.name}` }).click();
  await expect(alert).toHaveCount(0);
  await page.getByRole('group', { name: 'State' }).getByText('Acknowledged').click();
  await expect(alert).toBeVisible();
  await check();
});
