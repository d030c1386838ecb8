import type { BrowserContext, Page } from '@playwright/test';
import type { Trick } from '../../../src/test/servers/oidc-provider';
import { checkAccessibility, checkPage, watch } from '../../support/check-page';
import { TIME_ZONE_COOKIE } from '../../support/faults';
import { test as base, expect, unique, url } from '../../support/fixtures';

export { expect, unique, url };

type Linked = { id: string; email: string; subject: string; cookie: string; sessions: () => Promise<number> };

type Fixtures = {
  /** Like `check`, for pages after a visit to a provider. */
  checkHere: () => Promise<void>;
  /** Like `checkState`, for such pages. */
  checkStateHere: () => Promise<void>;
  /** A new admin with a linked account at a provider. */
  linkedAdmin: (provider: 'harbour' | 'mallory') => Promise<Linked>;
};

export const test = base.extend<Fixtures>({
  checkHere: async ({ page }, use) => {
    const watched = watch(page, url());
    const isElsewhere = (fault: string) => !fault.startsWith('request to http://127.0.0.1:');
    await use(() => checkPage(page, { faults: watched.faults.filter(isElsewhere) }));
  },
  checkStateHere: async ({ page, checkHere }, use) => {
    await use(async () => {
      await checkAccessibility(page);
      await checkHere();
    });
  },
  linkedAdmin: async ({ makeAdmin, sql }, use) => {
    await use(async (provider) => {
      const { id, email, cookie } = await makeAdmin('admin');
      const subject = unique('s');
      await sql('INSERT INTO oidc_identity (admin_id, provider_id, issuer, subject) VALUES ($1, $2, $3, $4)', [
        id,
        provider,
        issuerOf(provider),
        subject,
      ]);
      // makeAdmin opened one.
      const sessions = async () => {
        const rows = await sql<{ count: string }>('SELECT count(*) FROM session WHERE admin_id = $1', [id]);
        return Number(rows[0]?.count) - 1;
      };
      return { id, email, subject, cookie, sessions };
    });
  },
});

export function issuerOf(id: string): string {
  const providers: { id: string; issuer: string }[] = JSON.parse(process.env.E2E_OIDC_PROVIDERS ?? '[]');
  return providers.find((provider) => provider.id === id)?.issuer ?? '';
}

export function providerLink(page: Page, name: string) {
  return page.getByRole('link', { name: `Sign in with ${name}` });
}

/** Harbour ID signs in with any account name. */
export async function nameAccount(page: Page, account: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Account' }).fill(account);
  await page.getByRole('button', { name: 'Continue' }).click();
}

/** Sets how the hostile provider treats this browser. */
export async function setTrick(context: BrowserContext, trick: Trick): Promise<void> {
  const value = encodeURIComponent(JSON.stringify(trick));
  await context.addCookies([{ name: 'trick', value, domain: '127.0.0.1', path: '/' }]);
}

export async function expectSignedOut(context: BrowserContext): Promise<void> {
  const ours = (await context.cookies()).filter(({ domain }) => domain === new URL(url()).hostname);
  // A known device stays known after its sessions, and so does the time zone.
  const kept = ['postroom_device', TIME_ZONE_COOKIE];
  expect(ours.map(({ name }) => name).filter((name) => !kept.includes(name))).toEqual([]);
}
