import { expect, it } from 'vitest';
import { db } from '@/test/database';
import { makeAdmin, makeSession } from '@/test/factories';
import { redirectOfPage } from './page-redirect';

const from = (site: string, cookie?: string) => ({ 'sec-fetch-site': site, cookie });

it('leads everybody to the setup page while there is no admin', async () => {
  await db.admin.deleteMany();
  for (const path of ['/', '/login', '/messages?status=bounced'])
    for (const site of ['none', 'cross-site']) expect(await redirectOfPage(path, from(site))).toBe('/setup');
  expect(await redirectOfPage('/setup?token=x', {})).toBeNull();
});

it('leads a browser without a session to the sign-in page, and back afterwards', async () => {
  await makeAdmin();
  expect(await redirectOfPage('/', {})).toBe('/login');
  const path = '/domains/1?view=publish&record=a b';
  expect(await redirectOfPage(path, from('none', 'other=1'))).toBe(
    `/login?next=${encodeURIComponent('/domains/1?view=publish&record=a%20b')}`,
  );
  expect(await redirectOfPage('/', from('none', 'service_session=forged.signature'))).toBe('/login');
  for (const other of ['/login', '/setup', '/signed-in', '/icon.svg', '/_next/static/a.js', '/nowhere'])
    expect(await redirectOfPage(other, {})).toBeNull();
});

it('gives the page to a browser with a session until it ends, and to one that follows a link of another site', async () => {
  const { id } = await makeAdmin();
  const { cookie } = await makeSession(id);
  expect(await redirectOfPage('/queue', from('none', cookie))).toBeNull();
  expect(await redirectOfPage('/queue', from('cross-site'))).toBeNull();
  await db.session.updateMany({ where: { adminId: id }, data: { expiresAt: new Date(0) } });
  expect(await redirectOfPage('/queue', from('none', cookie))).toBe('/login?next=%2Fqueue');
});
