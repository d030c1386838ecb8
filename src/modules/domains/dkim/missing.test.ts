import { expect, it } from 'vitest';
import { db } from '@/test/database';
import { makeDkimKey, makeDomain } from '@/test/factories';
import { createMissingDkimKeys } from '../tasks';

const statusesOf = async (domainId: string) =>
  (await db.dkimKey.findMany({ where: { domainId } })).map(({ status }) => status);

it('domains without a DKIM key each get one active key, even if several instances run concurrently', async () => {
  const domains = await Promise.all(Array.from({ length: 3 }, () => makeDomain()));
  const signed = await makeDomain();
  await makeDkimKey(signed.id, { selector: 'own' });
  await Promise.all(Array.from({ length: 3 }, () => createMissingDkimKeys(db, new Date())));
  await createMissingDkimKeys(db, new Date());
  expect(await db.dkimKey.count()).toBe(4);
  for (const { id } of domains) {
    const key = await db.dkimKey.findFirstOrThrow({ where: { domainId: id } });
    expect(key).toMatchObject({ status: 'active', algorithm: 'rsa_2048' });
    expect((await db.domain.findUniqueOrThrow({ where: { id } })).dkimSelector).toBe(key.selector);
  }
  expect(await statusesOf(signed.id)).toEqual(['active']);
});
