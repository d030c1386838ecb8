// `npm run screenshots [-- messages domains/…]`: pictures of the running demo's pages, light and dark, at three widths, in
// test-results/screenshots. Arguments select pages by a part of their path. PORT is that of the demo.
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { browseDemo, settled } from './demo/browse-demo.mjs';
import { runCommand } from './process/lifetime.mjs';

const SIZES = [
  { width: 360, height: 740 },
  { width: 1280, height: 800 },
  { width: 1920, height: 1080 },
];
const THEMES = /** @type {const} */ (['light', 'dark']);
const root = dirname(dirname(fileURLToPath(import.meta.url)));

await runCommand(() => browseDemo(root, process.argv.slice(2), takeScreenshots), { exitCodeWhenStopped: 1 });

async function takeScreenshots({ context, paths }) {
  const folder = join(root, 'test-results', 'screenshots');
  mkdirSync(folder, { recursive: true });
  const page = await context.newPage();
  for (const path of paths) {
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
}
