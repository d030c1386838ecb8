import { expect, type Page } from '@playwright/test';
import { checkAccessibility, checkPage, checkThemes, type Watched } from './check-page';
import { resize, settled, shifts, WIDTHS } from './layout-shifts';

/**
 * Loads an address in both widths and finds what shifts, and what isn't accessible in both themes and widths. It takes `countShifts`
 * before. The narrow page is checked where the wide one was loaded: axe takes longer to load than to run.
 */
export async function checkView(
  page: Page,
  address: string,
  watched: Watched,
  scope = { withShell: false },
): Promise<void> {
  const [wide, narrow] = WIDTHS;
  for (const size of [narrow, wide]) {
    await page.setViewportSize(size);
    await page.goto(address);
    await settled(page);
    expect(await shifts(page), `what shifted at ${size.width} px`).toEqual([]);
    await checkPage(page, watched);
  }
  await checkThemes(page, scope);
  await resize(page, narrow);
  await checkAccessibility(page, scope);
  await checkPage(page, watched);
}
