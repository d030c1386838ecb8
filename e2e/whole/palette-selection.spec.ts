import type { Page } from '@playwright/test';
import { holdRequests } from '../support/faults';
import { expect, makeDomain, sendMessage, test, unique, url } from '../support/fixtures';

const finderOf = (page: Page) => page.getByRole('combobox', { name: /^Search pages/ });
const selectedOf = (page: Page) => page.getByRole('option', { selected: true });

/** Expects one entry to be selected, for those who see it and for those who hear it. */
async function isSelected(page: Page, name: string): Promise<void> {
  await expect(selectedOf(page)).toHaveAccessibleName(new RegExp(`^${name}`));
  await expect(selectedOf(page)).toHaveCount(1);
  await expect(selectedOf(page)).toBeInViewport();
  const id = await selectedOf(page).getAttribute('id');
  await expect(finderOf(page)).toHaveAttribute('aria-activedescendant', id ?? '');
}

/** Holds back what the search for this text finds. @returns what waits for the search, and what lets it through */
async function holdSearch(page: Page, text: string) {
  const isOfText = (address: URL) =>
    address.pathname.includes('/api/trpc/') && address.search.includes(encodeURIComponent(`"q":"${text}"`));
  const release = await holdRequests(page, isOfText);
  const asked = page.waitForRequest((request) => isOfText(new URL(request.url())));
  return { asked, release };
}

test('arrow keys go through the entries that are seen while the results of the last letter arrive', async ({
  signedIn: page,
  api,
}) => {
  const domain = await makeDomain(api);
  await page.goto(`${url()}/domains`);
  await page.keyboard.press('Control+k');
  await finderOf(page).fill(domain.name.slice(0, -1));
  await expect(page.getByRole('option', { name: `${domain.name} Domain` })).toBeVisible();
  const search = await holdSearch(page, domain.name);
  await page.keyboard.type(domain.name.slice(-1));
  await isSelected(page, `${domain.name} Domain`);
  for (const tab of ['DNS', 'DKIM', 'Mailboxes']) {
    await page.keyboard.press('ArrowDown');
    await isSelected(page, `${domain.name} ${tab}`);
  }
  await search.asked;
  for (const tab of ['Aliases', 'Settings', 'History']) {
    await page.keyboard.press('ArrowDown');
    await isSelected(page, `${domain.name} ${tab}`);
  }
  search.release();
  await page.waitForLoadState('networkidle');
  await isSelected(page, `${domain.name} History`);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('tab', { name: 'History', selected: true })).toBeVisible();
});

test('the selection stays when entries above it go or the mouse made it, and moves to a neighbor when it goes itself', async ({
  signedIn: page,
  api,
}) => {
  const domain = await makeDomain(api);
  const word = unique('stays');
  for (const end of ['one', 'two']) await sendMessage(api, domain, { subject: `${word} ${end}` });
  await page.goto(`${url()}/domains`);
  for (const [end, expected] of [
    ['one', `${word} one`],
    ['two', `Search messages for “${word} two”`],
  ] as const) {
    await page.keyboard.press('Control+k');
    await finderOf(page).fill(word);
    await expect(page.getByRole('option')).toHaveCount(3);
    const search = await holdSearch(page, `${word} ${end}`);
    await finderOf(page).fill(`${word} ${end}`);
    await page.keyboard.press('ArrowDown');
    await isSelected(page, `${word} one`);
    search.release();
    await expect(page.getByRole('option')).toHaveCount(2);
    await expect(page.getByRole('option', { name: `${word} ${end} orders@` })).toBeVisible();
    await isSelected(page, expected);
    if (end === 'one') await page.keyboard.press('Escape');
  }
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`${url()}/messages?q=${encodeURIComponent(`${word} two`)}`);

  const source_local_part = unique('pointed');
  const address = `${source_local_part}@${domain.name}`;
  await api.call('POST', '/aliases', { domain_id: domain.id, source_local_part, destination: 'a@far.example' });
  const search = await holdSearch(page, source_local_part);
  await page.keyboard.press('Control+k');
  await finderOf(page).fill(source_local_part);
  await search.asked;
  await page.getByRole('option', { name: /^Search messages/ }).hover();
  search.release();
  await expect(page.getByRole('option', { name: address })).toBeVisible();
  await isSelected(page, 'Search messages for');
  await page.keyboard.press('ArrowUp');
  await isSelected(page, address);
  await page.keyboard.press('Escape');
  await expect(finderOf(page)).toHaveCount(0);
  await page.keyboard.press('Control+k');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Escape');
  await expect(finderOf(page)).toHaveCount(0);
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('option').first()).toHaveAttribute('aria-selected', 'true');
});
