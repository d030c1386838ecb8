import { expect, type Page } from '@playwright/test';

export const WIDTHS = [
  { width: 1280, height: 800 },
  { width: 360, height: 740 },
] as const;

type Watched = Window & { shifts?: string[] };

/** Call it before the first navigation. */
export async function countShifts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const found: string[] = [];
    const read = (list: PerformanceEntry[]) => {
      for (const entry of list as (PerformanceEntry & {
        value: number;
        hadRecentInput: boolean;
        sources: { node?: Node; previousRect: DOMRectReadOnly; currentRect: DOMRectReadOnly }[];
      })[]) {
        // Smaller shifts come from fonts that differ by a fraction of a pixel.
        if (entry.hadRecentInput || entry.value < 0.001) continue;
        const moved = entry.sources.map(({ node, previousRect, currentRect }) => {
          const what = node instanceof Element ? node.outerHTML.slice(0, 80) : 'text';
          const [before, after] = [previousRect, currentRect].map(({ x, y, width, height }) => [x, y, width, height]);
          return `${what} from ${before} to ${after}`;
        });
        found.push(`${entry.value.toFixed(4)}: ${moved.join(' | ')}`);
      }
    };
    const observer = new PerformanceObserver((list) => read(list.getEntries()));
    observer.observe({ type: 'layout-shift', buffered: true });
    (window as Watched).shifts = found;
  });
}

export async function shifts(page: Page): Promise<string[]> {
  await painted(page);
  return page.evaluate(() => (window as Watched).shifts ?? []);
}

/** Gives a loaded page another size, and waits until it has reacted. */
export async function resize(page: Page, size: { width: number; height: number }): Promise<void> {
  await page.setViewportSize(size);
  await painted(page);
}

const painted = (page: Page) =>
  page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));

/** Waits until the page has loaded its data and shows no skeleton. */
export async function settled(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle');
  await expect
    .poll(() => page.getByRole('main').evaluate((main) => main.querySelectorAll('[aria-busy="true"]').length))
    .toBe(0);
}
