import type { Page } from '@playwright/test';
import { dmarcXml } from '../../src/test/reports/dmarc-report';
import { tlsReport } from '../../src/test/reports/tls-report';
import { failProcedure, withoutMailServer } from '../support/faults';
import { alertWith, expect, makeDomain, test, url } from '../support/fixtures';

const DAY_MS = 24 * 60 * 60 * 1000;
const yesterday = () => new Date(Date.now() - DAY_MS).toISOString().slice(0, 10);

test.beforeEach(({ page }) => withoutMailServer(page));

async function upload(page: Page, name: string, content: string): Promise<void> {
  await page.getByRole('button', { name: 'Upload report' }).first().click();
  const dialog = page.getByRole('dialog', { name: /^Upload a (DMARC|TLS) report/ });
  const chooser = page.waitForEvent('filechooser');
  await dialog.getByRole('button', { name: 'Report file' }).click();
  await (await chooser).setFiles({ name, mimeType: 'application/octet-stream', buffer: Buffer.from(content) });
  await dialog.getByRole('button', { name: 'Upload report' }).click();
}

test('shows who sends with the domain’s name, from an uploaded report', async ({
  signedIn: page,
  api,
  check,
  checkState,
}) => {
  const domain = await makeDomain(api);
  await page.goto(`${url()}/domains/${domain.id}?view=reports`);
  await expect(page.getByRole('heading', { name: 'No DMARC reports in this period' })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Reports', exact: true }).first()).toContainText('v=DMARC1');
  await check();

  await upload(page, 'other.xml', dmarcXml({ domain: 'other.example', day: yesterday() }));
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('alert')).toContainText('is not managed by this server');
  await checkState();
  await dialog.getByRole('button', { name: 'Cancel' }).click();

  const rows = [
    { ip: '192.0.2.10', count: 90 },
    { ip: '203.0.113.9', count: 30, dkim: 'fail', spf: 'fail' },
    { ip: '198.51.100.7', count: 10, dkim: 'fail', spf: 'fail', disposition: 'quarantine' },
    { ip: '198.51.100.7', count: 10 },
    { ip: 'unknown', count: 5 },
  ] as const;
  await upload(page, 'report.xml', dmarcXml({ domain: domain.name, day: yesterday(), rows: [...rows] }));
  await expect(page.getByText('Report stored')).toBeVisible();
  const sources = page.getByRole('table', { name: /^Sources of mail/ });
  await expect(sources.getByRole('row', { name: /^Fix 198\.51\.100\.7 .*20 50\.0%/ })).toBeVisible();
  await expect(sources.getByRole('row', { name: /^Block 203\.0\.113\.9/ })).toBeVisible();
  await expect(sources.getByRole('row', { name: /^Keep 192\.0\.2\.10 .*90 100%/ })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Recommended policy' })).toContainText('Publish this');
  await expect(page.getByRole('table', { name: 'Effect of stricter policies' })).toContainText('p=reject');
  await expect(page.getByRole('region', { name: 'Messages by day' }).getByRole('row').nth(2)).toContainText('10040');
  await check();

  const toggle = page.getByRole('button', { name: /^Details of the report of far\.example/ });
  await toggle.click();
  await expect(page.getByRole('table', { name: /^Sources in the report/ })).toContainText('203.0.113.9');
  await expect(page.getByText('1: The source isn’t an IP address.')).toBeVisible();
  await expect(page).toHaveURL(/report=/);
  await checkState();
  await page.setViewportSize({ width: 360, height: 740 });
  await page.reload();
  await expect(toggle).toHaveAttribute('aria-expanded', 'true');
  await expect(sources.getByRole('row').nth(1)).toBeVisible();
  await check();

  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto(`${url()}/domains/dns?q=${domain.name}`);
  await page.getByRole('row', { name: domain.name }).getByRole('link', { name: /%$/ }).click();
  await expect(page).toHaveURL(`${url()}/domains/${domain.id}?view=reports`);
  await expect(sources).toBeVisible();
});

test('shows TLS failures by MX, kind and organization', async ({ signedIn: page, api, check, checkState }) => {
  const domain = await makeDomain(api);
  await page.goto(`${url()}/domains/${domain.id}?view=reports`);
  await page.getByRole('radio', { name: 'TLS' }).click();
  await expect(page.getByRole('heading', { name: 'No TLS reports in this period' })).toBeVisible();
  await check();
  await upload(
    page,
    'report.json',
    JSON.stringify(tlsReport({ domain: domain.name, day: yesterday(), failures: [{ sessions: 4 }] })),
  );
  await expect(page.getByText('Report stored')).toBeVisible();
  await expect(page.getByRole('region', { name: 'Failures' }).getByRole('row').nth(1)).toBeVisible();
  await check();
  await page
    .getByRole('button', { name: /^Details of the report/ })
    .first()
    .click();
  await expect(page.getByText('Report ID')).toBeVisible();
  await checkState();
});

test('reports results that fail to load', async ({ signedIn: page, domain, check }) => {
  const failure = { status: 400, code: 'VALIDATION_ERROR', message: 'Invalid request.' };
  const end = await failProcedure(page, 'reports.domainDmarc', failure);
  await page.goto(`${url()}/domains/${domain.id}?view=reports`);
  await expect(alertWith(page, 'Couldn’t load DMARC results')).toBeVisible();
  await check();
  await end();
  await page.getByRole('button', { name: 'Retry', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'No DMARC reports in this period' })).toBeVisible();
});

test('a custom period is in the URL, and has its days', async ({ signedIn: page, api, check }) => {
  const domain = await makeDomain(api);
  await page.goto(`${url()}/domains/${domain.id}?view=reports`);
  await upload(
    page,
    'report.xml',
    dmarcXml({ domain: domain.name, day: yesterday(), rows: [{ ip: '192.0.2.10', count: 7 }] }),
  );
  await expect(page.getByText('Report stored')).toBeVisible();
  await page.getByRole('radio', { name: 'Custom' }).click();
  const [from, to] = [page.getByLabel('From', { exact: true }), page.getByLabel('To', { exact: true })];
  await from.fill(yesterday());
  await from.press('Enter');
  await expect(page).toHaveURL(new RegExp(`start=${yesterday()}`));
  await to.fill(yesterday());
  await to.press('Enter');
  await expect(page).toHaveURL(
    new RegExp(`period=custom.*start=${yesterday()}.*end=${yesterday()}|start=.*end=.*period=custom`),
  );
  await expect(page.getByRole('region', { name: 'Messages by day' }).getByRole('row')).toHaveCount(2);
  await check();
  await to.fill('2026-01-01');
  await to.press('Enter');
  await expect(to).toHaveAccessibleDescription(/isn’t before the start/);
  await page.reload();
  await expect(from).toHaveValue(yesterday());
  await check();
});
