import { execFileSync } from 'node:child_process';
import { expect, FIRST_ADMIN, test, url } from '../support/fixtures';

test.describe.configure({ mode: 'serial' });

test('opened before it is set up, Postroom says where the setup link is', async ({ page, checkState }) => {
  await page.goto(`${url()}/`);
  await expect(page).toHaveURL(`${url()}/setup`);
  await expect(page.getByRole('heading', { name: 'Set up Postroom first' })).toBeVisible();
  await expect(page.getByText(/starts with Set up the first admin at the end of the server’s output/)).toBeVisible();
  await expect(page.getByLabel('Password')).toHaveCount(0);
  await checkState();
});

/** The first fifteen minutes: set up, send from the browser, create a key, send with curl, see both. */
test('a new user sets up, sends in the browser and with curl, and sees both messages', async ({
  page,
  check,
  checkState,
}) => {
  await page.goto(process.env.E2E_SETUP_LINK as string);
  await check();
  await expect(page.getByLabel('Email')).toBeFocused();
  await page.getByLabel('Email').fill(FIRST_ADMIN.email);
  await page.getByLabel('Password', { exact: true }).fill(FIRST_ADMIN.password);
  await page.getByLabel('Confirm password').fill(FIRST_ADMIN.password);
  await page.getByRole('button', { name: 'Create admin' }).click();

  await expect(page.getByLabel('Domain')).toBeFocused();
  await page.getByLabel('Domain').fill('harbourfinch.example');
  await checkState();
  await page.getByRole('button', { name: 'Add domain' }).click();

  await expect(page.getByRole('heading', { name: 'Publish the DNS records' })).toBeVisible();
  const records = page.getByRole('list', { name: 'Required for mail of harbourfinch.example' });
  const dmarc = records.getByRole('listitem').filter({ hasText: '_dmarc.harbourfinch.example' });
  await expect(dmarc).toContainText(/To do.*v=DMARC1/);
  await expect(dmarc.getByRole('button', { name: /^Copy the value of TXT _dmarc/ })).toBeVisible();
  const host = page.getByRole('list', { name: 'Your mail server, once for all domains' }).getByRole('listitem').first();
  await expect(host).toContainText(/mail\.harbourfinch\.example.*The IPv4 address of your mail server/);
  const checked = page.waitForResponse((response) => response.url().includes('domains.checkDns'));
  await page.getByRole('button', { name: 'Check now' }).click();
  await checked;
  await expect(dmarc).toContainText(/To do.*v=DMARC1/);
  await page.getByText('Optional records').click();
  await expect(page.getByRole('list', { name: 'Optional' })).toContainText('_smtp._tls.harbourfinch.example');
  await checkState();

  await page.goto(`${url()}/`);
  await page.getByRole('link', { name: 'Continue setup' }).click();
  await expect(records.getByRole('listitem').filter({ has: page.getByText('MX', { exact: true }) })).toBeVisible();
  await page.getByRole('button', { name: 'Back' }).click();
  await expect(page.getByRole('heading', { name: 'Add a domain' })).toBeVisible();
  await page.getByRole('button', { name: 'Continue with harbourfinch.example' }).click();
  await page.getByRole('button', { name: 'Continue, publish later' }).click();
  await page.getByRole('button', { name: 'Back' }).click();
  await expect(page.getByRole('heading', { name: 'Publish the DNS records' })).toBeVisible();
  await page.getByRole('button', { name: 'Continue, publish later' }).click();

  await expect(page.getByRole('textbox', { name: 'Address' })).toBeFocused();
  await page.getByRole('radio', { name: 'Another address' }).click();
  await page.getByLabel('To', { exact: true }).fill(FIRST_ADMIN.email);
  await page.getByRole('button', { name: 'Send test' }).click();
  await expect(page.getByText(/No mailbox or alias has this address, so the message would bounce/)).toBeVisible();
  await checkState();

  await page.getByRole('radio', { name: 'A mailbox here' }).click();
  await expect(page.getByRole('textbox', { name: 'Address' })).toHaveValue('ines');
  await page.getByRole('button', { name: 'Generate password' }).click();
  await checkState();
  await page.getByRole('button', { name: 'Create mailbox' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'I’ve saved it' }).click();
  await expect(page.getByRole('combobox', { name: 'Mailbox' })).toHaveValue(FIRST_ADMIN.email);
  await expect(page.getByRole('button', { name: 'Send test' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Delivered to the sandbox' })).toBeVisible();
  await expect(page.getByRole('list', { name: 'Setup steps' }).getByRole('listitem').last()).toContainText('Done');
  await expect(page.getByRole('list', { name: 'Next steps' }).getByRole('link')).toHaveText([
    'Create an API key',
    'Connect the mail server',
    'Add a colleague',
  ]);
  await checkState();
  await page.getByRole('link', { name: 'View delivery status' }).click();
  await expect(page.getByRole('heading', { name: /Test from Postroom/ })).toBeVisible();

  await page.getByRole('link', { name: 'Overview', exact: true }).click();
  const next = page.getByRole('region', { name: 'Next steps' });
  await expect(next.getByRole('link', { name: 'Show how' })).toHaveAttribute('href', '/system/services');
  await expect(next.getByRole('listitem')).toHaveText([/Connect the mail server/, /two-factor authentication/]);

  await page.getByRole('link', { name: 'API keys' }).click();
  await page.getByRole('button', { name: 'New key' }).first().click();
  await page.getByLabel('Name', { exact: true }).fill('Shop backend');
  await check();
  await page.getByRole('button', { name: 'Create key' }).click();
  const dialog = page.getByRole('dialog', { name: 'Copy the key for Shop backend' });
  const key = (await dialog.getByText(/^service_[0-9A-Za-z]+$/).textContent()) as string;
  await check();

  const command = (await dialog.getByText(/^curl /).textContent()) as string;
  expect(JSON.parse(shell(command)).data).toMatchObject({ email: FIRST_ADMIN.email, role: 'super_admin' });
  await page.keyboard.press('Escape');
  await expect(dialog).toBeVisible();
  await dialog.getByRole('button', { name: 'I’ve saved it' }).click();
  await expect(dialog).toBeHidden();

  const message = {
    from: { email: 'shop@harbourfinch.example' },
    to: [{ email: 'bo@far.example' }],
    subject: 'By curl',
    text_body: 'Hi',
  };
  const sent = JSON.parse(
    shell(
      `curl -sS ${url()}/api/v1/send -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '${JSON.stringify(message)}'`,
    ),
  );
  expect(sent.data.message_id).toMatch(/@harbourfinch\.example>$/);

  await page.getByRole('link', { name: 'Messages' }).click();
  await expect(page.getByRole('row', { name: /By curl/ })).toBeVisible();
  await expect(page.getByRole('row', { name: /Test from Postroom/ }).first()).toBeVisible();
});

test('the setup link is invalid once there is an admin', async ({ page, check }) => {
  await page.goto(process.env.E2E_SETUP_LINK as string);
  await expect(page.getByRole('heading', { name: 'Already set up' })).toBeVisible();
  await check();
});

function shell(command: string): string {
  return execFileSync('bash', ['-c', command], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}
