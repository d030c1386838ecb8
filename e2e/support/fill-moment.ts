import type { Locator, Page } from '@playwright/test';

/** Enters a date and a time, such as 2026-11-29T21:43. */
export async function fillMoment(within: Page | Locator, label: string, moment: string): Promise<void> {
  const [date = '', clock = ''] = moment.split('T');
  await within.getByLabel(label, { exact: true }).fill(date);
  await within.getByLabel(`${label}, time`).fill(clock);
}
