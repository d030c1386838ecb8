import { answerProcedure } from '../support/faults';
import { alertWith, expect, FIRST_ADMIN, makeDomain, test, url } from '../support/fixtures';

test('the setup says what keeps all records from being right: no name of the mail server, no answer of DNS', async ({
  signedIn: page,
  api,
  checkState,
}) => {
  const domain = await makeDomain(api);
  const unknown = { found: [], inherited_from: null, severity: 'warning', fix: null, ttl: null, authoritative: [] };
  const at = new Date().toISOString();
  const record = (purpose: string, type: string, name: string, expected: string | null) => ({
    ...{ purpose, type, name, expected, required: true, status: 'temporary_error', message: 'The lookup failed.' },
    ...{ ...unknown, changed_at: at, checked_at: at },
  });
  const end = await answerProcedure(page, 'domains.dns', {
    ...{ status: 'warning', checked_at: at, check: null },
    records: [
      record('mx', 'MX', domain.name, null),
      record('spf', 'TXT', domain.name, 'v=spf1 mx -all'),
      record('host', 'A', 'localhost', null),
    ],
  });
  await page.goto(`${url()}/setup?step=dns&domain=${domain.id}`);
  await expect(page.getByText('Your mail server has no public name yet')).toBeVisible();
  await expect(page.getByText('No DNS server answered')).toBeVisible();
  await expect(page.getByRole('listitem').filter({ hasText: 'Brings mail here' })).toContainText(
    /To do.*once MAIL_HOST/,
  );
  await expect(page.getByRole('main').getByText('localhost')).toHaveCount(1);
  await checkState();
  await end();
});

test('a browser that doesn’t keep the session cookie says so once the admin is created', async ({
  page,
  checkState,
}) => {
  await answerProcedure(page, 'auth.setupStatus', { needs_setup: true, token_valid: true });
  await answerProcedure(page, 'auth.setup', {});
  await page.goto(`${url()}/setup?token=of-the-link`);
  await page.getByLabel('Email').fill(FIRST_ADMIN.email);
  await page.getByLabel('Password', { exact: true }).fill(FIRST_ADMIN.password);
  await page.getByLabel('Confirm password').fill(FIRST_ADMIN.password);
  await page.getByRole('button', { name: 'Create admin' }).click();
  await expect(page.getByRole('heading', { name: 'Admin created' })).toBeVisible();
  await expect(alertWith(page, 'Your browser didn’t keep the session cookie')).toContainText('https');
  await checkState();
  await page.getByRole('button', { name: 'Sign in again' }).click();
  await expect(page).toHaveURL(`${url()}/login`);
});
