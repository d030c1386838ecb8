import { gzipSync } from 'node:zlib';
import type { Page } from '@playwright/test';
import { expect, test, url } from '../support/fixtures';

// What Next.js itself shows for an error has all that every page shares, and neither the shell nor data.
const BLANK = '/_not-found';
const LISTS = ['/aliases', '/audit', '/domains', '/mailboxes', '/messages', '/queue', '/suppressions', '/webhooks'];
const LIMIT = 1.35;

test(`list pages load at most ${LIMIT} × the JavaScript of a nearly blank page`, async ({ signedIn: page }) => {
  const blank = await scriptBytes(page, BLANK);
  for (const path of LISTS) {
    const ratio = (await scriptBytes(page, path)) / blank;
    expect.soft(ratio, `${path} compared with ${BLANK}`).toBeLessThanOrEqual(LIMIT);
  }
});

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
  for (const path of ['/domains', `/domains/${domain.id}`, '/messages', '/']) {
    await page.goto(`${url()}${path}`);
    await page.waitForLoadState('networkidle');
  }
  await page.goto(`${url()}/mailboxes?domain=${domain.id}`);
  const link = page.getByRole('link', { name: `behind@${domain.name}` });
  await expect(link).toBeVisible();
  await page.waitForLoadState('networkidle');
  expect(ahead).toEqual([]);
  const href = await link.getAttribute('href');
  await link.hover();
  await expect.poll(() => ahead).toContain(href);
  await page.getByRole('link', { name: 'Aliases', exact: true }).hover();
  await expect.poll(() => ahead).toContain('/aliases');
});

/** The gzipped size of all scripts that a page loads without being used. */
async function scriptBytes(page: Page, path: string): Promise<number> {
  await page.goto(`${url()}${path}`);
  await page.waitForLoadState('networkidle');
  const loaded = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name));
  const scripts = [...new Set(loaded)].filter((name) => new URL(name).pathname.endsWith('.js'));
  const bodies = await Promise.all(scripts.map(async (script) => (await page.request.get(script)).body()));
  return bodies.reduce((sum, body) => sum + gzipSync(body).length, 0);
}
