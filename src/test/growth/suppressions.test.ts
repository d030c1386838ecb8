import { beforeAll, describe, expect, it } from 'vitest';
import { makeDomain } from '../factories';
import { keyClient } from '../rest';
import { client, explain, pagesOf, readingOf } from './plans';
import { seedDomains, seedSuppressions } from './seed';

const ROWS = 200_000;
const MAX_PAGES = 1_000;
const MAX_ROWS = 15_000;
/** Rows that a total may read: 10,000 keys, with a look-up of each. */
const MAX_COUNTED_ROWS = 50_000;

const [busy, ...quiet] = [await makeDomain(), await makeDomain(), await makeDomain()];
const quietIds = quiet.map(({ id }) => id);
const api = await keyClient({ role: 'admin' });
const ofBusy = await keyClient({ role: 'domain_admin', domainIds: [busy.id, (await makeDomain()).id] });
const ofQuiet = await keyClient({ role: 'domain_admin', domainIds: quietIds });

beforeAll(async () => {
  await seedDomains();
  await seedSuppressions({ count: ROWS, busyId: busy.id, quietIds });
}, 120_000);

describe('a page of suppressions is read without the others', () => {
  it.each([
    '',
    'order=asc',
    `domain_id=${busy.id}`,
    'reason=bounce',
    'reason=complaint',
    `domain_id=${busy.id}&reason=manual&order=asc`,
    'since=2020-01-01T00:00:00Z&reason=complaint',
    `domain_id=${busy.id}&since=2020-01-01T00:00:00Z&until=2020-01-02T00:00:00Z`,
    'until=2020-01-01T00:00:00Z&q=addr7',
    'q=addr777',
    'q=addr199999@far.example',
    'q=far.example',
    'q=nobody',
    'q=fa',
    'q=zz',
    `q=addr7&reason=manual&domain_id=${busy.id}`,
  ])('with "%s"', async (filter) => {
    for (const one of [api, ofBusy, ...(filter.includes(busy.id) ? [] : [ofQuiet])]) {
      const { scanned, rows } = await readingOf(() => one.get(`/suppressions?${filter}`), ['suppression']);
      expect({ scanned, isBounded: rows < MAX_ROWS }).toEqual({ scanned: [], isBounded: true });
      const total = await readingOf(() => one.get(`/suppressions?${filter}&limit=1&total=true`), ['suppression']);
      expect(total.rows).toBeLessThan(MAX_COUNTED_ROWS);
    }
  });
});

it('a send looks up its recipients, and nothing else', async () => {
  const recipients = Array.from({ length: 100 }, (_, n) => ({
    address: `addr${n * 1_000 + 2}@far.example`,
    suppression_address: `addr${n * 1_000 + 2}@far.example`,
  }));
  const call =
    'SELECT * FROM find_suppressed_in_lists(ARRAY[$2::uuid], ARRAY[$2::uuid], ARRAY[false], ARRAY[NULL::text], ARRAY[now()], ARRAY[$1::jsonb])';
  const values = [JSON.stringify(recipients), busy.id];
  const { rows } = await client.query(call, values);
  expect(rows.length).toBeGreaterThan(5);
  expect(pagesOf(await explain(call, values))).toBeLessThan(MAX_PAGES);
});
