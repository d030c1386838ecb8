import { expect, it } from 'vitest';
import { db } from '@/test/database';
import { makeDomain } from '@/test/factories';
import { day, uploadDmarc, uploadTls } from '@/test/reports/upload';
import { keyClient } from '@/test/rest';
import { deleteOldReports } from './retention';

const DAY_MS = 24 * 60 * 60 * 1000;
const KEPT_DAYS = 100;

async function uploadBoth(domain: string, daysAgo: number): Promise<void> {
  const api = await keyClient();
  await uploadDmarc(api, { domain, day: day(daysAgo), rows: [{ ip: '192.0.2.1' }, { ip: '192.0.2.2' }] });
  await uploadTls(api, { domain, day: day(daysAgo), failures: [{}] });
}

/** Rows of each table, of one domain. */
async function counts(domainId: string): Promise<number[]> {
  const where = { domainId };
  return Promise.all([
    db.dmarcReport.count({ where }),
    db.dmarcRow.count({ where: { report: where } }),
    db.dmarcDay.count({ where }),
    db.dmarcSourceDay.count({ where }),
    db.tlsReport.count({ where }),
    db.tlsFailure.count({ where: { report: where } }),
  ]);
}

it('deletes reports and their sums after the retention time', async () => {
  const { id, name } = await makeDomain();
  await uploadBoth(name, KEPT_DAYS + 2);
  await uploadBoth(name, KEPT_DAYS - 2);
  expect(await counts(id)).toEqual([2, 4, 2, 4, 2, 2]);
  await deleteOldReports(db, new Date(), KEPT_DAYS);
  expect(await counts(id)).toEqual([1, 2, 1, 2, 1, 1]);
});

it('deletes the reports of deleted domains, and keeps those of others', async () => {
  const [deleted, kept] = [await makeDomain(), await makeDomain()];
  for (const { name } of [deleted, kept]) await uploadBoth(name, 1);
  await db.domain.delete({ where: { id: deleted.id } });
  await deleteOldReports(db, new Date(), KEPT_DAYS);
  expect(await counts(deleted.id)).toEqual([0, 0, 0, 0, 0, 0]);
  expect(await counts(kept.id)).toEqual([1, 2, 1, 2, 1, 1]);
});

it('forgets host names that no report has named for as long', async () => {
  const { name } = await makeDomain();
  await uploadBoth(name, 1);
  await deleteOldReports(db, new Date(), KEPT_DAYS);
  expect(await db.reportHost.count()).toBe(2);
  await deleteOldReports(db, new Date(Date.now() + (KEPT_DAYS + 1) * DAY_MS), KEPT_DAYS);
  expect(await db.reportHost.count()).toBe(0);
});
