import type { Trick } from '../../src/test/servers/oidc-provider';
import { alertWith } from '../support/fixtures';
import { expect, expectSignedOut, providerLink, setTrick, test, unique, url } from './oidc/fixtures';

const REJECTED = 'The identity provider’s response was rejected';
const NO_RESPONSE = 'The identity provider isn’t responding';

/** One for each reason that is shown; src/modules/auth/oidc has the others. */
const LIES: [string, Trick, string][] = [
  ['a wrong state', { callback: { state: 'x'.repeat(43) } }, REJECTED],
  ['a denial', { callback: { code: null, error: 'access_denied' } }, 'The identity provider denied access'],
  ['a token endpoint that hangs', { token: 'hangs' }, NO_RESPONSE],
];

for (const [lie, trick, sentence] of LIES) {
  test(`${lie} opens no session and shows the reason`, async ({ page, context, linkedAdmin, checkHere }) => {
    const admin = await linkedAdmin('mallory');
    await setTrick(context, { ...trick, claims: { sub: admin.subject, ...trick.claims } });
    await page.goto(`${url()}/login`);
    await providerLink(page, 'Mallory').click();
    await expect(alertWith(page, sentence)).toBeVisible();
    await expect(page.getByLabel('Email')).toBeVisible();
    await expectSignedOut(context);
    expect(await admin.sessions()).toBe(0);
    await checkHere();
  });
}

test("an admin's email that isn't verified links nothing", async ({ page, context, makeAdmin, sql, checkHere }) => {
  const { email } = await makeAdmin('admin');
  await setTrick(context, { claims: { sub: unique('s'), email, email_verified: 'false' } });
  await page.goto(`${url()}/login`);
  await providerLink(page, 'Mallory').click();
  await expect(alertWith(page, 'That account isn’t linked to an admin')).toBeVisible();
  await expect(page.getByText(email)).toHaveCount(0);
  await expectSignedOut(context);
  const rows = await sql('SELECT 1 FROM oidc_identity JOIN admin ON admin.id = admin_id WHERE email = $1', [email]);
  expect(rows).toEqual([]);
  await checkHere();
});

test('a replayed callback has no effect, even with its cookies restored', async ({
  page,
  context,
  linkedAdmin,
  checkStateHere,
}) => {
  const admin = await linkedAdmin('mallory');
  await setTrick(context, { claims: { sub: admin.subject } });
  const answers = async (address: string) =>
    (await context.request.get(address, { maxRedirects: 0 })).headers().location as string;
  const callback = await answers(await answers(`${url()}/api/v1/auth/oidc/login/mallory`));
  const cookies = await context.cookies();
  await page.goto(callback);
  await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible();
  expect(await admin.sessions()).toBe(1);

  await context.clearCookies({ name: 'service_session' });
  await page.goto(callback);
  await expect(alertWith(page, 'This sign-in has expired or was already used')).toBeVisible();
  await context.addCookies(cookies);
  await page.goto(callback);
  await expect(alertWith(page, 'This sign-in has expired or was already used')).toBeVisible();
  await expectSignedOut(context);
  expect(await admin.sessions()).toBe(1);
  await checkStateHere();
});

test('an address of another site as the next page opens the overview', async ({
  page,
  context,
  linkedAdmin,
  checkStateHere,
}) => {
  const next = '//evil.example';
  const admin = await linkedAdmin('mallory');
  await setTrick(context, { claims: { sub: admin.subject } });
  await page.goto(`${url()}/api/v1/auth/oidc/login/mallory?next=${encodeURIComponent(next)}`);
  await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible();
  await expect(page).toHaveURL(`${url()}/`);
  await checkStateHere();
  await page.goto(`${url()}/signed-in?next=${encodeURIComponent(next)}`);
  await expect(page).toHaveURL(`${url()}/`);
});
