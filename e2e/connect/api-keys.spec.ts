import { execFileSync } from 'node:child_process';
import { expect, makeDomain, test, unique, url, useSession } from '../support/fixtures';

test('shows a key for one domain once; its command works until the key is revoked', async ({
  signedIn: page,
  api,
  domain,
  check,
}) => {
  const other = await makeDomain(api);
  const name = unique('Shop ');
  await page.goto(`${url()}/api-keys`);
  await page.getByRole('button', { name: 'New key' }).first().click();
  const form = page.getByRole('dialog', { name: 'New API key' });
  await form.getByRole('button', { name: 'Create key' }).click();
  await expect(form.getByLabel('Name')).toHaveAccessibleDescription(/Enter a name/);
  await form.getByLabel('Name').fill(name);
  await form.getByRole('combobox', { name: 'Domains' }).fill(domain.name);
  await page.getByRole('option', { name: domain.name }).click();
  await form.getByLabel('Requests per minute').fill('120');
  await form.getByRole('combobox', { name: 'Expires' }).click();
  await page.getByRole('option', { name: 'In 30 days' }).click();
  await check();
  await form.getByRole('button', { name: 'Create key' }).click();

  const shown = page.getByRole('dialog', { name: `Copy the key for ${name}` });
  const key = (await shown.getByText(/^service_[0-9A-Za-z]+$/).textContent()) as string;
  const command = (await shown.getByText(/^curl /).textContent()) as string;
  await expect(shown).toContainText(domain.name);
  await expect(shown).toContainText('120 requests per minute');
  await expect(shown.getByRole('status')).toHaveText('Not copied yet');
  await check();
  expect(JSON.parse(shell(command)).data.role).toBe('super_admin');
  expect(statusOf(key, `/domains/${domain.id}`)).toBe(200);
  expect(statusOf(key, `/domains/${other.id}`)).toBe(404);

  await shown.getByRole('button', { name: 'I’ve saved it' }).click();
  const row = page.getByRole('row', { name });
  await expect(row).toContainText(key.slice(0, 16));
  await expect(row).toContainText(domain.name);
  await expect(page.getByText(key)).toHaveCount(0);

  await page.getByRole('textbox', { name: 'Filter by name, admin or prefix' }).fill(name.toUpperCase());
  await expect(page.getByRole('row')).toHaveCount(2);
  await row.getByRole('button', { name: `Actions: ${name}` }).click();
  await check();
  const sent = page.getByRole('menuitem', { name: 'Messages sent with it' });
  await expect(sent).toHaveAttribute('href', /^\/messages\?key=/);
  await expect(page.getByRole('menuitem', { name: 'Activity' })).toHaveAttribute('href', /^\/audit\?key=/);
  await page.getByRole('menuitem', { name: 'Replace…' }).click();
  const replacement = page.getByRole('dialog', { name: `Replace ${name}` });
  await expect(replacement.getByLabel('Name')).toHaveValue(name);
  await expect(replacement.getByText(domain.name)).toBeVisible();
  await expect(replacement.getByLabel('Requests per minute')).toHaveValue('120');
  await replacement.getByRole('button', { name: 'Cancel' }).click();
  await expect(replacement).toHaveCount(0);

  await row.getByRole('button', { name: `Actions: ${name}` }).click();
  await page.getByRole('menuitem', { name: 'Revoke…' }).click();
  const revoke = page.getByRole('dialog', { name: `Revoke ${name}` });
  await expect(revoke).toContainText('Last used');
  await check();
  await revoke.getByRole('button', { name: 'Revoke key' }).click();
  await expect(page.getByText(`Revoked ${name}`)).toBeVisible();
  await expect(row).toHaveCount(0);
  expect(JSON.parse(shell(command)).error.code).toBe('API_KEY_INVALID');
  await check();
});

test('dims expired keys, shows them last, can leave them out, and marks keys that expire within two weeks', async ({
  signedIn: page,
  api,
  sql,
  check,
}) => {
  const name = unique('Old ');
  const { api_key: expired } = await api.call<{ api_key: { id: string } }>('POST', '/api-keys', { name });
  await api.call('POST', '/api-keys', { name: `${name} replaced` });
  await sql(`UPDATE api_key SET expires_at = now() - interval '1 day' WHERE id = $1`, [expired.id]);
  await page.goto(`${url()}/api-keys?q=${name}&order=asc`);
  const rows = page.getByRole('row').filter({ hasText: name });
  await expect(rows).toHaveCount(2);
  await expect(rows.nth(0)).toContainText('replaced');
  await expect(rows.nth(1)).toContainText('Expired');
  await check();
  await page.getByRole('radio', { name: 'Active', exact: true }).click();
  await expect(rows).toHaveCount(1);
  await expect(rows).toContainText('replaced');

  const ends = unique('Ends ');
  const { api_key: key } = await api.call<{ api_key: { id: string } }>('POST', '/api-keys', { name: ends });
  await sql(`UPDATE api_key SET expires_at = now() + interval '215 hours' WHERE id = $1`, [key.id]);
  await page.getByRole('textbox', { name: 'Filter by name, admin or prefix' }).fill(ends);
  const row = page.getByRole('row', { name: ends });
  await expect(row.getByTitle(/^Expires on /).last()).toHaveText(/in 9 days$/);
  await page.setViewportSize({ width: 360, height: 740 });
  const { email } = await api.call<{ email: string }>('GET', '/auth/me');
  await expect(row.getByTitle(email).last()).toBeVisible();
  await check();
});

test('explains API keys and how to start to an admin without keys', async ({ page, makeAdmin, domain, check }) => {
  const { cookie } = await makeAdmin('domain_admin', [domain]);
  await useSession(page, cookie);
  await page.goto(`${url()}/api-keys`);
  await expect(page.getByRole('heading', { name: 'No API keys yet' })).toBeVisible();
  await check();
  await page.getByRole('button', { name: 'New key' }).last().click();
  await expect(page.getByRole('dialog', { name: 'New API key' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
});

function shell(command: string): string {
  return execFileSync('bash', ['-c', command], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}

function statusOf(key: string, path: string): number {
  return Number(
    shell(`curl -s -o /dev/null -w '%{http_code}' '${url()}/api/v1${path}' -H 'Authorization: Bearer ${key}'`),
  );
}
