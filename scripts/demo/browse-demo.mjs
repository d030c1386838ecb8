// The running demo in Chromium, signed in.
import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { PlainError } from '../process/plain-error.mjs';
import { CHROMIUM_FLAGS, findBrowser } from '../testing/browser.mjs';
import { dataDirOf, readAccess } from './demo-data.mjs';

const SETTLED_MS = 30_000;

/**
 * PORT is that of the demo.
 * @template Result
 * @param {string[]} parts select pages by a part of their path; all of them without
 * @param {(demo: {
 *   browser: import('playwright').Browser, context: import('playwright').BrowserContext, url: string, paths: string[]
 * }) => Promise<Result>} visit
 */
export async function browseDemo(root, parts, visit) {
  const url = `http://localhost:${process.env.PORT || 3000}`;
  const access = readAccess(dataDirOf(root));
  if (!access || !(await fetch(`${url}/api/v1/health`).catch(() => null))) {
    throw new PlainError(`There is no demo at ${url}: start it with npm run demo, or set PORT to that of the demo.`);
  }
  const { chromium } = await import('playwright');
  const browser = await chromium.launch({ executablePath: await findBrowser(root), args: CHROMIUM_FLAGS });
  try {
    const context = await browser.newContext({ baseURL: url });
    const { email, password } = access;
    await context.request.post('/api/v1/auth/login', { data: { email, password }, headers: { origin: url } });
    const idOf = (collection) => firstId(url, access.apiKey, collection);
    return await visit({ browser, context, url, paths: await pathsOf(root, parts, idOf) });
  } finally {
    await browser.close();
  }
}

/** The pages of the console; of those that show one object, the first there is. */
async function pathsOf(root, parts, idOf) {
  const files = readdirSync(join(root, 'src', 'app', '(console)'), { recursive: true, encoding: 'utf8' });
  const pages = files.filter((file) => basename(file) === 'page.tsx');
  const all = pages.map((file) => pathOf(dirname(file))).sort();
  const selected = all.filter((path) => parts.length === 0 || parts.some((part) => path.includes(part)));
  return Promise.all(
    selected.map(async (path) => {
      const [collection = '', rest] = path.split('/[id]');
      return rest === undefined ? path : `${collection}/${await idOf(collection)}${rest}`;
    }),
  );
}

/** The path of a page's folder, without its optional part. */
function pathOf(folder) {
  return join('/', folder.replace(/\/\[\[\.{3}\w+\]\]$/, '')).replace('[...path]', 'no-such-page');
}

async function firstId(url, apiKey, collection) {
  const headers = { authorization: `Bearer ${apiKey}` };
  const response = await fetch(`${url}/api/v1${collection}?limit=1`, { headers });
  const { data, error } = await response.json();
  if (error || data.length === 0)
    throw new PlainError(`${collection} has none to show: ${error?.message ?? 'it is empty'}`);
  return data[0].id;
}

/** Waits until a page shows its data. @param {import('playwright').Page} page */
export async function settled(page) {
  await page.waitForLoadState('networkidle', { timeout: SETTLED_MS });
  await page.waitForFunction(() => !document.querySelector('main [aria-busy="true"]'), null, { timeout: SETTLED_MS });
}
