import type { Page } from '@playwright/test';
import { expect, test, unique, url } from '../support/fixtures';

const frame = (page: Page) => page.frameLocator('iframe[title="Preview of the HTML"]');
const editor = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });
const save = (page: Page) => page.getByRole('button', { name: 'Save changes' }).click();

test('a template is created, edited with a live preview, tested, published and put back', async ({
  signedIn: page,
  domain,
  check,
}) => {
  const name = unique('welcome-');
  await page.goto(`${url()}/templates?domain=${domain.id}`);
  await page.getByRole('button', { name: 'New template' }).first().click();
  await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill(name);
  await page.getByRole('button', { name: 'Create template' }).click();
  await expect(page.getByRole('heading', { name })).toBeVisible();
  await expect(page.getByText('Not published')).toBeVisible();
  await expect(frame(page).getByRole('heading', { name: 'Welcome, Ann' })).toBeVisible();

  await editor(page, 'HTML').fill('<h1>Hello {{ name }}</h1>\n<p>{{ city }}</p>');
  await expect(page.getByText('Line 2, column 7: The variable city is not declared.')).toBeVisible();
  await save(page);
  await expect(editor(page, 'HTML')).toHaveAttribute('aria-invalid', 'true');
  await page.getByRole('button', { name: 'Add variable' }).click();
  await page.getByRole('textbox', { name: 'Name of variable 2' }).fill('city');
  await page.getByRole('checkbox', { name: 'city is required' }).uncheck();
  await page.getByRole('textbox', { name: 'Default of city' }).fill('Rome & Nice');
  await editor(page, 'Sample data').fill('{"name": "<b>Bo</b>"}');
  await expect(frame(page).getByRole('heading', { name: 'Hello <b>Bo</b>' })).toBeVisible();
  await expect(frame(page).getByText('Rome & Nice')).toBeVisible();
  await save(page);
  await expect(page.getByRole('status').filter({ hasText: 'Saved' })).toBeVisible();

  await page.getByRole('button', { name: 'Send test' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Send test' }).click();
  await expect(page.getByText('Sent a test to ines@harbourfinch.example')).toBeVisible();

  await page.getByRole('button', { name: 'Publish' }).click();
  await expect(page.getByText('Published version 1')).toBeVisible();
  await editor(page, 'Subject').fill('Hello again, {{ name }}');
  await save(page);
  await expect(page.getByText('Version 1, draft differs')).toBeVisible();
  await page.getByRole('button', { name: 'Publish' }).click();
  await expect(page.getByText('Published version 2')).toBeVisible();

  await page.getByRole('tab', { name: 'Versions' }).click();
  const versions = page.getByRole('list', { name: /^Versions/ }).getByRole('listitem');
  await expect(versions).toHaveCount(2);
  const first = versions.nth(1);
  await first.getByRole('button', { name: 'Compare with draft' }).click();
  await expect(first.locator('del')).toContainText('Welcome, {{ name }}');
  await expect(first.locator('ins')).toContainText('Hello again, {{ name }}');
  await first.getByRole('button', { name: 'Publish version 1' }).click();
  await expect(first.getByText('Published')).toBeVisible();
  await first.getByRole('button', { name: 'Replace draft with version 1' }).click();
  await expect(first.getByText('The draft is the same as this version.')).toBeVisible();
  await page.getByRole('tab', { name: 'History' }).click();
  await expect(page.getByRole('list', { name: 'History' }).getByRole('listitem')).not.toHaveCount(0);
  await check();
});

test('the preview runs no scripts and loads nothing, and shows what a reader with a narrow dark screen sees', async ({
  signedIn: page,
  api,
  domain,
  check,
}) => {
  const html = `<style>p { color: rgb(1, 2, 3) } @media (prefers-color-scheme: dark) { p { color: rgb(200, 201, 202) } }</style>
<p>Hi</p><script>document.body.textContent = 'ran'</script><img src="https://evil.example/x.png">`;
  const { id } = await api.call<{ id: string }>('POST', '/templates', {
    domain_id: domain.id,
    name: unique('hostile-'),
    subject: 'Hi',
    html_body: html,
  });
  await page.goto(`${url()}/templates/${id}`);
  const text = frame(page).getByText('Hi');
  await expect(text).toHaveCSS('color', 'rgb(1, 2, 3)');
  await expect(page.getByText('1 image isn’t loaded here.')).toBeVisible();
  await expect(frame(page).locator('script, img[src]')).toHaveCount(0);
  await page.getByRole('radio', { name: 'Narrow' }).click();
  await page.getByRole('radio', { name: 'Dark' }).click();
  await expect(text).toHaveCSS('color', 'rgb(200, 201, 202)');
  const box = await page.locator('iframe').boundingBox();
  expect(box?.width).toBeLessThanOrEqual(376);
  await check();
});

test('the message page names the template and its version', async ({ signedIn: page, api, domain, check }) => {
  const name = unique('order-');
  const { id } = await api.call<{ id: string }>('POST', '/templates', {
    domain_id: domain.id,
    name,
    subject: unique('Order '),
    text_body: 'Hi',
  });
  await api.call('POST', `/templates/${id}/publish`, {});
  const { message_id } = await api.call<{ message_id: string }>('POST', '/send', {
    from: { email: `shop@${domain.name}` },
    to: [{ email: 'ann@far.example' }],
    template: { id: name },
  });
  const [message] = await api.call<{ id: string }[]>('GET', `/messages?message_id=${encodeURIComponent(message_id)}`);
  await page.goto(`${url()}/messages/${message?.id}`);
  await expect(page.getByText(`${name}, version 1`)).toBeVisible();
  await page.getByRole('link', { name }).click();
  await expect(page.getByRole('heading', { name })).toBeVisible();
  await page.getByRole('button', { name: 'Delete template' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete template' }).click();
  await expect(page.getByText(`Deleted ${name}`)).toBeVisible();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByText(`Restored ${name}`)).toBeVisible();
  await check();
});

test('no draft is published that was changed after it was loaded', async ({ signedIn: page, api, domain, check }) => {
  const draft = { domain_id: domain.id, name: unique('order-'), subject: 'Seen', text_body: 'Hi' };
  const { id } = await api.call<{ id: string }>('POST', '/templates', draft);
  await page.goto(`${url()}/templates/${id}`);
  await expect(editor(page, 'Subject')).toHaveValue('Seen');
  await api.call('PATCH', `/templates/${id}`, { subject: 'Changed' });
  await page.getByRole('button', { name: 'Publish' }).click();
  await expect(page.getByRole('alert')).toContainText('This record was changed after you loaded it.');
  await page.reload();
  await expect(editor(page, 'Subject')).toHaveValue('Changed');
  await page.getByRole('button', { name: 'Publish' }).click();
  await expect(page.getByText('Published version 1')).toBeVisible();
  await check();
});

test('the oldest of many is picked as a filter of messages, which says why it has no name', async ({
  signedIn: page,
  api,
  domain,
  check,
}) => {
  const oldest = unique('receipt-');
  await api.sql(
    `INSERT INTO template (id, domain_id, name, subject, digest, created_at, updated_at)
     SELECT gen_random_uuid(), $1, $2 || CASE WHEN n > 1 THEN n::text ELSE '' END, 'Receipt', 'x',
            timestamptz '2020-01-01' + n * interval '1 day', now()
       FROM generate_series(1, 60) AS n`,
    [domain.id, oldest],
  );
  const templates = /templates\.get/;
  await page.route(templates, (route) => route.abort());
  await page.goto(`${url()}/messages`);
  await page.getByRole('button', { name: 'Filters' }).click();
  const field = page.getByRole('combobox', { name: 'Template' });
  await field.fill(oldest);
  const options = page.getByRole('listbox', { name: 'Template' }).getByRole('option');
  await expect(options.first()).toHaveText(`${oldest} (${domain.name})`);
  await field.press('Enter');
  await expect(field).toHaveValue(`${oldest} (${domain.name})`);
  await check();
  await page.getByRole('button', { name: 'Show messages' }).click();
  await expect(page.getByText('Name couldn’t be loaded')).toBeVisible();
  await page.unroute(templates);
  await page.reload();
  await expect(page.getByText(oldest, { exact: true })).toBeVisible();
});

test('saving is beside publishing, and a phone shows the draft or its preview', async ({
  signedIn: page,
  api,
  domain,
  checkState,
}) => {
  const draft = { domain_id: domain.id, name: unique('order-'), subject: 'Hello', html_body: '<h1>Hello</h1>' };
  const { id } = await api.call<{ id: string }>('POST', '/templates', draft);
  await page.goto(`${url()}/templates/${id}`);
  await expect(page.getByRole('radiogroup', { name: 'View' })).toBeHidden();
  const [saving, publishing] = await Promise.all(
    ['Save changes', 'Publish'].map((name) => page.getByRole('button', { name }).boundingBox()),
  );
  expect(saving?.y).toBe(publishing?.y);
  await editor(page, 'Subject').fill('Hello again');
  await editor(page, 'Sample data').scrollIntoViewIfNeeded();
  await expect(page.getByRole('button', { name: 'Save changes' })).toBeInViewport({ ratio: 1 });
  await save(page);
  await expect(page.getByRole('status').filter({ hasText: 'Saved' })).toBeVisible();

  await page.setViewportSize({ width: 360, height: 740 });
  await expect(page.locator('iframe')).toBeHidden();
  await page.getByRole('radio', { name: 'Preview' }).click();
  await expect(frame(page).getByRole('heading', { name: 'Hello' })).toBeVisible();
  await expect(editor(page, 'Subject')).toBeHidden();
  await checkState();
  await page.getByRole('radio', { name: 'Edit' }).click();
  await editor(page, 'Subject').fill('{{');
  await page.getByRole('radio', { name: 'Preview' }).click();
  await save(page);
  await expect(editor(page, 'Subject')).toBeVisible();
});
