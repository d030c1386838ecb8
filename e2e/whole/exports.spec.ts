import { eachCase, inGroups, namesOf } from '../support/cases';
import { createDomain, expect, test, url } from '../support/fixtures';
import { settled } from '../support/layout-shifts';

const PAGES = (
  [
    ['/webhooks?show=active', 'webhooks', { active: 'true' }],
    ['/sieve-filters?show=mailbox', 'filters', { scope: 'mailbox', order: 'asc' }],
    ['/templates?show=published', 'templates', { published: 'true' }],
    ['/domains?q=east&order=desc', 'domains', { q: 'east', order: 'desc' }],
    ['/api-keys?show=expired', 'api-keys', { expired: 'true' }],
    ['/admins?order=desc', 'admins', { order: 'desc' }],
    ['/abuse?sort=sent_last_hour', 'top-senders', { sort: 'sent_last_hour' }],
    ['/system/backups', 'backups', {}],
    ['/system/nodes', 'nodes', {}],
    ['/system/health', 'health', {}],
  ] as const
).map(([path, name, filters]) => ({ path, name, filters }));

for (const group of inGroups(PAGES, 5)) {
  test(`exports what these show: ${namesOf(group)}`, async ({ signedIn: page, watched, check }) => {
    await eachCase(group, watched, async ({ path, name, filters }) => {
      await page.goto(`${url()}${path}`);
      await settled(page);
      const button = page.getByRole('button', { name: 'Export CSV' }).last();
      await expect(button).toBeVisible();
      await check();
      const [request, download] = await Promise.all([
        page.waitForRequest(/\/export\?/),
        page.waitForEvent('download'),
        button.click(),
      ]);
      expect(Object.fromEntries(new URL(request.url()).searchParams)).toMatchObject(filters);
      expect(download.suggestedFilename()).toMatch(new RegExp(`^${name}-\\d{4}-\\d\\d-\\d\\d\\.csv$`));
      await expect(page.getByRole('status').filter({ hasText: /^Exported/ })).toBeVisible();
    });
  });
}

test('exports the mailboxes, the aliases and the DNS records of a domain', async ({ signedIn: page, api, check }) => {
  const domain = await createDomain(api);
  await api.call('POST', '/aliases', {
    domain_id: domain.id,
    source_local_part: 'sales',
    destination: 'a@far.example',
  });
  await api.call('POST', '/mailboxes', {
    domain_id: domain.id,
    local_part: 'ann',
    password: 'paper boats on the canal',
  });
  for (const [tab, name] of [
    ['mailboxes', /^mailboxes-[\d-]+\.csv$/],
    ['aliases', `aliases-${domain.name}.csv`],
  ] as const) {
    await page.goto(`${url()}/domains/${domain.id}?tab=${tab}`);
    const started = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export CSV' }).click();
    expect((await started).suggestedFilename()).toMatch(name);
    await check();
  }
  await page.goto(`${url()}/domains/${domain.id}`);
  await page.getByRole('button', { name: 'Zone file' }).click();
  const started = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: 'Export results of the last check as CSV' }).click();
  expect((await started).suggestedFilename()).toMatch(/^dns-records-[\d-]+\.csv$/);
  await check();
});
