import { browseDemo, settled } from '../demo/browse-demo.mjs';
import { alternate } from './cost/rounds.mjs';

/** Largest contentful paint of the demo's pages, as medians of warm loads, each after one of the sign-in page. */
export function comparePaint(root, { parts, rounds = 5, onPage }) {
  return browseDemo(root, parts, async ({ browser, context, url, paths }) => {
    const signIn = await (await browser.newContext({ baseURL: url })).newPage();
    const page = await context.newPage();
    for (const path of paths) {
      const measured = await alternate(rounds, {
        signIn: async () => ({ ms: await paintOf(signIn, '/login') }),
        own: async () => ({ ms: await paintOf(page, path) }),
      });
      onPage({ path, ms: measured.own.ms, ratio: measured.own.ms / measured.signIn.ms });
    }
    return 0;
  });
}

/** @param {import('playwright').Page} page @returns {Promise<number>} milliseconds from the start of the navigation */
async function paintOf(page, path) {
  await page.goto(path);
  await settled(page);
  return page.evaluate(
    () =>
      new Promise((resolve) => {
        const observer = new PerformanceObserver((list) => resolve(list.getEntries().at(-1)?.startTime ?? NaN));
        observer.observe({ type: 'largest-contentful-paint', buffered: true });
      }),
  );
}
