import type { Page } from '@playwright/test';
import { VIEW_PAGES } from '../../src/lib/saved-views';
import { eachCase } from '../support/cases';
import { expect, test, url } from '../support/fixtures';

const LISTS = Object.values(VIEW_PAGES).map(({ path }) => path);
/** The others load the code of forms when their dialogs open. */
const WITH_FORM = '/send';
/**
 * How much JavaScript a page may load, in KB as transferred, without headers. Next.js and React are 112 of them. A page that grows
 * beyond its figure loads something that it could load when it's used: see docs/contributing/performance.md.
 */
const LIMITS: Record<string, number> = {
  '/login': 150,
  ...Object.fromEntries(LISTS.map((path) => [path, 280])),
  [WITH_FORM]: 320,
  '/': 375,
  '/analytics': 425,
  '/reference': 256,
  '/reference/domains': 256,
  '/reference/events': 256,
};
/** Requests of the sign-in page, of which four are style sheets and one is a font. */
const MAX_SIGN_IN_REQUESTS = 12;

test('/login loads at most what its limits allow', async ({ page }) => {
  const { requests } = await weigh(page, '/login');
  expect(requests).toBeLessThanOrEqual(MAX_SIGN_IN_REQUESTS);
});

const PAGES = Object.keys(LIMITS).flatMap((name) => (name === '/login' ? [] : [{ name }]));

test('each page of the console loads at most what its limit allows, and no code of forms before a dialog opens', async ({
  signedIn: page,
  watched,
}) => {
  await eachCase(PAGES, watched, async ({ name }) => {
    const { scripts } = await weigh(page, name);
    if (name === WITH_FORM) return;
    const paths = scripts.map((script) => script.name);
    // They are in the browser's cache.
    const load = (paths: string[]) => Promise.all(paths.map(async (path) => (await fetch(path)).text()));
    const text = (await page.evaluate(load, paths)).join('');
    expect(text.includes('Postroom')).toBe(true);
    // A name inside Zod, and a message of the schemas.
    expect(/ZodObject|Control characters aren/.exec(text)?.[0]).toBeUndefined();
  });
});

async function weigh(page: Page, path: string) {
  await page.goto(`${url()}${path}`);
  await page.waitForLoadState('networkidle');
  const files = await filesOf(page);
  const weight = files.scripts.reduce((sum, { bytes }) => sum + bytes, 0) / 1024;
  const figures = `${weight.toFixed(0)} KB in ${files.scripts.length} scripts, ${files.requests} requests`;
  expect(files.scripts.length).toBeGreaterThan(3);
  expect(files.scripts.filter(({ bytes }) => bytes === 0)).toEqual([]);
  expect(weight, figures).toBeLessThanOrEqual(LIMITS[path] ?? 0);
  return files;
}

async function filesOf(page: Page) {
  return page.evaluate(() => {
    const files = performance.getEntriesByType('resource') as PerformanceResourceTiming[];
    const scripts = files.filter(({ name }) => new URL(name).pathname.endsWith('.js'));
    return {
      scripts: scripts.map(({ name, encodedBodySize }) => ({ name, bytes: encodedBodySize })),
      // The document, too.
      requests: files.length + 1,
    };
  });
}
