// `npm run screenshots [-- messages domains/…]`: pictures of the running demo's pages, light and dark, at three widths, in
// test-results/screenshots. Arguments select pages by a part of their path. PORT is that of the demo.
import { mkdirSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dataDirOf, readAccess } from './demo/demo-data.mjs';
import { runCommand } from './process/lifetime.mjs';
import { PlainError } from './process/plain-error.mjs';
import { CHROMIUM_FLAGS, findBrowser } from './testing/browser.mjs';

const SIZES = [
  { width: 360, height: 740 },
  { width: 1280, height: 800 },
  { width: 1920, height: 1080 },
];
const THEMES = /** @type {const} */ (['light', 'dark']);
const SETTLED_MS = 30_000;
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const parts = process.argv.slice(2);

await runCommand(takeScreenshots, { exitCodeWhenStopped: 1 });

async function takeScreenshots() {
  const url = `http://localhost:${process.env.PORT || 3000}`;
  const access = readAccess(dataDirOf(root));
  if (!access || !(await fetch(`${url}/api/v1/health`).catch(() => null))) {
    throw new PlainError(`There is no demo at ${url}: start it with npm run demo, or set PORT to that of the demo.`);
  }
  const folder = join(root, 'test-results', 'screenshots');
  mkdirSync(folder, { recursive: true });
  const { chromium } = await import('playwright');
  const browser = await chromium.launch({ executablePath: await findBrowser(root), args: CHROMIUM_FLAGS });
  try {
    const context = await browser.newContext({ baseURL: url });
    const { email, password } = access;
    await context.request.post('/api/v1/auth/login', { data: { email, password }, headers: { origin: url } });
    const page = await context.newPage();
    for (const path of await paths((collection) => firstId(url, access.apiKey, collection))) {
      for (const colorScheme of THEMES) {
        for (const size of SIZES) {
          await page.setViewportSize(size);
          await page.emulateMedia({ colorScheme });
          await page.goto(path);
          await settled(page);
          const name = path.replaceAll(/[/?=&]+/g, '-').replace(/^-/, '') || 'overview';
          await page.screenshot({ path: join(folder, `${name}-${colorScheme}-${size.width}.png`), fullPage: true });
        }
      }
      console.log(path);
    }
    return 0;
  } finally {
    await browser.close();
  }
}

/** The pages of the console; of those that show one object, the first there is. */
async function paths(idOf) {
  const files = readdirSync(join(root, 'src', 'app', '(console)'), { recursive: true, encoding: 'utf8' });
  const pages = files.filter((file) => basename(file) === 'page.tsx');
  const all = pages.map((file) => join('/', dirname(file)).replace('[...path]', 'no-such-page')).sort();
  const selected = all.filter((path) => parts.length === 0 || parts.some((part) => path.includes(part)));
  return Promise.all(
    selected.map(async (path) => {
      const [collection = '', rest] = path.split('/[id]');
      return rest === undefined ? path : `${collection}/${await idOf(collection)}${rest}`;
    }),
  );
}

async function firstId(url, apiKey, collection) {
  const headers = { authorization: `Bearer ${apiKey}` };
  const response = await fetch(`${url}/api/v1${collection}?limit=1`, { headers });
  const { data, error } = await response.json();
  if (error || data.length === 0)
    throw new PlainError(`${collection} has none to show: ${error?.message ?? 'it is empty'}`);
  return data[0].id;
}

/** @param {import('playwright').Page} page */
async function settled(page) {
  await page.waitForLoadState('networkidle', { timeout: SETTLED_MS });
  await page.waitForFunction(() => !document.querySelector('main [aria-busy="true"]'), null, { timeout: SETTLED_MS });
}
