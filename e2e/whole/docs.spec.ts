import { expect, test, url } from '../support/fixtures';

test('each page links to its chapter, chapters to each other, and a search leads to sections', async ({
  signedIn: page,
  check,
  checkState,
}) => {
  await page.goto(`${url()}/`);
  await expect(page.getByRole('link', { name: 'Documentation of Postroom' })).toBeVisible();
  await page.goto(`${url()}/abuse`);
  await page.getByRole('link', { name: 'Documentation: Abuse' }).click();
  await expect(page).toHaveURL(`${url()}/docs/access#hourly-limits`);
  const heading = page.getByRole('heading', { name: 'Hourly limits' });
  await expect(heading).toBeInViewport();
  await checkState();
  await page.getByRole('article').getByRole('link', { name: 'Health' }).first().click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Health');

  await page.getByRole('main').getByRole('link', { name: 'Documentation', exact: true }).click();
  await expect(
    page.getByRole('region', { name: 'Operate' }).getByRole('link', { name: 'Backups', exact: true }),
  ).toBeVisible();
  await check();
  await page.getByLabel('Search the documentation').fill('relay password');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`${url()}/docs?q=relay%20password`);
  const found = page.getByRole('region', { name: 'Results' });
  await expect(found).toContainText('RELAY_PASSWORD');
  await checkState();
  await page.goBack();
  await expect(found).toHaveCount(0);
  await page.goto(`${url()}/docs?q=%3Cb%3Enothing`);
  await expect(page.getByText('No section has all of these words.')).toBeVisible();
});

test('a chapter can be read at 360 px, and an unknown one is not found', async ({ signedIn: page, check }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto(`${url()}/docs/mail-server`);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Your own mail server');
  await check();
  const answer = await page.goto(`${url()}/docs/architecture`);
  expect(answer?.status()).toBe(404);
});
