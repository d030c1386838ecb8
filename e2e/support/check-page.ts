import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { expect, type Page } from '@playwright/test';
import type { AxeResults } from 'axe-core';

const axeSource = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** Collects errors of a page while a scenario runs. Call it before the first navigation. */
export function watch(page: Page, origin: string): { faults: string[] } {
  const faults: string[] = [];
  page.on('console', (message) => {
    // The scenario checks rejected calls itself; the browser logs every 4xx as a console error.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
      faults.push(`console: ${message.text()}`);
    }
  });
  page.on('pageerror', (error) => faults.push(`page error: ${error.message}`));
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.protocol !== 'data:' && url.protocol !== 'blob:' && url.origin !== origin)
      faults.push(`request to ${url.href}`);
  });
  return { faults };
}

/** Run after every scenario: no axe violation, console error, off-origin request or horizontal overflow. */
export async function checkPage(page: Page, watched: { faults: string[] }): Promise<void> {
  // Next.js replaces the title shortly after the page; for a moment there is none.
  await expect(page).toHaveTitle(/./);
  await page.evaluate(await axeSource);
  const results = await page.evaluate(async (tags) => {
    const { axe } = window as unknown as { axe: typeof import('axe-core') };
    // At the top, because elsewhere the bar covers a part of what scrolls under it, and axe takes that for its size.
    const { scrollY } = window;
    window.scrollTo(0, 0);
    const found: AxeResults = await axe.run({ runOnly: tags });
    window.scrollTo(0, scrollY);
    return found;
  }, TAGS);
  const violations = results.violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' | ')}`);
  expect(violations).toEqual([]);
  expect(watched.faults).toEqual([]);
  expect(await page.evaluate(whatIsTooWide), 'the page is wider than its window').toEqual([]);
}

/** By how much the page is wider than its window, and the elements that stick out. */
function whatIsTooWide(): string[] {
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth <= clientWidth) return [];
  const sticksOut = (element: Element) => element.getBoundingClientRect().right > clientWidth;
  const elements = [...document.body.querySelectorAll('*')].filter(
    (element) => sticksOut(element) && ![...element.children].some(sticksOut),
  );
  return [`${scrollWidth - clientWidth} px`, ...elements.slice(0, 5).map((element) => element.outerHTML.slice(0, 300))];
}
