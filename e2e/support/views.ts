import type { Locator, Page } from '@playwright/test';

export const openViews = (page: Page): Promise<void> => page.getByRole('button', { name: 'Views' }).click();

/** An item of the open menu of views. */
export const viewItem = (page: Page, name: string): Locator => page.getByRole('menuitem', { name, exact: true });

export async function saveView(page: Page, name: string): Promise<void> {
  await openViews(page);
  await viewItem(page, 'Save view…').click();
  const dialog = page.getByRole('dialog', { name: 'Save view' });
  await dialog.getByLabel('Name').fill(name);
  await dialog.getByRole('button', { name: 'Save view' }).click();
}
