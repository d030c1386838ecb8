import { gzipSync } from 'node:zlib';
import type { Page } from '@playwright/test';
import { expect, test, url } from '../support/fixtures';

// The page for unknown addresses has all that every page shares, and neither the shell nor data.
const BLANK = '/nothing-here';
const LISTS = ['/aliases', '/audit', '/domains', '/mailboxes', '/messages', '/queue', '/webhooks'];
const LIMIT = 1.35;

test(`list pages load at most ${LIMIT} × the JavaScript of a nearly blank page`, async ({ signedIn: page }) => {
  const blank = await scriptBytes(page, BLANK);
  for (const path of LISTS) {
    const ratio = (await scriptBytes(page, path)) / blank;
    expect.soft(ratio, `${path} compared with ${BLANK}`).toBeLessThanOrEqual(LIMIT);
  }
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
