import type { Locator, Page } from '@playwright/test';
import { v7 as uuidv7 } from 'uuid';
import {
  type Api,
  type Domain,
  expect,
  makeDomain,
  openSend,
  pick,
  test,
  unique,
  url,
  useSession,
} from '../support/fixtures';

const COUNT = 1_200;
const PAGE_SIZE = 50;

/** Domains that no other spec finds first: their names are last, and they are old. */
async function makeMany({ sql }: Api): Promise<{ tag: string; last: Domain; drop: () => Promise<void> }> {
  const tag = unique('many');
  await sql(
    `INSERT INTO domain (id, name, next_dns_check_at, created_at, updated_at)
     SELECT gen_random_uuid(), 'z' || to_char(n, 'FM0000') || '.' || $1 || '.example', '2100-01-01', '2020-01-01', now()
       FROM generate_series(1, $2::int) AS n`,
    [tag, COUNT],
  );
  const [last] = await sql<Domain>('SELECT id, name FROM domain WHERE name = $1', [`z${COUNT}.${tag}.example`]);
  const drop = async () => {
    await sql(
      "DELETE FROM mailbox USING domain WHERE domain.id = domain_id AND domain.name LIKE '%.' || $1 || '.example'",
      [tag],
    );
    await sql("DELETE FROM domain WHERE name LIKE '%.' || $1 || '.example'", [tag]);
  };
  return { tag, last: last as Domain, drop };
}

let many: Awaited<ReturnType<typeof makeMany>>;
test.describe.configure({ mode: 'default' });
test.beforeAll(async ({ api }) => {
  many = await makeMany(api);
});
test.afterAll(() => many.drop());

/** The searches that the page sends from now on, one for each call. */
function searches(page: Page): string[] {
  const texts: string[] = [];
  page.on('request', (request) => {
    const address = new URL(request.url());
    const names = address.pathname.replace('/api/trpc/', '').split(',');
    const inputs = JSON.parse(address.searchParams.get('input') ?? '{}');
    names.forEach((name, index) => {
      if (/^(domains|mailboxes)\.list$/.test(name) && inputs[index]?.limit === PAGE_SIZE)
        texts.push(inputs[index].q ?? '');
    });
  });
  return texts;
}

const announced = (within: Locator) => within.locator('.sr-only[aria-live]');
const domainField = (within: Page | Locator) => within.getByRole('combobox', { name: 'Domain', exact: true });

test('finds the last of 1,200 domains with fewer searches than keys, and asks for none before the field is opened', async ({
  signedIn: page,
  checkState,
}) => {
  const asked = searches(page);
  await page.goto(`${url()}/mailboxes?new=true`);
  const dialog = page.getByRole('dialog', { name: 'New mailbox' });
  await dialog.getByRole('textbox', { name: 'Address', exact: true }).fill('ann');
  await page.waitForLoadState('networkidle');
  expect(asked).toEqual([]);
  const typed = `Z${COUNT}.${many.tag}`;
  await domainField(dialog).pressSequentially(typed, { delay: 20 });
  await expect(page.getByRole('option')).toHaveText([many.last.name]);
  await expect.poll(() => asked.at(-1)).toBe(typed);
  // A busy machine may pause between two keys for as long as a search waits for the next one.
  expect(asked.length).toBeLessThan(typed.length / 2);
  await checkState();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(domainField(dialog)).toHaveValue(many.last.name);
  await dialog.getByRole('textbox', { name: 'Password' }).fill('paper boats on the canal');
  await dialog.getByRole('button', { name: 'Create mailbox' }).click();
  await expect(page.getByRole('heading', { name: `ann@${many.last.name}` })).toBeVisible();
});

test('says how many more there are, and shows them by keyboard and on a small screen', async ({
  signedIn: page,
  checkState,
}) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto(`${url()}/aliases?new=true`);
  const dialog = page.getByRole('dialog', { name: 'New alias' });
  const field = domainField(dialog);
  await field.fill(many.tag);
  await expect(announced(dialog)).toHaveText('1,150 more, type to narrow');
  await expect(page.getByRole('option')).toHaveCount(PAGE_SIZE + 1);
  await checkState();
  await field.press('ArrowUp');
  await field.press('Enter');
  await expect(announced(dialog)).toHaveText('1,100 more, type to narrow');
  await expect(page.getByRole('option')).toHaveCount(2 * PAGE_SIZE + 1);
  await field.press('ArrowUp');
  await field.press('Enter');
  await expect(field).toHaveValue(`z0100.${many.tag}.example`);

  await field.fill(`none.${many.tag}`);
  await expect(announced(dialog)).toHaveText('No matching domains');
  await field.press('Enter');
  await expect(dialog).toBeVisible();
  await field.press('Escape');
  await expect(field).toHaveValue(`z0100.${many.tag}.example`);
  await expect(dialog).toBeVisible();
});

test('takes a pasted address, and Enter for the only match or the exact one', async ({
  signedIn: page,
  api,
  check,
}) => {
  const inner = { name: `a.${many.last.name}` };
  await api.sql("INSERT INTO domain (id, name, next_dns_check_at, updated_at) VALUES ($1, $2, '2100-01-01', now())", [
    uuidv7(),
    inner.name,
  ]);
  await openSend(page);
  const field = domainField(page);
  await field.fill(`desk@${many.last.name}`);
  await expect(page.getByRole('option')).toHaveText([many.last.name, inner.name]);
  await field.press('Enter');
  await expect(field).toHaveValue(many.last.name);
  await field.fill(inner.name);
  await expect(page.getByRole('option')).toHaveText([inner.name]);
  await field.press('Enter');
  await expect(field).toHaveValue(inner.name);
  await check();
});

test('picks the last domain for an admin, a key, a webhook, a filter, an import and the list', async ({
  signedIn: page,
  check,
}) => {
  const { last, tag } = many;
  await page.goto(`${url()}/admins?new=true`);
  const admin = page.getByRole('dialog', { name: 'Add admin' });
  await admin.getByRole('combobox', { name: 'Role' }).click();
  await page.getByRole('option', { name: 'Domain admin' }).click();
  const assigned = admin.getByRole('combobox', { name: 'Assigned domains' });
  await pick(assigned, last.name);
  await assigned.fill(`z0700.${tag}`);
  await page.getByRole('option', { name: `z0700.${tag}.example` }).click();
  await admin.getByRole('button', { name: `Remove z0700.${tag}.example` }).click();
  const email = `${unique()}@far.example`;
  await admin.getByLabel('Email').fill(email);
  await admin.getByLabel('Initial password').fill('paper boats on the canal');
  await admin.getByRole('button', { name: 'Add admin' }).click();
  await expect(page.getByRole('heading', { name: email })).toBeVisible();
  await page.reload();
  await expect(page.getByRole('button', { name: `Remove ${last.name}` })).toBeVisible();

  await page.goto(`${url()}/api-keys?new=true`);
  const key = page.getByRole('dialog', { name: 'New API key' });
  await key.getByLabel('Name').fill(unique('Key '));
  await pick(key.getByRole('combobox', { name: 'Domains' }), last.name);
  await key.getByRole('button', { name: 'Create key' }).click();
  await expect(page.getByRole('dialog', { name: /^Copy the key/ })).toContainText(last.name);

  await page.goto(`${url()}/webhooks?new=true`);
  const webhook = page.getByRole('dialog', { name: 'New webhook' });
  await expect(domainField(webhook)).toHaveValue('All domains');
  await webhook.getByLabel('Endpoint URL').fill('https://hooks.far.example/mail');
  await pick(domainField(webhook), last.name);
  await webhook.getByRole('button', { name: 'Create webhook' }).click();
  await expect(page.getByRole('dialog', { name: /^Copy the secret/ })).toContainText(last.name);

  await page.goto(`${url()}/sieve-filters/new`);
  await page.getByRole('radio', { name: 'A domain' }).check();
  await pick(domainField(page), last.name);
  await expect(domainField(page)).toHaveValue(last.name);

  await page.goto(`${url()}/aliases?import=true`);
  const imported = page.getByRole('dialog', { name: 'Import aliases' });
  await pick(domainField(imported), last.name);
  await imported.getByLabel('Or paste CSV').fill('source_local_part,destination\ninfo,ann@far.example');
  await imported.getByRole('button', { name: 'Preview import' }).click();
  await expect(imported.getByText('1 new alias')).toBeVisible();

  await page.goto(`${url()}/mailboxes`);
  await page.getByRole('button', { name: /^Domain: All domains/ }).click();
  await page.getByRole('textbox', { name: 'Find a domain' }).fill(last.name);
  await page.getByRole('option', { name: last.name, exact: true }).click();
  await expect(page.getByText(`In ${last.name}`, { exact: true })).toBeVisible();
  await check();
});

test('picks the last of 1,200 mailboxes to read reports, and keeps the name of the chosen one', async ({
  signedIn: page,
  api,
  check,
}) => {
  const { last } = many;
  await api.sql(
    `INSERT INTO mailbox (id, domain_id, local_part, password_hash, updated_at)
     SELECT gen_random_uuid(), $1, 'm' || to_char(n, 'FM0000'), 'x', now() FROM generate_series(1, $2::int) AS n`,
    [last.id, COUNT],
  );
  const email = `m${COUNT}@${last.name}`;
  await page.goto(`${url()}/domains/${last.id}?tab=settings`);
  const field = page.getByRole('combobox', { name: 'Report mailbox' });
  await pick(field, email);
  await page.getByRole('button', { name: 'Save changes' }).click();
  await expect(page.getByText('Saved', { exact: true })).toBeVisible();
  const asked = searches(page);
  await page.reload();
  await expect(field).toHaveValue(email);
  expect(asked).toEqual([]);
  await page.getByRole('button', { name: 'No report mailbox' }).click();
  await expect(field).toHaveValue('');
  await check();
});

test('says that the device is offline or the call failed, and goes on afterwards', async ({
  signedIn: page,
  context,
}) => {
  await page.goto(`${url()}/aliases?new=true`);
  const dialog = page.getByRole('dialog', { name: 'New alias' });
  const field = domainField(dialog);
  await expect(field).toBeVisible();
  await context.setOffline(true);
  await field.fill(`z0900.${many.tag}`);
  await expect(announced(dialog)).toHaveText('You’re offline. Reconnect to load domains.');
  await context.setOffline(false);
  await expect(page.getByRole('option')).toHaveText([`z0900.${many.tag}.example`]);

  await page.route('**/api/trpc/domains.list*', (route) =>
    route.fulfill({ status: 500, contentType: 'application/json', body: '[]' }),
  );
  await field.fill(`z0600.${many.tag}`);
  await expect(announced(dialog)).toContainText('Couldn’t load domains.');
  await page.unroute('**/api/trpc/domains.list*');
  await page.getByRole('option', { name: 'Try again' }).click();
  await expect(page.getByRole('option')).toHaveText([`z0600.${many.tag}.example`]);
});

test('offers a domain admin the assigned domains only', async ({ page, api, makeAdmin, check }) => {
  const own = await makeDomain(api);
  await useSession(page, (await makeAdmin('domain_admin', [own, many.last])).cookie);
  await page.goto(`${url()}/aliases`);
  await domainField(page).click();
  await expect(page.getByRole('option')).toHaveText([own.name, many.last.name]);
  await domainField(page).fill(many.tag);
  await expect(page.getByRole('option')).toHaveText([many.last.name]);
  await page.getByRole('option').click();
  await expect(page.getByText(`In ${many.last.name}`, { exact: true })).toBeVisible();
  await check();
});
