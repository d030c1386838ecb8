import { expect, test, url } from '../support/fixtures';

test('a page loads other pages ahead only when the pointer is on their link', async ({
  signedIn: page,
  api,
  domain,
}) => {
  for (const local_part of ['ahead', 'behind'])
    await api.call('POST', '/mailboxes', { domain_id: domain.id, local_part, password: 'paper boats on a canal' });
  const ahead: string[] = [];
  page.on('request', (request) => {
    if (request.headers()['next-router-prefetch']) ahead.push(new URL(request.url()).pathname);
  });
  const open = async (path: string) => {
    await page.goto(`${url()}${path}`, { waitUntil: 'commit' });
    // The pointer of a new page is in its corner, on the link of the logo.
    await page.mouse.move(1279, 799);
    await page.waitForLoadState('networkidle');
  };
  for (const path of ['/domains', `/domains/${domain.id}`, '/messages', '/']) await open(path);
  await open(`/mailboxes?domain=${domain.id}`);
  const link = page.getByRole('link', { name: `behind@${domain.name}` });
  await expect(link).toBeVisible();
  expect(ahead).toEqual([]);
  const href = await link.getAttribute('href');
  await link.hover();
  await expect.poll(() => ahead).toContain(href);
  await page.getByRole('link', { name: 'Aliases', exact: true }).hover();
  await expect.poll(() => ahead).toContain('/aliases');
});
