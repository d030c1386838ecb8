import type { Locator } from '@playwright/test';
import { expect, makeDomain, test, url } from '../../support/fixtures';
import { makeAlias } from './alias';

test('selecting rows moves nothing, the filters are back after it, and buttons act on what is selected before it is rendered', async ({
  signedIn: page,
  api,
  check,
}) => {
  const domain = await makeDomain(api);
  for (const local of ['a1', 'a2', 'a3']) await makeAlias(api, domain, local, 'ann@far.example');
  await page.goto(`${url()}/aliases?domain=${domain.id}`);
  const first = page.getByRole('checkbox', { name: `Select a1@${domain.name}` });
  const all = page.getByRole('checkbox', { name: 'Select all on this page' });
  await expect(first).toBeVisible();
  for (const width of [1280, 700, 360]) {
    await page.setViewportSize({ width, height: 740 });
    const before = (await first.boundingBox())?.y;
    await first.check();
    const bar = page.getByRole('group', { name: 'Selected aliases' });
    await expect(bar).toContainText('1 selected');
    expect((await first.boundingBox())?.y).toBe(before);
    await expect(all).toBeChecked({ indeterminate: true });
    await check();
    await all.click();
    await expect(bar).toContainText('3 selected');
    await all.click();
    await expect(bar).toHaveCount(0);
    await expect(page.getByRole('textbox', { name: 'Filter by address or destination' })).toBeVisible();
  }
  await clickAtOnce(all, all);
  await expect(all).not.toBeChecked();
  await expect(page.getByRole('group', { name: 'Selected aliases' })).toHaveCount(0);
  const last = page.getByRole('checkbox', { name: `Select a3@${domain.name}` });
  const selected = page.getByRole('group', { name: 'Selected aliases' });
  await first.click();
  await last.click({ modifiers: ['Shift'] });
  await expect(selected).toContainText('3 selected');
  await first.focus();
  await page.keyboard.press('Shift+Space');
  await expect(selected).toHaveCount(0);

  await first.check();
  const deactivate = selected.getByRole('button', { name: 'Deactivate' });
  await expect(deactivate).toBeVisible();
  await clickAtOnce(page.getByRole('checkbox', { name: `Select a2@${domain.name}` }), deactivate);
  await expect(page.getByRole('status').filter({ hasText: 'Deactivated 2 aliases' })).toBeVisible();
  await check();
});

/** Clicks both in one turn of the browser, in which nothing is rendered that can wait. */
async function clickAtOnce(first: Locator, second: Locator): Promise<void> {
  const other = await second.elementHandle();
  await first.evaluate((element, next) => {
    (element as HTMLElement).click();
    (next as HTMLElement).click();
  }, other);
}

test('at 360 px, an address breaks only between its parts, and keeps how many others there are', async ({
  signedIn: page,
  api,
  check,
}) => {
  const domain = await makeDomain(api);
  const destination = ['georgina.banerjee+reports@old-mill-pottery-and-tiles.example', 'bo@far.example'].join();
  await makeAlias(api, domain, 'press_office.north-east', destination);
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto(`${url()}/aliases?domain=${domain.id}`);
  const row = page.getByRole('row').filter({ hasText: 'press_office' });
  const breaks = await row.evaluate(charactersBeforeBreaks);
  expect(breaks.length).toBeGreaterThan(1);
  expect(breaks.filter((character) => !'@._+-'.includes(character))).toEqual([]);
  const end = await row
    .getByText(/^example/)
    .last()
    .boundingBox();
  const more = await row.getByRole('button', { name: /^Show 1 more/ }).boundingBox();
  expect(Math.abs((end?.y ?? 0) - (more?.y ?? 0))).toBeLessThan(8);
  await check();
});

/** The last character of each line of an address but the last line; of a line before the domain, the @ that follows. */
function charactersBeforeBreaks(row: Element): string[] {
  return [...row.querySelectorAll('[title*="@"]')].flatMap((address) => {
    const texts = document.createTreeWalker(address, NodeFilter.SHOW_TEXT);
    const found: string[] = [];
    let last: { character: string; bottom: number } | undefined;
    while (texts.nextNode()) {
      const text = texts.currentNode as Text;
      if (text.parentElement?.closest('button')) continue;
      for (let at = 0; at < text.data.trimEnd().length; at++) {
        const range = document.createRange();
        range.setStart(text, at);
        range.setEnd(text, at + 1);
        const { top, bottom } = range.getBoundingClientRect();
        if (last && top >= last.bottom - 2) found.push(text.data[at] === '@' ? '@' : last.character);
        last = { character: text.data[at] ?? '', bottom };
      }
    }
    return found;
  });
}
