import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { expect, type Page } from '@playwright/test';
import type { AxeResults } from 'axe-core';

const axeSource = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
const COLOR_RULES = ['color-contrast', 'link-in-text-block'];

export type Watched = { faults: string[] };

/** Collects errors of a page while a scenario runs. Call it before the first navigation. */
export function watch(page: Page, origin: string): Watched {
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

/** Finds console errors, off-origin requests and horizontal overflow. */
export async function checkPage(page: Page, watched: Watched): Promise<void> {
  // Next.js replaces the title shortly after the page; for a moment there is none.
  await expect(page).toHaveTitle(/./);
  expect(watched.faults).toEqual([]);
  expect(await page.evaluate(whatIsTooWide), 'the page is wider than its window').toEqual([]);
}

type Scope = {
  /** The rules to run instead of all. */
  rules?: string[];
  /** Whether the shell around the page is checked, too. It is the same on every page, and axe takes half of its time for it. */
  withShell?: boolean;
};

/** Finds violations of WCAG 2.2 AA in what a page adds to the shell, or in the dialog that covers it. */
export async function checkAccessibility(page: Page, { rules, withShell = false }: Scope = {}): Promise<void> {
  await expect(page).toHaveTitle(/./);
  if (!(await page.evaluate(() => 'axe' in window))) await loadAxe(page);
  const violations = await page.evaluate(
    async ({ runOnly, withShell }) => {
      const { axe } = window as unknown as { axe: typeof import('axe-core') };
      // An open menu covers parts of what it is above, too, which axe would take for their size.
      const isCovered = document.querySelector('[aria-modal="true"], [role="menu"]') !== null;
      const shell = 'aside[aria-label="Postroom"], header:not(main *)';
      const behind = isCovered ? `${shell}, main, main ~ aside` : shell;
      // At the top, because elsewhere the bar covers a part of what scrolls under it, and axe takes that for its size.
      const { scrollY } = window;
      window.scrollTo(0, 0);
      // Pages have neither media nor frames with scripts, which axe would load and wait for.
      const options = {
        runOnly,
        resultTypes: ['violations' as const],
        selectors: false,
        preload: false,
        iframes: false,
      };
      const found: AxeResults = await axe.run(
        { exclude: withShell ? [] : [...document.querySelectorAll(behind)] },
        options,
      );
      window.scrollTo(0, scrollY);
      return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' | ')}`);
    },
    {
      runOnly: rules ? { type: 'rule' as const, values: rules } : { type: 'tag' as const, values: TAGS },
      withShell,
    },
  );
  expect(violations).toEqual([]);
}

/** Loads axe as the browser's console would, in half the time that `page.evaluate` takes for so long a text. */
async function loadAxe(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Runtime.evaluate', { expression: await axeSource });
  await session.detach();
}

/** Finds violations in the light theme, and those of color in the dark one. */
export async function checkThemes(page: Page, scope: Scope = {}): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light' });
  await checkAccessibility(page, scope);
  await page.emulateMedia({ colorScheme: 'dark' });
  await checkAccessibility(page, { ...scope, rules: COLOR_RULES });
  await page.emulateMedia({ colorScheme: 'light' });
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
