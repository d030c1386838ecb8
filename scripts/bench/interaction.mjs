import { browseDemo, settled } from '../demo/browse-demo.mjs';

/** The lists whose rows are found by typing, and may be selected. */
const LISTS = ['/messages', '/aliases', '/mailboxes', '/domains'];
const TYPED = 'mail';
const SLOWDOWN = 4;
/** The shortest that Chromium reports. */
const MIN_EVENT_MS = 16;
const LAST_ROW = 50;

/**
 * How long the demo's lists take from a key or click to the next paint, on a processor that is four times slower. Event Timing rounds
 * to 8 ms; `cpuMs` is what the main thread computed until everything followed.
 */
export function measureInteractions(root, { parts, onInteraction }) {
  return browseDemo(root, parts, async ({ context, paths }) => {
    for (const path of LISTS.filter((list) => paths.includes(list))) {
      const page = await context.newPage();
      const session = await context.newCDPSession(page);
      await session.send('Performance.enable');
      const open = async () => {
        await session.send('Emulation.setCPUThrottlingRate', { rate: 1 });
        await page.goto(path);
        await settled(page);
        await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)));
        await page.evaluate(recordEvents, MIN_EVENT_MS);
        await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN });
      };
      const measure = async (name, act) => {
        const before = await cpuMsOf(session);
        await act();
        await settled(page);
        await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)));
        onInteraction({
          path,
          name,
          ...(await page.evaluate(takeEvents)),
          cpuMs: (await cpuMsOf(session)) - before,
        });
      };

      await open();
      await page.locator('[data-search]').first().focus();
      for (const key of TYPED) await measure(`type ${key}`, () => page.keyboard.press(key));
      await open();
      const boxes = page.locator('tbody input[type="checkbox"][aria-label^="Select "]');
      const count = Math.min(LAST_ROW, await boxes.count());
      if (count > 0) {
        await measure('select a row', () => boxes.first().click());
        await measure(`select ${count} rows with Shift`, () => boxes.nth(count - 1).click({ modifiers: ['Shift'] }));
        const all = page.getByRole('checkbox', { name: 'Select all on this page' });
        await measure('select all', () => all.click());
        await measure('select none', () => all.click());
      }
      await page.close();
    }
    return 0;
  });
}

/** Runs in the page. */
function recordEvents(minMs) {
  const recorded = [];
  const observed = /** @type {PerformanceObserverInit} */ ({ type: 'event', durationThreshold: minMs });
  new PerformanceObserver((list) => recorded.push(...list.getEntries())).observe(observed);
  Object.assign(window, { recorded });
}

/** Runs in the page: the longest of the events since it was called before. */
function takeEvents() {
  const entries = /** @type {any} */ (window).recorded.splice(0);
  return { ms: Math.max(0, ...entries.map(({ duration }) => duration)) };
}

async function cpuMsOf(session) {
  const { metrics } = await session.send('Performance.getMetrics');
  return 1_000 * (metrics.find(({ name }) => name === 'ThreadTime')?.value ?? 0);
}
