import type { Page } from '@playwright/test';
import { parseZone, publish } from '../support/dns';
import { expect, makeDomain, test, url } from '../support/fixtures';

const HOST = 'mail.harbourfinch.example';
const ADDRESS = '192.0.2.25';
const section = (page: Page) => page.getByRole('region', { name: 'DNS', exact: true });
const row = (page: Page, name: RegExp) => section(page).getByRole('button', { name });

test('leads from a new domain to one whose records are all found', async ({ signedIn: page, api, check }) => {
  const domain = await makeDomain(api);
  await page.goto(`${url()}/domains/${domain.id}`);
  const checkNow = section(page).getByRole('button', { name: 'Check now' });
  await checkNow.click();
  await expect(row(page, /^Missing SPF/)).toBeVisible();
  await row(page, /^Missing MX/).click();
  await expect(section(page)).toContainText('other servers don’t know where to deliver mail');
  await expect(section(page).getByText(/^10 /)).toBeVisible();
  await check();

  const file = await section(page).getByRole('link', { name: 'Zone file' }).getAttribute('href');
  const zone = parseZone(await (await page.request.get(`${url()}${file}`)).text());
  publish({ ...zone, [HOST]: { A: [ADDRESS] }, '25.2.0.192.in-addr.arpa': { PTR: [HOST] } });
  await checkNow.click();
  await expect(section(page)).toContainText('No problems');
  await expect(row(page, /^Found SPF/)).toBeVisible();
  await check();
});

test('shows what is wrong with a record, and what to publish instead', async ({ signedIn: page, api, check }) => {
  const domain = await makeDomain(api);
  publish({ [`_dmarc.${domain.name}`]: { TXT: ['v=DMARC1; p=none'] } });
  await page.goto(`${url()}/domains/${domain.id}`);
  await section(page).getByRole('button', { name: 'Check now' }).click();
  await row(page, /^Wrong DMARC/).click();
  await expect(section(page)).toContainText('receiving servers deliver forged mail as usual');
  await expect(section(page)).toContainText('v=DMARC1; p=quarantine');
  await expect(section(page).getByText('v=DMARC1; p=none')).toBeVisible();
  await check();
});
