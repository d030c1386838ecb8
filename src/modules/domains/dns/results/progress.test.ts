import { expect, it } from 'vitest';
import { db } from '@/test/database';
import { makeDomain } from '@/test/factories';
import { keyClient } from '@/test/rest';
import type { CheckedRecord } from '../checking/check-record';
import { reportProgress } from './progress';
import { storeCheck } from './store';

const api = await keyClient();

const record: CheckedRecord = {
  purpose: 'mx',
  type: 'MX',
  name: 'acme.example',
  expected: '10 mail.acme.example',
  found: [],
  inherited_from: null,
  status: 'missing',
  severity: 'error',
  required: true,
  message: 'There is no MX record.',
  fix: null,
  ttl: null,
  authoritative: [],
};

async function running(id: string) {
  return (await api.get(`/domains/${id}/dns`)).data.check;
}

it('shows what a running check has found until its result is stored', async () => {
  const { id } = await makeDomain();
  expect(await running(id)).toBeNull();
  const progress = await reportProgress(db, id);
  expect(await running(id)).toMatchObject({ started_at: expect.any(String), total: 0, records: [] });

  progress.onChecked(record, 2);
  await expect.poll(() => running(id)).toMatchObject({ total: 2, records: [record] });
  progress.onChecked({ ...record, name: 'late.example' }, 2);
  await progress.end();
  expect((await running(id)).records).toHaveLength(1);
  await db.$transaction((tx) => storeCheck(tx, id, { checked: [record], at: new Date() }));
  expect(await running(id)).toBeNull();
});

it('reports nothing more of a check that another one overtook', async () => {
  const { id } = await makeDomain();
  let saves = 0;
  const counting = db.$extends({
    query: {
      dnsCheck: {
        async updateMany({ args, query }) {
          const result = await query(args);
          saves += 1;
          return result;
        },
      },
    },
  });
  const first = await reportProgress(counting as unknown as typeof db, id);
  const second = await reportProgress(db, id);
  second.onChecked({ ...record, name: 'second.example' }, 1);
  await expect.poll(async () => (await running(id)).records).toMatchObject([{ name: 'second.example' }]);
  first.onChecked(record, 1);
  await expect.poll(() => saves).toBe(1);
  expect((await running(id)).records).toMatchObject([{ name: 'second.example' }]);
  await first.cancel();
  expect(await running(id)).not.toBeNull();
  await second.cancel();
  expect(await running(id)).toBeNull();
});

it('ignores a check that was cut off', async () => {
  const { id } = await makeDomain();
  const progress = await reportProgress(db, id);
  await db.$executeRaw`UPDATE dns_check SET started_at = now() - interval '21 seconds' WHERE domain_id = ${id}::uuid`;
  expect(await running(id)).toBeNull();
  await progress.cancel();
});
