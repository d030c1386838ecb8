import type { Page } from '@playwright/test';
import { type Api, expect, makeDomain, test, unique, url } from '../../support/fixtures';
import { makeAlias } from './alias';

/** Opens an alias in the console, which somebody else then changes, and adds a destination to it. */
async function editChangedAlias(page: Page, api: Api) {
  const domain = await makeDomain(api);
  const { id } = await makeAlias(api, domain, 'sales', 'ann@far.example');
  await page.goto(`${url()}/aliases?domain=${domain.id}`);
  await page.getByRole('link', { name: `sales@${domain.name}` }).click();
  const editor = page.getByRole('dialog', { name: `Edit sales@${domain.name}` });
  const destinations = editor.getByRole('combobox', { name: 'Delivers to' });
  await destinations.pressSequentially('cy@far.example,');
  await api.call('PATCH', `/aliases/${id}`, { destination: 'ann@far.example,bo@far.example', active: false });
  const save = () => editor.getByRole('button', { name: 'Save changes' }).click();
  await save();
  const conflict = page.getByRole('dialog', { name: 'Changed by someone else' });
  const shown = conflict.getByRole('region', { name: 'Destinations' });
  const current = async () => {
    const { destination, active } = await api.call<Record<string, unknown>>('GET', `/aliases/${id}`);
    return { destination, active };
  };
  return { id, editor, save, conflict, shown, current };
}

test('an alias that somebody else changed shows both values, and is overwritten only on request', async ({
  signedIn: page,
  api,
  checkState,
}) => {
  const { id, editor, save, conflict, shown, current } = await editChangedAlias(page, api);
  await expect(shown).toContainText('Yoursann@far.example\ncy@far.example');
  await expect(shown).toContainText('Currentann@far.example\nbo@far.example');
  await expect(conflict.getByRole('region', { name: 'State' })).toContainText('Not changed by you');
  expect(await current()).toEqual({ destination: 'ann@far.example,bo@far.example', active: false });
  await checkState();
  await page.setViewportSize({ width: 360, height: 760 });
  await checkState();
  const keep = conflict.getByRole('button', { name: 'Keep editing with the current values' });
  expect(await keep.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);

  await page.keyboard.press('Escape');
  await expect(editor.getByText('cy@far.example')).toBeVisible();
  await save();
  await expect(shown).toContainText('Currentann@far.example');
  await api.call('PATCH', `/aliases/${id}`, { destination: 'dee@far.example' });
  await conflict.getByRole('button', { name: 'Overwrite' }).click();
  await expect(shown).toContainText('Currentdee@far.example');
  await conflict.getByRole('button', { name: 'Overwrite' }).click();
  await expect(editor).toBeHidden();
  expect(await current()).toEqual({ destination: 'ann@far.example,cy@far.example', active: false });
});

test('editing goes on with the values that somebody else saved', async ({ signedIn: page, api, check }) => {
  const { editor, save, conflict, current } = await editChangedAlias(page, api);
  await conflict.getByRole('button', { name: 'Keep editing with the current values' }).click();
  await expect(editor.getByText('bo@far.example')).toBeVisible();
  await expect(editor.getByText('cy@far.example')).toHaveCount(0);
  await check();
  await editor.getByRole('combobox', { name: 'Delivers to' }).pressSequentially('eve@far.example,');
  await save();
  await expect(editor).toBeHidden();
  expect(await current()).toEqual({ destination: 'ann@far.example,bo@far.example,eve@far.example', active: false });
});

test('a row whose alias somebody else changed is not deactivated, but loaded again', async ({
  signedIn: page,
  api,
  check,
}) => {
  const domain = await makeDomain(api);
  const { id } = await makeAlias(api, domain, 'sales', 'ann@far.example');
  await page.goto(`${url()}/aliases?domain=${domain.id}`);
  const row = page.getByRole('row', { name: `sales@${domain.name}` });
  await expect(row).toContainText('ann@far.example');
  await api.call('PATCH', `/aliases/${id}`, { destination: 'bo@far.example' });
  await row.getByRole('switch').press(' ');
  await expect(page.getByRole('alert').filter({ hasText: 'Couldn’t deactivate' })).toContainText(
    'was changed after you loaded it',
  );
  await expect(row).toContainText('bo@far.example');
  await expect(row.getByRole('switch')).toBeChecked();
  await check();
});

test('what a form doesn’t show may change while it is edited', async ({ signedIn: page, api }) => {
  const domain = await makeDomain(api);
  const { id } = await api.call<{ id: string }>('POST', '/mailboxes', {
    domain_id: domain.id,
    local_part: 'ann',
    password: unique('paper boats '),
  });
  await page.goto(`${url()}/mailboxes/${id}`);
  await page.getByRole('textbox', { name: 'Display name' }).fill('Ann Field');
  await api.call('PATCH', `/mailboxes/${id}`, { password: unique('paper boats ') });
  await page.getByRole('button', { name: 'Save changes' }).click();
  await expect(page.getByRole('status').filter({ hasText: /^Saved$/ })).toBeVisible();
  expect(await api.call('GET', `/mailboxes/${id}`)).toMatchObject({ display_name: 'Ann Field' });
});
